// IANA's list of RDAP services (RFC 9224), from its file.
import { readFile } from 'node:fs/promises'
import { type Bootstrap, parseBootstrap } from '../evidence/registration/bootstrap.ts'
import { UnusableDataset } from './unusable.ts'

/** Rejects with `UnusableDataset`. */
export async function openBootstrap(path: string): Promise<Bootstrap> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const [why, reason] =
      error.code === 'ENOENT' ? ['no such file', 'no_file'] : [`cannot be read (${error.code})`, 'unreadable']
    throw new UnusableDataset(`${path}: ${why}`, reason)
  })
  const bootstrap = parseBootstrap(text)
  if (bootstrap === null) throw new UnusableDataset(`${path}: is not an RDAP bootstrap file`, 'wrong_format')
  return bootstrap
}
