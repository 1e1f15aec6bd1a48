// The protocol between the service and the process of an isolated module: JSON, one message per line, one at a time in each direction.

import type { Plugin } from '../engine/plugin.ts'
import type { Target } from '../targets/target.ts'

/** Octets of a line that the service takes from there: a description with its schemas; findings are held to far less. */
export const LINE_BYTES = 1024 * 1024

/** Of that process, its own end of the line of answers; 0 is the line of questions, 1 and 2 are for whoever prints. */
export const ANSWERS_FD = 3

/** The first names the module by its URL; each other one asks an analyzer of it, by its place. */
export type Question = { readonly load: string } | Turn

export interface Turn {
  readonly at: number
  readonly evidence: object
  readonly context: {
    readonly target: Target
    readonly options: unknown
    /** ISO 8601 with milliseconds. */
    readonly now: string
    readonly missing: object
  }
}

/** `error` is what the module or its analyzer threw, `too_large` a finding that no line holds. */
export type Answer =
  | { readonly plugins: readonly unknown[] }
  | { readonly finding: unknown }
  | { readonly error: { readonly name: string; readonly message: string } }
  | { readonly too_large: true }

/** Puts lines together from pieces. Once one is longer than `most` octets, `refuse` is called and nothing more is taken. */
export function lineReader(most: number, take: (line: string) => void, refuse: () => void): (piece: Buffer) => void {
  let pieces: Buffer[] = []
  let held = 0
  return piece => {
    let rest = piece
    for (let end = rest.indexOf('\n'); end !== -1 && held + end <= most; end = rest.indexOf('\n')) {
      take(Buffer.concat([...pieces, rest.subarray(0, end)]).toString('utf8'))
      pieces = []
      held = 0
      rest = rest.subarray(end + 1)
    }
    if (held > most) return
    pieces.push(rest)
    held += rest.length
    if (held <= most) return
    pieces = []
    refuse()
  }
}

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
