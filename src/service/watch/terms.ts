// What the owner of a watch may ask for, from any door: HTTP and the command line.
import { Type } from 'typebox'
import { nullable } from '../../base/nullable.ts'
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
import { closed, type ShapeOf, time } from '../shapes.ts'
import { EVENT_TYPES, topicOf, WatchEvent, WatchedResult } from './event.ts'
import { isMailAddress, mailReceiver, type WatchMail } from './mail.ts'
import { MATTERS } from './matters.ts'
import { everyText, LONGEST_EVERY_MS, readEvery } from './schedule.ts'
import { newSecret } from './signature.ts'
import { receiverLabel, type Webhooks } from './webhook.ts'

export const DEFAULT_EVERY = '6h'
const DEFAULT_FORMAT: Format = 'json'

const TERMS = {
  every: Type.Optional(
    Type.String({
      default: DEFAULT_EVERY,
      description: 'The interval between two checks, at least `watch.least_minutes`.',
    }),
  ),
  notify: Type.String({
    description:
      'The https URL that receives webhooks, or `mailto:` and an address of a domain that the operator allows.',
  }),
  format: Type.Optional(
    Type.Enum([...FORMATS], {
      description:
        'The body: the event (`json`, the default), or a message for Slack, Teams, Discord, ntfy or Matrix (hookshot). An e-mail is always `email`.',
    }),
  ),
  lookalikes: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Whether new look-alikes of the target, which must be a domain name, are reported. The likeliest are judged, and each judgement counts.',
    }),
  ),
  digest: Type.Optional(
    Type.Boolean({ default: false, description: 'Whether changes are collected and sent once a day.' }),
  ),
}

/** As written. */
export const AskedWatch = Type.Object(
  { target: Type.String({ description: 'A domain name or an IP address.' }), ...TERMS },
  closed,
)

/** Targets of one request. */
const TARGETS = 100

/** The same watch of several targets. */
export const AskedWatches = Type.Object(
  {
    targets: Type.Array(Type.String(), {
      minItems: 1,
      maxItems: TARGETS,
      description: 'Domain names and IP addresses. When one is not valid, none is watched.',
    }),
    ...TERMS,
  },
  closed,
)

/** Changes that the owner silenced. */
export const AskedSilence = Type.Object(
  {
    matter: Type.Enum([...MATTERS]),
    until: nullable(
      Type.String({
        format: 'date-time',
        pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$',
        examples: ['2026-12-24T00:00:00Z'],
        description: 'Until when it is not reported, in UTC; null reports it again.',
      }),
    ),
  },
  closed,
)
/** Whoever has not validated it may ask for any format. */
type AskedWatch = Omit<ShapeOf<typeof AskedWatch>, 'format'> & { readonly format?: string | undefined }

export interface TermsOptions {
  readonly vetting: Vetting
  readonly webhooks: Pick<Webhooks, 'fault'>
  readonly mail: Pick<WatchMail, 'recipient'>
  /** Shortest interval. */
  readonly least_ms: number
  readonly now: number
}

/** `fault` is a sentence that names what is wrong. */
export type NewWatch = { readonly ok: true; readonly watch: Watch } | { readonly ok: false; readonly fault: string }

const refuse = (fault: string): NewWatch => ({ ok: false, fault })

/** The watch that was asked for, due at once. */
export function newWatch(
  request: AskedWatch,
  owner: Pick<WatchTerms, 'account' | 'key'>,
  options: TermsOptions,
): NewWatch {
  const { vetting, least_ms, now } = options
  const { every = DEFAULT_EVERY, lookalikes = false, digest = false } = request
  const targetRequest = requestFor(request.target)
  if (targetRequest.url != null) return refuse('A watch is of a domain name or an IP address, not of a URL.')
  const parsed = parseTarget(targetRequest, vetting)
  if (!parsed.ok) return refuse(parsed.detail)
  const everyMs = readEvery(every)
  const bounds = `${everyText(least_ms)} to ${everyText(LONGEST_EVERY_MS)}`
  if (everyMs === null || everyMs < least_ms || everyMs > LONGEST_EVERY_MS)
    return refuse(`The interval is not one of ${bounds}, written such as 90m, 6h or 1d.`)
  const receiver = receiverOf(request, options)
  if (!receiver.ok) return receiver
  const { notify, format } = receiver
  if (lookalikes && parsed.target.domain === null) return refuse('Only a domain name has look-alikes.')
  const target = historyTarget(parsed.target)
  const terms = {
    id: newWatchId(),
    ...owner,
    target,
    every_ms: everyMs,
    notify,
    format,
    secret: newSecret(),
    created: now,
    lookalikes,
    digest,
  }
  return { ok: true, watch: { ...terms, state: nothingChecked, next_at: now } }
}

type Receiver =
  | { readonly ok: true; readonly notify: string; readonly format: Format }
  | { readonly ok: false; readonly fault: string }

const isFormat = (text: string): text is Format => FORMATS.some(one => one === text)

function receiverOf({ notify, format: formatName }: AskedWatch, { webhooks, mail }: TermsOptions): Receiver {
  const isMail = isMailAddress(notify)
  const format = formatName ?? (isMail ? 'email' : DEFAULT_FORMAT)
  if (!isFormat(format)) return { ok: false, fault: `The format is not one of ${FORMATS.join(', ')}.` }
  if (isMail !== (format === 'email'))
    return {
      ok: false,
      fault: 'The format email is for a receiver such as mailto:alerts@example.com, and for no other.',
    }
  if (isMail) {
    const recipient = mail.recipient(notify)
    return recipient.ok ? { ok: true, notify: mailReceiver(recipient.address), format } : recipient
  }
  const fault = webhooks.fault(notify)
  if (fault !== null) return { ok: false, fault }
  if (format === 'ntfy' && topicOf(notify) === null)
    return { ok: false, fault: 'The URL of a topic of ntfy ends with its name, such as https://ntfy.sh/my-topic.' }
  return { ok: true, notify, format }
}

const timeOf = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`
const timeOrNull = (ms: number | null): string | null => (ms === null ? null : timeOf(ms))

const watch = {
  watch_id: Type.String(),
  target: Type.String({ description: 'The domain name or address, in canonical form.' }),
  every: Type.String({ description: 'The interval between two checks: 90m, 6h, 1d.' }),
  notify: Type.String({
    description:
      'The origin of the receiver; the rest of its URL may be a secret and is not shown. Of an e-mail address, the domain.',
  }),
  format: Type.Enum([...FORMATS]),
  lookalikes: Type.Boolean({ description: 'Whether new look-alikes are reported.' }),
  digest: Type.Boolean({ description: 'Whether changes are sent once a day.' }),
  silenced: Type.Array(Type.Object({ matter: Type.Enum([...MATTERS]), until: time('Until when.') }, closed), {
    description: 'What is not reported at present.',
  }),
  created_at: time('When it was created.'),
  next_check_at: nullable(time('When the next check is due; null when no more are made.')),
  last_result: nullable(WatchedResult, { description: 'The last result; null before the first.' }),
  last_failure: nullable(Type.Object({ code: Type.String(), at: time('When.') }, closed), {
    description: 'Why the last check has no result, such as `quota-exceeded` or `no-valid-key`.',
  }),
  stopped: nullable(Type.Enum(['receiver-gone']), {
    description: '`receiver-gone`: the receiver answered 410, so nothing is checked any more.',
  }),
}

/** A watch as its owner sees it: without its secret, and without the path of the receiver, which may be one. */
export const ShownWatch = Type.Object(watch, closed)
export type ShownWatch = ShapeOf<typeof ShownWatch>

/** The same when it is created, with its secret. */
export const CreatedWatch = Type.Object(
  {
    ...watch,
    secret: Type.String({ description: 'Signs the webhooks (`whsec_…`). It is shown once and never returned again.' }),
  },
  closed,
)

export const shownWatch = (watch: Watch): ShownWatch => {
  const { id, target, every_ms, notify, format, created, next_at, state, lookalikes = false, digest = false } = watch
  const { silenced = {} } = state
  return {
    watch_id: id,
    target,
    every: everyText(every_ms),
    notify: receiverLabel(notify),
    format,
    lookalikes,
    digest,
    silenced: MATTERS.flatMap(matter => {
      const until = silenced[matter]
      return until === undefined ? [] : [{ matter, until: timeOf(until) }]
    }),
    created_at: timeOf(created),
    next_check_at: timeOrNull(next_at),
    last_result: state.last,
    last_failure: state.failure === null ? null : { code: state.failure.code, at: timeOf(state.failure.at) },
    stopped: state.stopped,
  }
}

/** One event on its way, as the owner of the watch sees it. */
export const ShownDelivery = Type.Object(
  {
    delivery_id: Type.String({ description: 'Also the header `webhook-id` of each attempt.' }),
    type: Type.Enum([...EVENT_TYPES]),
    created_at: time('When the event was found.'),
    state: Type.Enum(['pending', 'delivered', 'dead'], { description: '`dead`: given up after the last attempt.' }),
    attempts: Type.Integer({ minimum: 0 }),
    next_attempt_at: nullable(time('When the next attempt is due.')),
    last_attempt: nullable(
      Type.Object(
        {
          at: time('When.'),
          status: nullable(Type.Integer({ description: 'Status of the response.' })),
          failure: nullable(Type.String({ description: 'Why it failed, such as `timeout` or `status_500`.' })),
        },
        closed,
      ),
    ),
    event: WatchEvent,
  },
  closed,
)
export type ShownDelivery = ShapeOf<typeof ShownDelivery>

export const shownDelivery = (delivery: Delivery): ShownDelivery => {
  const { id, type, event, created, state, attempt, next_at, last } = delivery
  return {
    delivery_id: id,
    type,
    created_at: timeOf(created),
    state,
    attempts: attempt,
    next_attempt_at: state === 'pending' ? timeOrNull(next_at) : null,
    last_attempt: last === null ? null : { at: timeOf(last.at), status: last.status, failure: last.failure },
    event: JSON.parse(event) as WatchEvent,
  }
}
