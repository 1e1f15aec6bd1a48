// What the owner of a watch may ask for, from any door: HTTP and the command line.
import { historyTarget } from '../../store/history.ts'
import {
  type Delivery,
  FORMATS,
  type Format,
  newWatchId,
  nothingChecked,
  type Watch,
  type WatchTerms,
} from '../../store/watches.ts'
import { parseTarget, requestFor, type Vetting } from '../../targets/target.ts'
import type { WatchEvent } from './event.ts'
import { everyText, LONGEST_EVERY_MS, readEvery } from './schedule.ts'
import { newSecret } from './signature.ts'
import { receiverLabel, type Webhooks } from './webhook.ts'

/** As written. */
export interface AskedWatch {
  readonly target: string
  readonly every?: string | undefined
  readonly notify: string
  readonly format?: string | undefined
}

export interface TermsOptions {
  readonly vetting: Vetting
  readonly webhooks: Pick<Webhooks, 'fault'>
  /** Shortest interval. */
  readonly least_ms: number
  readonly now: number
}

/** `fault` is a sentence that names what is wrong. */
export type NewWatch = { readonly ok: true; readonly watch: Watch } | { readonly ok: false; readonly fault: string }

export const DEFAULT_EVERY = '6h'
const DEFAULT_FORMAT: Format = 'json'

const refuse = (fault: string): NewWatch => ({ ok: false, fault })

/** The watch that was asked for, due at once. */
export function newWatch(
  asked: AskedWatch,
  owner: Pick<WatchTerms, 'account' | 'key'>,
  options: TermsOptions,
): NewWatch {
  const { vetting, webhooks, least_ms, now } = options
  const { every = DEFAULT_EVERY, format = DEFAULT_FORMAT, notify } = asked
  const requested = requestFor(asked.target)
  if (requested.url != null) return refuse('A watch is of a domain name or an IP address, not of a URL.')
  const parsed = parseTarget(requested, vetting)
  if (!parsed.ok) return refuse(parsed.detail)
  const every_ms = readEvery(every)
  const bounds = `${everyText(least_ms)} to ${everyText(LONGEST_EVERY_MS)}`
  if (every_ms === null || every_ms < least_ms || every_ms > LONGEST_EVERY_MS)
    return refuse(`The interval is not one of ${bounds}, written such as 90m, 6h or 1d.`)
  const isFormat = (text: string): text is Format => FORMATS.some(one => one === text)
  if (!isFormat(format)) return refuse(`The format is not one of ${FORMATS.join(', ')}.`)
  const fault = webhooks.fault(notify)
  if (fault !== null) return refuse(fault)
  const target = historyTarget(parsed.target)
  const terms = { id: newWatchId(), ...owner, target, every_ms, notify, format, secret: newSecret(), created: now }
  return { ok: true, watch: { ...terms, state: nothingChecked, next_at: now } }
}

const timeOf = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`
const timeOrNull = (ms: number | null): string | null => (ms === null ? null : timeOf(ms))

/** A watch as its owner sees it: without its secret, and without the path of the receiver, which may be one. */
export const shownWatch = ({ id, target, every_ms, notify, format, created, next_at, state }: Watch) => ({
  ...{ watch_id: id, target, every: everyText(every_ms), notify: receiverLabel(notify), format },
  created_at: timeOf(created),
  next_check_at: timeOrNull(next_at),
  last_result: state.last,
  last_failure: state.failure === null ? null : { code: state.failure.code, at: timeOf(state.failure.at) },
  stopped: state.stopped,
})

export type ShownWatch = ReturnType<typeof shownWatch>

/** One event on its way, as the owner of the watch sees it. */
export const shownDelivery = ({ id, type, event, created, state, attempt, next_at, last }: Delivery) => ({
  ...{ delivery_id: id, type, created_at: timeOf(created), state, attempts: attempt },
  next_attempt_at: state === 'pending' ? timeOrNull(next_at) : null,
  last_attempt: last === null ? null : { at: timeOf(last.at), status: last.status, failure: last.failure },
  event: JSON.parse(event) as WatchEvent,
})

export type ShownDelivery = ReturnType<typeof shownDelivery>
