// How the command ends, in the numbers of sysexits.h.

export const EXIT = {
  ok: 0,
  /** `--fail-on`: a verdict was as bad as that, or something changed as told. */
  failed_on: 1,
  /** The command line was wrong, or the target is none. */
  usage: 64,
  /** Some lines of the input name no target; the others are checked. */
  input: 65,
  /** The store could not be used, or the port not be had. */
  unavailable: 69,
  /** A defect of ours. */
  internal: 70,
  /** A file could not be written. */
  cannot_create: 73,
  /** Nothing about the target could be looked at just now. */
  temporary: 75,
  /** The configuration has faults; all of them are on standard error. */
  config: 78,
  /** Nobody reads the output any more: what a shell reports for a process that SIGPIPE ended. */
  unread: 141,
} as const

export const EXIT_HELP = `Exit codes:
  0   done
  1   what --fail-on names was found
  64  wrong command line, or no such target
  65  some lines of --input name no target (their records say why)
  69  the store or the port could not be used
  70  a defect in assay
  73  a file could not be written
  75  nothing could be looked at, or not everything of --input; try again
  78  faults in the configuration (all are listed)
  130, 143  interrupted by SIGINT or SIGTERM
  141 whoever read the output stopped reading, such as head`

/** Ends the command with a message for people and a code for scripts. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}
