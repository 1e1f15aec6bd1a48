// The operator's current lists: entries of the configuration, and files that are reloaded when they change.
import { createHash } from 'node:crypto'
import { type Stats, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { readTextFile, unreadable } from '../../base/files.ts'
import {
  type LineFault,
  type ListEntry,
  type ListKind,
  type ReadFile,
  readEntry,
  readListFile,
  type WrittenEntry,
} from './entries.ts'
import { createOperatorLists } from './lookup.ts'

/** As in the configuration, with absolute paths. */
export type ListSettings = Readonly<Record<ListKind, readonly (string | WrittenEntry | { readonly file: string })[]>>

/** The outcome of reloading a file. If there are `faults`, the previous entries are kept. */
export interface ListFileEvent {
  readonly file: string
  readonly entries: number
  readonly faults: readonly string[]
}

export type OperatorListSource = ReturnType<typeof openOperatorLists>

/** Milliseconds between checks of the files: short enough for an operator who has just saved one. */
const POLL_MS = 1_000

interface HeldFile {
  readonly list: ListKind
  readonly file: string
  entries: readonly ListEntry[]
  version: string
}

/** Throws an `Error` that names the file and the line that cannot be parsed. */
export function openOperatorLists(settings: ListSettings) {
  let current = inForce(settings, filesOf(settings))
  let timer: NodeJS.Timeout | undefined

  async function poll(listener: (event: ListFileEvent) => void): Promise<void> {
    const { settings, files } = current
    const events = (await Promise.all(files.map(readAgain))).filter(event => event !== null)
    if (current.files === files && events.length > 0) current = inForce(settings, files)
    events.forEach(listener)
  }

  return {
    current: () => current.lists,
    /**
     * Identifies the entries in force, because results with other entries differ. Equal for equal entries; empty for
     * none.
     */
    revision: () => current.revision,
    /** Applies other settings. Throws as `openOperatorLists` does, and then changes nothing. */
    use(next: ListSettings) {
      if (!isDeepStrictEqual(next, current.settings)) current = inForce(next, filesOf(next))
    },
    /** Reloads files when they change and calls `listener` for each. */
    start(listener: (event: ListFileEvent) => void) {
      timer ??= setInterval(() => void poll(listener), POLL_MS).unref()
    },
    stop() {
      clearInterval(timer)
      timer = undefined
    },
  }
}

function inForce(settings: ListSettings, files: readonly HeldFile[]) {
  const inline = entriesOf(settings).flatMap(([list, listEntry]) => {
    if (typeof listEntry !== 'string' && 'file' in listEntry) return []
    const reading = readEntry(list, listEntry)
    return reading.ok ? [reading.entry] : []
  })
  const entries = [...inline, ...files.flatMap(({ entries }) => entries)]
  return { settings, files, lists: createOperatorLists(entries), revision: revisionOf(entries) }
}

function revisionOf(entries: readonly ListEntry[]): string {
  if (entries.length === 0) return ''
  const words = entries.map(({ list, entry, reason, expires_at }) => JSON.stringify([list, entry, reason, expires_at]))
  return createHash('sha256').update(words.join('\n')).digest('base64url').slice(0, 12)
}

/** Null when the file has not changed. */
async function readAgain(listFile: HeldFile): Promise<ListFileEvent | null> {
  const version = await versionOf(listFile.file)
  if (version === listFile.version) return null
  listFile.version = version
  const reading = readFile(listFile.list, listFile.file)
  const faults = reading.faults.map(faultText)
  if (faults.length === 0) listFile.entries = reading.entries
  return { file: listFile.file, entries: listFile.entries.length, faults }
}

/** Changes when the file is modified or replaced. */
const versionOf = (file: string): Promise<string> => stat(file).then(versionIn, () => 'unreadable')

const versionIn = ({ mtimeMs, size, ino }: Stats): string => `${mtimeMs} ${size} ${ino}`

/** A file that cannot be read has one fault, at line 0. */
export function readFile(list: ListKind, file: string): ReadFile {
  try {
    return readListFile(list, readTextFile(file))
  } catch (error) {
    return { entries: [], faults: [{ line: 0, detail: unreadable(error) }] }
  }
}

export const faultText = ({ line, detail }: LineFault): string => (line === 0 ? detail : `line ${line}: ${detail}`)

function filesOf(settings: ListSettings): HeldFile[] {
  return entriesOf(settings).flatMap(([list, listEntry]) => {
    if (typeof listEntry === 'string' || !('file' in listEntry)) return []
    const { file } = listEntry
    const { entries, faults } = readFile(list, file)
    const [fault] = faults
    if (fault) throw new Error(`${file}: ${faultText(fault)}`)
    return [{ list, file, entries, version: versionIn(statSync(file)) }]
  })
}

const entriesOf = ({ allow, block }: ListSettings) => [
  ...allow.map(entry => ['allow', entry] as const),
  ...block.map(entry => ['block', entry] as const),
]
