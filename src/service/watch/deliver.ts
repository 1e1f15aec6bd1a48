// One attempt to deliver one event. It is written down before it begins, so that after a crash the event is sent again under
// the same ID and a higher number, and the receiver can tell.
import type { Clock } from '../../base/clock.ts'
import type { Watches } from '../../store/sql/watches.ts'
import type { Delivery, Format, Outcome, Watch } from '../../store/watches.ts'
import { addressFor, bodyFor } from './event.ts'
import { MAIL_MS, type WatchMail } from './mail.ts'
import { nextAttempt } from './schedule.ts'
import { signatureHeaders } from './signature.ts'
import type { WebhookAnswer, Webhooks } from './webhook.ts'

/** Milliseconds after which an attempt without an outcome was cut off: no attempt takes that long. */
export const CUT_OFF_MS = MAIL_MS + 5_000

export type AttemptEnd = 'delivered' | 'failed' | 'dead'

export interface DeliverOptions {
  readonly store: Pick<Watches, 'get' | 'claim' | 'settle' | 'stop'>
  readonly webhooks: Pick<Webhooks, 'send'>
  readonly mail: Pick<WatchMail, 'send'>
  readonly clock: Clock
  /** As `CUT_OFF_MS`, which is the default. */
  readonly cut_off_ms?: number
  /** Uniform in [0, 1). */
  readonly random?: () => number
}

/** What an attempt led to, for logs and metrics. */
export interface DeliveryAttempt {
  readonly watch: string
  readonly delivery: string
  readonly attempt: number
  readonly end: AttemptEnd
  readonly status: number | null
  readonly failure: string | null
}

/** The receiver will never accept anything again (RFC 9110 section 15.5.11). */
const GONE = 410

/** Resolves with null when another process began the attempt, or when the watch was removed: then nothing is due. */
export async function deliver(
  { store, webhooks, mail, clock, cut_off_ms = CUT_OFF_MS, random = Math.random }: DeliverOptions,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<DeliveryAttempt | null> {
  const { id, attempt: before } = delivery
  const watch = await store.get(delivery.watch)
  if (!(await store.claim(id, before, clock.now() + cut_off_ms))) return null
  const attempt = before + 1
  if (watch === null) {
    const last = { at: clock.now(), status: null, failure: 'watch_gone' }
    await store.settle(id, attempt, { state: 'dead', failed: delivery.failed, next_at: null, last })
    return null
  }
  const answer = await send({ webhooks, mail }, { watch, delivery, attempt, now: clock.now(), signal })
  // The process is about to end: whether it arrived is not known, so it is sent again.
  if (signal.aborted && answer.failure !== null) return null
  const outcome = outcomeOf(delivery, answer, clock.now(), random())
  await store.settle(id, attempt, outcome)
  if (answer.status === GONE) await store.stop(watch.id, 'receiver-gone')
  const { status, failure } = answer
  const end = outcome.state === 'pending' ? 'failed' : outcome.state
  return { watch: watch.id, delivery: id, attempt, end, status, failure }
}

interface SentAttempt {
  readonly watch: Watch
  readonly delivery: Delivery
  readonly attempt: number
  readonly now: number
  readonly signal: AbortSignal
}

/** What a webhook or a mail server answered. */
type ReceiverAnswer = WebhookAnswer & { readonly isFinal?: boolean }

async function send(
  { webhooks, mail }: Pick<DeliverOptions, 'webhooks' | 'mail'>,
  attempt: SentAttempt,
): Promise<ReceiverAnswer> {
  const { watch, delivery, signal, now } = attempt
  const { format } = watch
  if (format !== 'email') return webhooks.send({ ...requestOf({ ...watch, format }, attempt), signal })
  const { code: status, failure, isFinal } = await mail.send(watch, delivery, { now, signal })
  return { status, failure, isFinal, retry_after_ms: 0 }
}

function requestOf(
  { notify, secret, format }: Pick<Watch, 'notify' | 'secret'> & { readonly format: Exclude<Format, 'email'> },
  { delivery: { id, event }, attempt, now }: SentAttempt,
) {
  const body = bodyFor(format, JSON.parse(event), notify)
  const headers = { ...signatureHeaders(secret, { id, now, body }), 'webhook-attempt': `${attempt}` }
  return { url: addressFor(format, notify), body, headers }
}

function outcomeOf(
  { type, failed: before }: Delivery,
  { status, failure, retry_after_ms, isFinal = false }: ReceiverAnswer,
  at: number,
  random: number,
): Outcome {
  const last = { at, status, failure }
  if (failure === null) return { state: 'delivered', failed: 0, next_at: null, last }
  const failures = before + 1
  // Somebody waits for the outcome of a test.
  const isLast = isFinal || status === GONE || type === 'watch.test'
  const nextAt = isLast ? null : nextAttempt(failures, at, random, retry_after_ms)
  return { state: nextAt === null ? 'dead' : 'pending', failed: failures, next_at: nextAt, last }
}
