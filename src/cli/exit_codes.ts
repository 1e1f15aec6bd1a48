// Exit codes, with the numbers of sysexits.h.

export const EXIT = {
  ok: 0,
  /** A result matched `--fail-on`. */
  failed_on: 1,
  /** The worst finding of `assay doctor`, as plugins of monitoring report it. */
  doctor_warned: 1,
  doctor_failed: 2,
  /** Invalid command line or target. */
  usage: 64,
  /** Some lines of the input are not valid targets; the others are checked. */
  input: 65,
  /** The store, the port or the service is unavailable. */
  unavailable: 69,
  /** Internal error. */
  internal: 70,
  /** A file could not be written. */
  cannot_create: 73,
  /** Nothing about the target could be checked at the moment. */
  temporary: 75,
  /** The service does not accept the key. */
  denied: 77,
  /** Invalid configuration; all errors are listed on standard error. */
  config: 78,
  /** The reader closed the output: the code that a shell reports for a process killed by SIGPIPE. */
  unread: 141,
} as const

/** What each exit code means, for `assay help exit-codes` and the manual page. */
export const EXIT_MEANINGS: readonly (readonly [code: string, meaning: string])[] = [
  ['0', 'done'],
  ['1', 'a result matched --fail-on; a warning of doctor'],
  ['2', 'doctor found something that failed'],
  ['64', 'invalid command line or target'],
  ['65', 'some of many targets are not valid (their records say why)'],
  ['69', 'the store, the port or the service is unavailable'],
  ['70', 'internal error'],
  ['73', 'a file could not be written'],
  ['75', 'nothing could be checked, or not every one of many targets; try again'],
  ['77', 'the service does not accept the key'],
  ['78', 'errors in the configuration (all are listed)'],
  ['130, 143', 'interrupted by SIGINT or SIGTERM'],
  ['141', 'the reader closed the output, as head does'],
]

export const EXIT_HELP = `Exit codes:
${EXIT_MEANINGS.map(([code, meaning]) => `  ${code.padEnd(8)}  ${meaning}`).join('\n')}
`

/** Ends the command with a message for people and a code for scripts. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}
