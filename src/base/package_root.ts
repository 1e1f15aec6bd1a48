// The location and version of this package, whether the code runs from the sources or from the build.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'

function rootAbove(directory: string): string {
  if (existsSync(join(directory, 'package.json'))) return directory
  const parent = dirname(directory)
  if (parent === directory) throw new Error('No package.json above the code')
  return rootAbove(parent)
}

export const packageRoot = rootAbove(import.meta.dirname)

/** `.ts` when the code runs from sources, `.js` when it runs from the build. */
const extension = extname(import.meta.filename)

/**
 * The file of a module, such as `src/index`. Modules cannot use relative paths, because the build moves code between
 * files.
 */
export const moduleFile = (name: string): string =>
  join(packageRoot, extension === '.ts' ? '' : 'dist', `${name}${extension}`)

/** A file that only the build makes, below `dist`; null if it does not exist, or if the code runs from sources. */
export function builtFile(name: string): string | null {
  const file = join(packageRoot, 'dist', name)
  return extension !== '.ts' && existsSync(file) ? file : null
}

const { version: packageVersion } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as {
  version: string
}

export const version = packageVersion
