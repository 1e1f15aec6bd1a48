// Signals that came and went between two checks, and those that mean more or less than before.
import { SEVERITIES, type Severity, severityRank } from '../scoring/severity.ts'
import type { Change } from './change.ts'
import { isBlocked, type Result, sectionsOf, wholly } from './known.ts'

interface Signal {
  readonly id: string
  readonly section: string
  readonly points: number
  readonly title: string
  /** Absent in results of earlier versions. */
  readonly severity?: Severity
}

const isSignal = (one: Partial<Signal> | null): one is Signal =>
  [one?.id, one?.section, one?.title].every(text => typeof text === 'string') && typeof one?.points === 'number'

/** A severity that nobody knows is none. */
const readable = (one: Signal): Signal => {
  const { severity, ...rest } = one
  return severity !== undefined && SEVERITIES.includes(severity) ? one : rest
}

/** A signal that is not there is known to be absent only when its section was wholly looked at. */
export function signalChanges(before: Result, after: Result): Change[] {
  const list = (result: Result) => {
    const details = result['signal_details']
    return Array.isArray(details) ? details.filter(isSignal).map(readable) : []
  }
  const [was, is] = [list(before), list(after)]
  const lacks = (all: readonly Signal[], result: Result) => (one: Signal) =>
    all.every(({ id }) => id !== one.id) && settledSection(result, one.section)
  const came = is.filter(lacks(was, before)).map(one => signalChange(one, 'new'))
  const went = was.filter(lacks(is, after)).map(one => signalChange(one, 'gone'))
  const rated = is.flatMap(one => severityChange(was.find(({ id }) => id === one.id)?.severity, one))
  return [...came, ...went, ...rated]
}

const settledSection = (result: Result, section: string) =>
  (wholly(result, section) && !isBlocked(result, section)) || sectionsOf(result)[section]?.status === 'not_applicable'

/** A fault is one whatever a ceiling left of its points; `info` speaks for the target where it takes points off. */
function signalChange(signal: Signal, what: 'new' | 'gone'): Change {
  const { id, points, title, severity } = signal
  const isFault = severity === undefined ? points > 0 : severity !== 'info'
  const isPraise = !isFault && points < 0
  const worse = what === 'new' ? isFault : isPraise
  const change = !isFault && !isPraise ? 'changed' : worse ? 'weakened' : 'strengthened'
  const [before, after] = what === 'new' ? [null, points] : [points, null]
  const rated = severity === undefined ? '' : `${severity}, `
  const message = `${what === 'new' ? 'New signal' : 'Signal gone'}: ${title} (${id}, ${rated}${points} points)`
  return { path: `signals.${id}`, severity: change, message, before, after }
}

/** Another severity is another setting or version of the service, and no change of the target. */
function severityChange(before: Severity | undefined, { id, title, severity: after }: Signal): Change[] {
  if (before === undefined || after === undefined || severityRank(before) === severityRank(after)) return []
  const message = `Severity of ${title} (${id}): ${before} → ${after}`
  return [{ path: `signals.${id}.severity`, severity: 'changed', message, before, after }]
}
