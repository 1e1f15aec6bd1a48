// What the process of an isolated module may read: its own folder, and the packages that it can import.
import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, relative } from 'node:path'

const isWithin = (directory: string, file: string): boolean => {
  const path = relative(directory, file)
  return !path.startsWith('..') && !isAbsolute(path)
}

/** The directory and all above it. */
function upwards(directory: string): string[] {
  const parent = dirname(directory)
  return parent === directory ? [directory] : [directory, ...upwards(parent)]
}

/**
 * The folder of the module's package, otherwise its own; the file alone when these hold one of `apart`, such as the
 * configuration and the data of the service. And the packages installed in or above it. Throws for a link in the folder that
 * leads elsewhere, because Node's permissions would follow it.
 */
export function readableBy(file: string, apart: readonly string[]): string[] {
  const folders = upwards(dirname(file))
  const ofPackage = folders.find(folder => existsSync(join(folder, 'package.json')))
  const own = [ofPackage, dirname(file)].find(
    folder => folder !== undefined && !apart.some(path => existsSync(path) && isWithin(folder, realpathSync(path))),
  )
  const packages = folders.map(folder => join(folder, 'node_modules')).filter(existsSync)
  if (own !== undefined) refuseLinks(own)
  return [own ?? file, ...packages]
}

/** The operator controls links of installed packages, such as the links that npm and pnpm create. */
function refuseLinks(folder: string): void {
  const look = (directory: string): void => {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const path = join(directory, entry.name)
      if (entry.isDirectory() && entry.name !== 'node_modules') look(path)
      if (!entry.isSymbolicLink() || entry.name === 'node_modules') continue
      const leadsTo = statSync(path, { throwIfNoEntry: false }) && realpathSync(path)
      if (leadsTo !== undefined && !isWithin(folder, leadsTo))
        throw new Error(`its folder has a link to a file outside: ${path}`)
    }
  }
  look(folder)
}
