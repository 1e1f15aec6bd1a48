// The exports of a module as data: what its process says of them.

import { didYouMean } from '../../base/fault.ts'
import { isAsync } from '../explained.ts'
import { unknownFieldsRead } from '../presentation/fields_read.ts'

/** Throws when the module's default export cannot be plugins. */
export function exportsOf(module: { readonly default?: unknown }): readonly unknown[] {
  const { default: defaultExport, ...namedExports } = module
  if (defaultExport === undefined)
    throw new Error(`has no default export; ${MUST_BE}${insteadOf(Object.keys(namedExports))}`)
  if (typeof defaultExport === 'function')
    throw new Error('exports a function by default: export the plugin itself, an object')
  const plugins: readonly unknown[] = Array.isArray(defaultExport) ? defaultExport : [defaultExport]
  if (plugins.length === 0) throw new Error(`exports an empty array by default; ${MUST_BE}`)
  return plugins
}

const MUST_BE = 'it must be a plugin or an array of plugins'

const insteadOf = ([name]: readonly string[]): string =>
  name === undefined ? '' : `: write \`export default ${name}\` instead of exporting "${name}" by its name`

type Kind = 'analyzer' | 'async_analyzer' | 'extension' | 'neither'

/**
 * The plugin without its functions, which cannot be sent, and with what they determine: its kind, whether it describes its
 * section, and the unknown fields that it reads there.
 */
export function describePlugin(plugin: unknown): unknown {
  if (typeof plugin !== 'object' || plugin === null) return plugin
  const { presentation, schema } = plugin as { readonly presentation?: unknown; readonly schema?: unknown }
  const describes = typeof (presentation as { readonly describe?: unknown } | null | undefined)?.describe === 'function'
  const misread = describes ? unknownFieldsRead(presentation, schema, didYouMean) : []
  return { ...plugin, kind: kindOfFunctions(plugin), describes, misread }
}

const kindOfFunctions = (plugin: object): Kind => {
  if ('analyze' in plugin) {
    if (typeof plugin.analyze !== 'function') return 'neither'
    return isAsync(plugin.analyze) ? 'async_analyzer' : 'analyzer'
  }
  return 'apply' in plugin && typeof plugin.apply === 'function' ? 'extension' : 'neither'
}

/** A plugin without its functions, and what they determined. Untrusted but for the two fields. */
export interface DescribedPlugin {
  /** The fields of the plugin. */
  readonly fields: Readonly<Record<string, unknown>>
  readonly kind: unknown
  readonly describes: boolean
  readonly misread: readonly string[]
}

/** Null for an export that is no object. */
export function readDescribed(description: unknown): DescribedPlugin | null {
  if (typeof description !== 'object' || description === null) return null
  const { kind, describes, misread, analyze, apply, ...fields } = description as Readonly<Record<string, unknown>>
  return { fields, kind, describes: describes === true, misread: Array.isArray(misread) ? misread.map(String) : [] }
}
