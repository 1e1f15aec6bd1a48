// Where commands write to: the process's own streams, or a test's.

export interface Output {
  /** What was asked for. */
  readonly out: (text: string) => void
  /** What went wrong, and what is said beside the answer. */
  readonly err: (text: string) => void
}

export const terminal: Output = {
  out: text => void process.stdout.write(text),
  err: text => void process.stderr.write(text),
}
