// The protocol between the service and the process of an isolated module: JSON, one message per line, one at a time in
// each direction.

import { isAsync } from '../engine/explained.ts'
import type { Plugin } from '../engine/plugin.ts'
import type { Target } from '../targets/target.ts'

/** Longest line that the service accepts: a description with schemas. Findings have a much lower limit. */
export const LINE_BYTES = 1024 * 1024

/** The process's file descriptor for answers. 0 carries the questions; 1 and 2 are free for output of the module. */
export const ANSWERS_FD = 3

/** The first question names the module by its URL; each other one calls an analyzer by its index. */
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

/**
 * `error` is what the module or its analyzer threw; `too_large` stands for a finding that exceeds a line, `promise` for one in
 * place of a finding.
 */
export type Answer =
  | { readonly plugins: readonly unknown[] }
  | { readonly finding: unknown }
  | { readonly error: { readonly name: string; readonly message: string } }
  | { readonly too_large: true }
  | { readonly promise: true }

/** Assembles lines from chunks. Calls `refuse` once a line exceeds `most` octets and ignores everything after it. */
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

/** Throws when the module's default export cannot be plugins. */
export function exported(module: { readonly default?: unknown }): readonly unknown[] {
  const { default: found, ...named } = module
  if (found === undefined) throw new Error(`has no default export; ${MUST_BE}${insteadOf(Object.keys(named))}`)
  if (typeof found === 'function') throw new Error('exports a function by default: export the plugin itself, an object')
  const plugins: readonly unknown[] = Array.isArray(found) ? found : [found]
  if (plugins.length === 0) throw new Error(`exports an empty array by default; ${MUST_BE}`)
  return plugins
}

const MUST_BE = 'it must be a plugin or an array of plugins'

const insteadOf = ([name]: readonly string[]): string =>
  name === undefined ? '' : `: write \`export default ${name}\` instead of exporting "${name}" by its name`

type Kind = 'analyzer' | 'async_analyzer' | 'extension' | 'neither'

/** The plugin without its functions, which cannot be sent, and with the kind that they determine. */
export const described = (plugin: unknown): unknown =>
  typeof plugin === 'object' && plugin !== null ? { ...plugin, kind: kindOfFunctions(plugin) } : plugin

const kindOfFunctions = (plugin: object): Kind => {
  if ('analyze' in plugin) {
    if (typeof plugin.analyze !== 'function') return 'neither'
    return isAsync(plugin.analyze) ? 'async_analyzer' : 'analyzer'
  }
  return 'apply' in plugin && typeof plugin.apply === 'function' ? 'extension' : 'neither'
}

export const kindOf = (description: unknown): unknown =>
  typeof description === 'object' && description !== null ? Reflect.get(description, 'kind') : 'neither'

/** A described plugin for inspection. It runs in another process. */
export function standIn(description: unknown): Plugin {
  if (typeof description !== 'object' || description === null) return description as unknown as Plugin
  const { kind, analyze, apply, ...rest } = description as Readonly<Record<string, unknown>>
  const refuse = () => {
    throw new Error('runs in another process')
  }
  // The registry rejects an async one for what it is.
  const analyzes = { analyzer: { analyze: refuse }, async_analyzer: { analyze: async () => refuse() } }
  return { ...rest, ...analyzes[kind as keyof typeof analyzes] } as unknown as Plugin
}
