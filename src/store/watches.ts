// Watches and the events that they have to deliver, as the store holds them. An event is written in the same transaction as
// the state that caused it, and delivered afterwards: whenever the process dies, it is neither lost nor made twice.
import { randomBytes } from 'node:crypto'
import { storedObject } from './stored_object.ts'

export const FORMATS = ['json', 'slack', 'teams', 'discord', 'ntfy', 'matrix', 'email'] as const
export type Format = (typeof FORMATS)[number]

export type EventType = 'watch.changed' | 'watch.test'

/** The result that an event is about. */
export interface LastCheck {
  /** Null when results are not kept. */
  readonly result_id: string | null
  readonly checked_at: string
  readonly risk_score: number
  readonly verdict: string
  readonly recommendation: string
  /** A sentence. */
  readonly recommendation_reason: string
}

/** What is known of a target: of each matter the last value that was seen, whenever that was. Plain data. */
export interface Facts {
  /** By path of the rule. */
  readonly values: Readonly<Record<string, unknown>>
  /** Sections that were seen when the judgement was made. */
  readonly seen: readonly string[]
  readonly scoring_policy: unknown
  /** Networks of its addresses, latest last: of the operator (`AS64500`) where it is known, otherwise `192.0.2.0/24`. */
  readonly networks: readonly string[]
  /** The last certificate with a reported expiry, and the days that the report stated. */
  readonly expiry: Expiry | null
  /** The same of what else expires, by path; absent in what an earlier version stored. */
  readonly expiries?: Readonly<Record<string, Expiry>>
}

/** A date, and the days before it at which it was reported. */
export interface Expiry {
  readonly at: string
  readonly days: number
}

/** What its owner chose. */
export interface WatchTerms {
  readonly id: string
  readonly account: string
  /** The key that created it; another of the account takes its place when it ends. */
  readonly key: string
  /** A domain name or an address in canonical form. */
  readonly target: string
  readonly every_ms: number
  /** URL of the receiver, which may hold a secret of the receiver; `mailto:` and an address for e-mail. */
  readonly notify: string
  readonly format: Format
  /** Signs the requests: `whsec_…`. */
  readonly secret: string
  /** Whether new look-alikes of the name are reported; absent in what an earlier version stored, as the next. */
  readonly lookalikes?: boolean
  /** Whether changes are collected and sent once a day. */
  readonly digest?: boolean
  /** Milliseconds since the Unix epoch, as all times here. */
  readonly created: number
}

/** What the checks found. */
export interface WatchState {
  readonly last: LastCheck | null
  readonly facts: Facts | null
  /** Why the last check has no result. */
  readonly failure: { readonly code: string; readonly at: number } | null
  /** Why no more checks are made. */
  readonly stopped: 'receiver-gone' | null
  /** The look-alikes that existed, and when they were looked for; absent before the first search. */
  readonly lookalikes?: { readonly known: readonly string[]; readonly at: number }
  /** Until when a matter is not reported. */
  readonly silenced?: Readonly<Record<string, number>>
  /** Changes since the last digest, and when that was. */
  readonly digest?: { readonly changes: readonly unknown[]; readonly at: number }
}

export interface Watch extends WatchTerms {
  readonly state: WatchState
  /** When the next check is due; null when no more are. */
  readonly next_at: number | null
}

export type DeliveryState = 'pending' | 'delivered' | 'dead'

/** The outcome of an attempt. */
export interface Attempt {
  readonly at: number
  /** The status of the response; null without one. */
  readonly status: number | null
  /** A slug; null when the receiver accepted it. */
  readonly failure: string | null
}

/** One event on its way to the receiver. Its ID is that of the webhook message. */
export interface Delivery {
  readonly id: string
  readonly watch: string
  readonly account: string
  readonly type: EventType
  /** The event as JSON. */
  readonly event: string
  readonly created: number
  readonly state: DeliveryState
  /** Attempts begun so far, those included that a crash cut off. */
  readonly attempt: number
  /** Attempts of the present round that failed: the place in the schedule. */
  readonly failed: number
  /** When the next attempt is due; null when none is. */
  readonly next_at: number | null
  readonly last: Attempt | null
}

/** What an attempt leaves: the outcome, and whether another one follows. */
export type Outcome = Pick<Delivery, 'state' | 'failed' | 'next_at'> & { readonly last: Attempt }

/** The outcome of a check. */
export interface CheckedWatch {
  readonly state: WatchState
  readonly next_at: number
  readonly delivery: Delivery | null
}

/**
 * Milliseconds that no check and no attempt is planned ahead. What is due later than that was planned by a clock that was wrong, and
 * is due now: it would be silent for as long as the clock was ahead.
 */
export const FARTHEST_MS = 40 * 86_400_000

const TEXTS = ['id', 'account', 'key', 'target', 'notify', 'format', 'secret'] as const

/** A stored watch. Null when the row is damaged: one of them must not stop the others. */
export function readWatch(terms: string, state: string, nextAt: number | null): Watch | null {
  const [termsObject, stateObject] = [storedObject(terms), storedObject(state)]
  if (termsObject === null || stateObject === null || TEXTS.some(name => typeof termsObject[name] !== 'string'))
    return null
  if (!Number.isFinite(termsObject['every_ms']) || !Number.isFinite(termsObject['created'])) return null
  return { ...(termsObject as unknown as WatchTerms), state: stateObject as unknown as WatchState, next_at: nextAt }
}

/** A stored delivery, with its last attempt as JSON. Null when the row is damaged. */
export function readDelivery(row: Omit<Delivery, 'last'> & { readonly last: string | null }): Delivery | null {
  const data = storedObject(row.event)?.['data']
  const last = row.last === null ? null : (storedObject(row.last) as Attempt | null)
  if (data === null || typeof data !== 'object' || (row.last !== null && last === null)) return null
  return Number.isFinite(row.attempt) && Number.isFinite(row.failed) ? { ...row, last } : null
}

/** How long settled deliveries are kept, and how many of a watch. */
export const KEPT_DELIVERIES = { ms: 30 * 86_400_000, count: 100 } as const

export const nothingChecked: WatchState = { last: null, facts: null, failure: null, stopped: null }

const ID_OCTETS = 12
export const newWatchId = (): string => `watch_${randomBytes(ID_OCTETS).toString('base64url')}`
export const isWatchId = (text: string): boolean => /^watch_[A-Za-z0-9_-]{16}$/.test(text)

export const newDeliveryId = (): string => `msg_${randomBytes(ID_OCTETS).toString('base64url')}`
export const isDeliveryId = (text: string): boolean => /^msg_[A-Za-z0-9_-]{16}$/.test(text)
