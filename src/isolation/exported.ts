// The plugins of a module, as it exports them and as data that goes from one process to another.
import type { Plugin } from '../engine/plugin.ts'

/** Throws when the module exports none. */
export function exported(module: { readonly default?: unknown }): readonly unknown[] {
  if (module.default === undefined) throw new Error('has no default export; it must be a plugin or an array of plugins')
  return Array.isArray(module.default) ? module.default : [module.default]
}

type Kind = 'analyzer' | 'extension' | 'neither'

/** The same without its functions, which cannot be sent, and with its kind, which they make. */
export const described = (plugin: unknown): unknown =>
  typeof plugin === 'object' && plugin !== null ? { ...plugin, kind: kindOfFunctions(plugin) } : plugin

const kindOfFunctions = (plugin: object): Kind => {
  if ('analyze' in plugin) return typeof plugin.analyze === 'function' ? 'analyzer' : 'neither'
  return 'apply' in plugin && typeof plugin.apply === 'function' ? 'extension' : 'neither'
}

export const kindOf = (description: unknown): unknown =>
  typeof description === 'object' && description !== null ? Reflect.get(description, 'kind') : 'neither'

/** What is described, for those who ask what it is. It computes elsewhere. */
export function standIn(description: unknown): Plugin {
  if (typeof description !== 'object' || description === null) return description as unknown as Plugin
  const { kind, analyze, apply, ...rest } = description as Readonly<Record<string, unknown>>
  const refuse = () => {
    throw new Error('is computed in a process of its own')
  }
  return { ...rest, ...(kind === 'analyzer' && { analyze: refuse }) } as unknown as Plugin
}
