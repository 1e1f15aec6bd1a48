// How a run over many names ends: what is said, and the exit code.
import type { Ran } from '../bulk/run.ts'
import { done, type Tally } from '../bulk/tally.ts'
import { CliError, EXIT } from './exit_codes.ts'
import { SIGNAL_CODES } from './interruption.ts'
import type { ManyOptions } from './many_options.ts'

/** What the results as a whole hold, earlier runs included. */
export interface Seen {
  suspicious: number
  malicious: number
  weakened: number
  unavailable: number
  /** Targets whose check had a defect of ours. */
  broken: number
  /** Lines that name no target. */
  invalid: number
}

export const newSeen = (): Seen => ({ suspicious: 0, malicious: 0, weakened: 0, unavailable: 0, broken: 0, invalid: 0 })

export function settledText(tally: Tally): string {
  const { written, verdicts, settled, duplicates, invalid, unavailable, broken } = tally
  const parts = [
    `${written} of ${tally.lines} written (${verdicts.malicious} malicious, ${verdicts.suspicious} suspicious, ${verdicts.safe} safe)`,
    ...(settled > 0 ? [`${settled} settled before`] : []),
    ...(duplicates > 0 ? [`${duplicates} said twice`] : []),
    ...(invalid > 0 ? [`${invalid} name no target`] : []),
    ...(unavailable > 0 ? [`${unavailable} could not be looked at`] : []),
    ...(broken > 0 ? [`${broken} broke`] : []),
  ]
  return parts.join(', ')
}

interface Ending {
  readonly ran: Ran
  readonly seen: Seen
  readonly by: keyof typeof SIGNAL_CODES | null
  readonly options: ManyOptions
}

/** Throws what ends the command; returns when all is well. The gravest comes first. */
export function ending({ ran, seen, by, options }: Ending): void {
  const again = options.output === undefined ? '' : '; the same command goes on from here'
  if (by !== null) {
    throw new CliError(
      SIGNAL_CODES[by],
      `interrupted after ${done(ran.tally)} of ${ran.tally.lines} lines read${again}`,
    )
  }
  if (ran.ended === 'blind') {
    const message = 'one name after another could not be looked at (is the resolver or the network down?)'
    throw new CliError(EXIT.temporary, `${message}${again}`)
  }
  const reached = options.failOn === undefined ? 0 : failing(seen, options.failOn)
  if (reached > 0)
    throw new CliError(EXIT.failed_on, `${reached} ${reached === 1 ? 'target' : 'targets'} ${options.failOn}`)
  if (seen.broken > 0) {
    const checks = seen.broken === 1 ? 'check' : 'checks'
    throw new CliError(EXIT.internal, `${seen.broken} ${checks} broke; the same command tries them again`)
  }
  if (seen.unavailable > 0) {
    throw new CliError(EXIT.temporary, `${seen.unavailable} could not be looked at; the same command tries them again`)
  }
  if (seen.invalid > 0) {
    throw new CliError(EXIT.input, `${seen.invalid} ${seen.invalid === 1 ? 'line names' : 'lines name'} no target`)
  }
}

const failing = ({ suspicious, malicious, weakened }: Seen, what: NonNullable<ManyOptions['failOn']>): number =>
  ({ suspicious: suspicious + malicious, malicious, weakened })[what]
