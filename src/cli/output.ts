// Where commands write to: the streams of the process, the streams of a test, or files.

import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeDirectory } from '../base/files.ts'
import { CliError, EXIT } from './exit_codes.ts'

export interface Output {
  /** Writes the result of the command. */
  readonly out: (text: string) => void
  /** Writes errors and notices. */
  readonly err: (text: string) => void
  /** Columns of the terminal behind `out`; absent when there is none. */
  readonly columns?: number
  /** The terminal behind `err`; absent when there is none. */
  readonly screen?: NodeJS.WritableStream
  /** Resolves when everything passed to `out` is written; rejects with `CliError` when that fails or the reader closed the output. */
  readonly drained?: () => Promise<void>
}

const { stdout, stderr } = process

let failure: NodeJS.ErrnoException | null = null
let lastWrite: Promise<void> = Promise.resolve()

// Each write handles its own failure. Without a listener, the event would end the process with a stack and another exit code.
stdout.on('error', () => {})
stderr.on('error', () => {})

export const terminal: Output = {
  out(text) {
    lastWrite = new Promise(resolve => {
      stdout.write(text, error => {
        failure ??= error ?? null
        resolve()
      })
    })
  },
  err: text => void stderr.write(text),
  ...(stdout.isTTY ? { columns: stdout.columns } : {}),
  ...(stderr.isTTY ? { screen: stderr } : {}),
  async drained() {
    await lastWrite
    if (failure === null) return
    if (failure.code === 'EPIPE') throw new CliError(EXIT.unread, 'the reader closed the output')
    throw new CliError(EXIT.cannot_create, `cannot write the output: ${failure.message}`)
  },
}

/** Replaces the file; creates its directory when it is missing. With `mode`, an existing file gets that mode too. */
export function writeText(file: string, text: string, mode?: number): void {
  try {
    makeDirectory(dirname(file))
    if (mode !== undefined && existsSync(file)) chmodSync(file, mode)
    writeFileSync(file, text, { mode })
  } catch (error) {
    throw new CliError(EXIT.cannot_create, `cannot write ${file}: ${error instanceof Error ? error.message : error}`)
  }
}
