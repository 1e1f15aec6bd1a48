// How the command ends, in the numbers of sysexits.h.

export const EXIT = {
  ok: 0,
  /** `check --fail-on`: the verdict was as bad as that, or worse. */
  failed_on: 1,
  /** The command line was wrong, or the target is none. */
  usage: 64,
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
} as const

export const EXIT_HELP = `Exit codes:
  0   done
  1   the verdict reached --fail-on
  64  wrong command line, or no such target
  69  the store or the port could not be used
  70  a defect in assay
  73  a file could not be written
  75  nothing could be looked at; try again
  78  faults in the configuration (all are listed)`

/** Ends the command with a message for people and a code for scripts. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}
