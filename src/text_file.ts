// Files that people name, on a command line or in a configuration.
import { readFileSync } from 'node:fs'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** What is in a file in UTF-8, without its byte order mark. Throws an `Error` that says why it cannot be read, and not which file it is. */
export function readTextFile(file: string): string {
  try {
    return utf8.decode(readFileSync(file))
  } catch (error) {
    throw new Error(unreadable(error))
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
