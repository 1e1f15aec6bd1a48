// Signals that came and went between two checks.
import type { Change } from './change.ts'
import { isBlocked, type Result, sectionsOf, wholly } from './known.ts'

interface Signal {
  readonly id: string
  readonly section: string
  readonly points: number
  readonly title: string
}

const isSignal = (one: Partial<Signal> | null): one is Signal =>
  [one?.id, one?.section, one?.title].every(text => typeof text === 'string') && typeof one?.points === 'number'

/** A signal that is not there is known to be absent only when its section was wholly looked at. */
export function signalChanges(before: Result, after: Result): Change[] {
  const list = (result: Result) => {
    const details = result['signal_details']
    return Array.isArray(details) ? details.filter(isSignal) : []
  }
  const [was, is] = [list(before), list(after)]
  const lacks = (all: readonly Signal[], result: Result) => (one: Signal) =>
    all.every(({ id }) => id !== one.id) && settledSection(result, one.section)
  const came = is.filter(lacks(was, before)).map(one => signalChange(one, 'new'))
  const went = was.filter(lacks(is, after)).map(one => signalChange(one, 'gone'))
  return [...came, ...went]
}

const settledSection = (result: Result, section: string) =>
  (wholly(result, section) && !isBlocked(result, section)) || sectionsOf(result)[section]?.status === 'not_applicable'

function signalChange({ id, points, title }: Signal, what: 'new' | 'gone'): Change {
  const worse = what === 'new' ? points > 0 : points < 0
  const severity = points === 0 ? 'changed' : worse ? 'weakened' : 'strengthened'
  const [before, after] = what === 'new' ? [null, points] : [points, null]
  const message = `${what === 'new' ? 'New signal' : 'Signal gone'}: ${title} (${id}, ${points} points)`
  return { path: `signals.${id}`, severity, message, before, after }
}
