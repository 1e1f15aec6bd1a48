// One of IANA's lists of RDAP services (RFC 9224), from its file.
import { readFile } from 'node:fs/promises'
import { type Bootstrap, type EntryKey, parseBootstrap } from '../evidence/registration/bootstrap.ts'
import { UnusableDataset } from './unusable.ts'

/** Rejects with `UnusableDataset`. */
export async function openBootstrap(path: string, keyOf: EntryKey): Promise<Bootstrap> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const [why, reason] =
      error.code === 'ENOENT' ? ['no such file', 'no_file'] : [`cannot be read (${error.code})`, 'unreadable']
    throw new UnusableDataset(`${path}: ${why}`, reason)
  })
  const bootstrap = parseBootstrap(text, keyOf)
  if (bootstrap === null)
    throw new UnusableDataset(`${path}: is not an RDAP bootstrap file of its kind`, 'wrong_format')
  return bootstrap
}
