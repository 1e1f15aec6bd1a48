// Where this package and its modules are, whether the code runs from sources or from the build; and its version.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'

function rootAbove(directory: string): string {
  if (existsSync(join(directory, 'package.json'))) return directory
  const parent = dirname(directory)
  if (parent === directory) throw new Error('no package.json above the code')
  return rootAbove(parent)
}

export const packageRoot = rootAbove(import.meta.dirname)

/** `.ts` when the code runs from sources, `.js` when it runs from the build. */
const extension = extname(import.meta.filename)

/** The file of one of our modules, such as `src/index`. The build moves code between files, so no module finds another beside itself. */
export const moduleFile = (name: string): string =>
  join(packageRoot, extension === '.ts' ? '' : 'dist', `${name}${extension}`)

const { version: written } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string }

export const version = written
