// Where commands write to: the process's own streams, or a test's.
import { CliError, EXIT } from './exit_codes.ts'

export interface Output {
  /** What was asked for. */
  readonly out: (text: string) => void
  /** What went wrong, and what is said beside the answer. */
  readonly err: (text: string) => void
  /** Columns of the terminal that `out` is; absent when it is none. */
  readonly columns?: number
  /** The terminal that `err` is; absent when it is none. */
  readonly screen?: NodeJS.WritableStream
  /** Resolves when what `out` was given is written; rejects with `CliError` when it cannot be, or nobody reads it any more. */
  readonly drained?: () => Promise<void>
}

const { stdout, stderr } = process

let failure: NodeJS.ErrnoException | null = null
let written: Promise<void> = Promise.resolve()

// Each write is told of its own failure; unheard, the event would end the process with a stack and a code that means something else.
stdout.on('error', () => {})
stderr.on('error', () => {})

export const terminal: Output = {
  out(text) {
    written = new Promise(resolve => {
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
    await written
    if (failure === null) return
    if (failure.code === 'EPIPE') throw new CliError(EXIT.unread, 'nobody reads the output any more')
    throw new CliError(EXIT.cannot_create, `cannot write the output: ${failure.message}`)
  },
}
