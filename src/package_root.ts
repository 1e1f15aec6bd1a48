// Where this package is, wherever its code runs from: sources or build.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

function rootAbove(directory: string): string {
  if (existsSync(join(directory, 'package.json'))) return directory
  const parent = dirname(directory)
  if (parent === directory) throw new Error('no package.json above the code')
  return rootAbove(parent)
}

export const packageRoot = rootAbove(import.meta.dirname)
