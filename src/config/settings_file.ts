// A file of settings: JSON (RFC 8259) that says each thing once, and no secret to everyone.
import type { Fault } from '../engine/fault.ts'
import { readTextFile } from '../text_file.ts'
import { type Exposed, exposedIn, exposedPasswords } from './exposed.ts'

export interface SettingsFile {
  readonly given: unknown
  readonly faults: readonly Fault[]
  readonly exposed: Exposed | null
}

/** `path` is where in the configuration it stands. Throws an `Error` that says why it cannot be read. */
export function readSettingsFile(file: string, path: readonly string[] = []): SettingsFile {
  const text = readTextFile(file)
  const given: unknown = JSON.parse(text)
  const exposed = exposedIn(file, given, path)
  const repeated = repeatedNames(text).map(name => ({ path: [...path, name].join('.'), message: 'is there twice' }))
  return { given, faults: [...repeated, ...(exposed === null ? [] : exposedPasswords(exposed))], exposed }
}

/** What opens, parts and closes, and strings whole: in what is JSON already, the rest tells nothing of names. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g

interface Level {
  /** Of an object; null for an array. */
  readonly names: Set<string> | null
  /** The name or the index that we are at. */
  at: string | number
}

/** Dotted paths of names that an object has already: `JSON.parse` would keep the last and say nothing. */
function repeatedNames(text: string): string[] {
  const levels: Level[] = []
  const repeated: string[] = []
  let string = ''
  for (const [token] of text.matchAll(TOKEN)) {
    const level = levels.at(-1)
    if (token === '{') levels.push({ names: new Set(), at: '' })
    else if (token === '[') levels.push({ names: null, at: 0 })
    else if (token === '}' || token === ']') levels.pop()
    else if (token.startsWith('"')) string = token
    else if (token === ',' && typeof level?.at === 'number') level.at++
    else if (token === ':' && level?.names) {
      level.at = JSON.parse(string) as string
      if (level.names.has(level.at)) repeated.push(levels.map(({ at }) => at).join('.'))
      level.names.add(level.at)
    }
  }
  return repeated
}
