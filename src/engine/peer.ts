// The version of this package that a plugin's package asks for, as its peer dependency.
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { version } from '../base/package_root.ts'

const PACKAGE = 'assay'

/** semver is loaded only for packages that state a range. */
const load = createRequire(import.meta.url)

/** Throws when the package that the file belongs to asks for another version of this one. */
export function requirePeer(file: string, own = version): void {
  const manifest = manifestOf(dirname(file))
  const range = (manifest?.peerDependencies as Readonly<Record<string, unknown>> | undefined)?.[PACKAGE]
  if (manifest === null || typeof range !== 'string') return
  const satisfies = load('semver/functions/satisfies.js') as Satisfies
  if (satisfies(own, range, { includePrerelease: true })) return
  throw new Error(
    `its package asks for ${PACKAGE} ${range}, and this is ${own}: install a version of it for ${own}, or change "peerDependencies" in ${manifest.file}`,
  )
}

type Satisfies = (version: string, range: string, options: { readonly includePrerelease: boolean }) => boolean

interface Manifest {
  readonly file: string
  readonly peerDependencies?: unknown
}

/** The closest package.json at or above the directory; null if there is none, or none that is JSON. */
function manifestOf(directory: string): Manifest | null {
  const file = join(directory, 'package.json')
  if (!existsSync(file)) return dirname(directory) === directory ? null : manifestOf(dirname(directory))
  try {
    return { ...JSON.parse(readFileSync(file, 'utf8')), file }
  } catch {
    return null
  }
}
