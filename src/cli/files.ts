// Files that a command writes because it was told to.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { CliError, EXIT } from './exit_codes.ts'

/** Replaces the file; its directory is made when it is missing. */
export function writeText(file: string, text: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  } catch (error) {
    throw new CliError(EXIT.cannot_create, `cannot write ${file}: ${error instanceof Error ? error.message : error}`)
  }
}
