// Files and directories that people name on the command line or in the configuration.
import { accessSync, constants, mkdirSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** What is in a file in UTF-8, without its byte order mark. Throws an `Error` that says why it cannot be read, and not which file it is. */
export function readTextFile(file: string): string {
  try {
    return utf8.decode(readFileSync(file))
  } catch (error) {
    throw new Error(unreadable(error))
  }
}

/** Why there is no file to be read at this path, for people; null when there is one. */
export function whyUnreadable(path: string): string | null {
  try {
    if (statSync(path).isDirectory()) return reasons['EISDIR'] ?? null
    accessSync(path, constants.R_OK)
    return null
  } catch (error) {
    return unreadable(error)
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  ENOTDIR: 'no such file',
  EISDIR: 'is a directory',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'is not UTF-8',
}

/** Why a file cannot be read, for people: Node's own messages name the call that failed. */
export function unreadable(error: unknown): string {
  const { code, errno, message } = error as NodeJS.ErrnoException
  return reasons[code ?? ''] ?? (errno === undefined ? message : `cannot be read (${code})`)
}

/**
 * Makes the directory and the missing ones above it. Throws the system's error of the first that cannot be made. Node's own
 * `recursive` never returns where a parent can be looked up but nothing can be made in it, as in `/proc`.
 */
export function makeDirectory(path: string, mode = 0o777): void {
  if (isDirectory(path)) return
  const parent = dirname(path)
  if (parent !== path) makeDirectory(parent, mode)
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    // Another process may have been faster.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !isDirectory(path)) throw error
  }
}

const isDirectory = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
