// IANA's list of RDAP services (RFC 9224), from a file of the operator's.
import { readFile } from 'node:fs/promises'
import { type Bootstrap, parseBootstrap } from '../evidence/registration/bootstrap.ts'
import { UnusableDataset } from './mmdb.ts'

/** Null when no file is named. Rejects with `UnusableDataset`. */
export async function openBootstrap(path: string | null): Promise<Bootstrap | null> {
  if (path === null) return null
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UnusableDataset(`${path}: ${error.code === 'ENOENT' ? 'no such file' : `cannot be read (${error.code})`}`)
  })
  const bootstrap = parseBootstrap(text)
  if (bootstrap === null) throw new UnusableDataset(`${path}: is not an RDAP bootstrap file`)
  return bootstrap
}
