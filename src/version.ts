// The version, from package.json, wherever this runs from: sources or build.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

function readVersion(directory: string): string {
  try {
    return String((JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as { version: unknown }).version)
  } catch (error) {
    const parent = dirname(directory)
    if (parent === directory) throw error
    return readVersion(parent)
  }
}

export const version = readVersion(dirname(fileURLToPath(import.meta.url)))
