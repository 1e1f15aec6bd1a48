// The file of a plugin: whether it is the one that was meant, and nobody else's to change.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, isAbsolute, relative, resolve } from 'node:path'

/** Bits of a file's mode (POSIX): written by others; and, of a directory, only by the owner of what is in it. */
const OTHERS_WRITE = 0o002
const STICKY = 0o1000
/** Windows has no such bits: Node makes them up. */
const hasModes = process.platform !== 'win32'

/**
 * The file itself, links followed. Throws when it is not there, when it lies outside of the configuration's directory although its name does
 * not, when others may write it or put another in its place, or when it is not what `integrity` says (W3C Subresource
 * Integrity, sha512 alone).
 */
export function vetFile(file: string, base: string, integrity: string | undefined): string {
  if (!existsSync(file)) throw new Error('there is no such file')
  const real = realpathSync(file)
  if (isWithin(resolve(base), file) && !isWithin(realpathSync(base), real))
    throw new Error('is a link that leads out of the directory of the configuration')
  if (hasModes) refuseWritable(real)
  if (integrity !== undefined) requireIntegrity(real, integrity)
  return real
}

const isWithin = (directory: string, file: string): boolean => {
  const path = relative(directory, file)
  return !path.startsWith('..') && !isAbsolute(path)
}

function refuseWritable(file: string): void {
  if (statSync(file).mode & OTHERS_WRITE) throw new Error('may be written by anybody: chmod o-w')
  const { mode } = statSync(dirname(file))
  if (mode & OTHERS_WRITE && !(mode & STICKY))
    throw new Error('may be replaced by anybody, who may write its directory: chmod o-w')
}

function requireIntegrity(file: string, integrity: string): void {
  const found = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`
  if (found !== integrity) throw new Error(`is not what its integrity says; it is ${found}`)
}
