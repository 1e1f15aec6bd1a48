// Files and directories named on the command line or in the configuration.
import { accessSync, constants, mkdirSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Reads a UTF-8 file, without its byte order mark. Throws an `Error` with the reason but without the file name. */
export function readTextFile(file: string): string {
  try {
    return utf8.decode(readFileSync(file))
  } catch (error) {
    throw new Error(unreadable(error))
  }
}

/** Why the file cannot be read, as a phrase; null when it can. */
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

/** Why a file cannot be read, as a phrase. Node's own messages name the failed system call instead. */
export function unreadable(error: unknown): string {
  const { code, errno, message } = error as NodeJS.ErrnoException
  return reasons[code ?? ''] ?? (errno === undefined ? message : `cannot be read (${code})`)
}

/**
 * Creates the directory and its missing parents. Throws the system error of the first that cannot be created. Node's
 * `recursive` option never returns if a parent can be found but not written, as in `/proc`.
 */
export function makeDirectory(path: string, mode = 0o777): void {
  if (isDirectory(path)) return
  const parent = dirname(path)
  if (parent !== path) makeDirectory(parent, mode)
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    // Another process may have created it.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !isDirectory(path)) throw error
  }
}

const isDirectory = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
