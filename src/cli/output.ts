// Where commands write to: the process's own streams, or a test's.
import { once } from 'node:events'

export interface Output {
  /** What was asked for. */
  readonly out: (text: string) => void
  /** What went wrong, and what is said beside the answer. */
  readonly err: (text: string) => void
  /** Columns of the terminal that `out` is; absent when it is none. */
  readonly columns?: number
  /** The terminal that `err` is; absent when it is none. */
  readonly screen?: NodeJS.WritableStream
  /** Resolves when `out` takes more; rejects when nobody reads it any more. */
  readonly drained?: () => Promise<void>
}

const { stdout, stderr } = process

export const terminal: Output = {
  out: text => void stdout.write(text),
  err: text => void stderr.write(text),
  ...(stdout.isTTY ? { columns: stdout.columns } : {}),
  ...(stderr.isTTY ? { screen: stderr } : {}),
  async drained() {
    if (stdout.writableNeedDrain) await once(stdout, 'drain')
  },
}
