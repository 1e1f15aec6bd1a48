// The check operation over HTTP: authenticate, parse the target, get the answer, respond.
import { Type } from 'typebox'
import type { Clock } from '../../base/clock.ts'
import type { AskedSelection, Selector } from '../../engine/selection.ts'
import { emailFacts } from '../../results/email.ts'
import { type ExchangeOptions, exchangeText } from '../../results/exchange/formats.ts'
import { endOfBody, finishBody } from '../../store/result_body.ts'
import { isPair } from '../../targets/target.ts'
import { type Answers, resultOf } from './answers.ts'
import type { Callers } from './callers.ts'
import { type Coding, compressedResult } from './compression.ts'
import { answerForm, describedFormats, describedSelection, selectOf } from './negotiation.ts'
import { eventStream, reportEvent, resultEvent } from './progress.ts'
import type { Context, EventStream } from './request_state.ts'
import { openStream, sendExchanged, sendResult } from './respond.ts'
import type { Handlers, Operations } from './routes.ts'
import { CheckQuery } from './target_reader.ts'

/** Placeholder for the result in answers: its schema is built from the schemas of the loaded plugins. */
export const CheckResult = Type.Record(Type.String(), Type.Unknown())

/** Refusals of a target. */
export const TARGET_PROBLEMS = ['invalid-domain', 'invalid-ip', 'target-not-checkable', 'target-not-public'] as const

export const checkOperations = {
  check: {
    method: 'GET',
    path: '/api/v1/check',
    summary: 'Check a domain name, an IP address or a URL',
    description: `One of domain, ip, url and email is required; with domain and ip, the domain is analysed at that address. With url, \
the page sections describe that page; name, address, DNS, mail and certificate sections describe its host. Every result counts against the quota, cached or not. HEAD works like GET, without the body. A response arrives within 10 seconds. Results are \
application/json, also without an Accept header; format or Accept selects STIX or MISP, and Accept: text/event-stream adds progress events.`,
    query: CheckQuery,
    headers: Type.Object({
      'X-Request-Id': Type.Optional(
        Type.String({
          description: 'Up to 64 letters, digits, hyphens and underscores. The response returns it.',
        }),
      ),
    }),
    answer: {
      status: 200,
      description: 'The check result.',
      schema: CheckResult,
      headers: Type.Object({
        'X-Cache': Type.Enum(['HIT', 'MISS'], { description: 'Whether the result was cached.' }),
      }),
    },
    problems: [
      ...([
        'missing-target',
        'conflicting-targets',
        'invalid-parameter',
        'invalid-url',
        'invalid-email',
        'not-acceptable',
      ] as const),
      ...TARGET_PROBLEMS,
      ...(['quota-exceeded', 'overloaded', 'target-busy', 'analysis-unavailable'] as const),
    ],
    extensions: {
      'x-event-stream': eventStream,
      // A second schema of the 200 would make generated clients type every response as a union.
      'x-report': {
        description:
          'With `format=report`, the answer is a Report: a view of the result for people, in the order in which they read it and in plain words. It may change with any version.',
        schema: { $ref: '#/components/schemas/Report' },
      },
      'x-formats': describedFormats,
      'x-selection': describedSelection,
    },
  },
} as const satisfies Operations

export interface CheckHandlerOptions {
  readonly callers: Pick<Callers, 'authenticate' | 'account'>
  readonly answers: Answers
  /** Makes the report of a result; without it every answer is the result. */
  readonly reportOf?: ReportOf | undefined
  /** Knows the fields of results. */
  readonly selector: Selector
  /** Names of lists of disposable e-mail domains. */
  readonly disposable_lists?: readonly string[] | undefined
  /** For results in other formats. */
  readonly exchange: ExchangeOptions
  readonly clock: Clock
}

/** The report of a parsed result, as an object to send; of chosen sections when they are given. */
export type ReportOf = (
  result: Readonly<Record<string, unknown>>,
  sections?: AskedSelection['sections'],
) => Promise<object>

export function checkHandlers(options: CheckHandlerOptions): Handlers<typeof checkOperations> {
  const { callers, answers, reportOf, selector, exchange, disposable_lists = [], clock } = options
  const check = async (ctx: Context): Promise<void> => {
    const key = await callers.authenticate(ctx)
    const requestedTarget = answers.read(queryOf(ctx))
    ctx.state.target = requestedTarget.label
    const form = answerForm(ctx.req.headers.accept, requestedTarget.format)
    const select = selectOf(selector, requestedTarget.selected, requestedTarget.format ?? form)
    const stream = form === 'events' ? openEvents(ctx, clock) : null
    const { bytes, origin, usage, waits } = await answers.answer({
      key,
      requested: requestedTarget,
      began: ctx.state.began,
      listener: stream?.emit ?? null,
      exceeded(usage) {
        ctx.state.usage = usage
      },
      noted(origin) {
        ctx.state.cache = origin
        return stream !== null && origin === 'MISS' ? callers.account(ctx) : undefined
      },
      until: work => untilClosed(ctx, work),
      isAbandoned: () => ctx.res.destroyed,
    })
    ctx.state.cache = origin
    ctx.state.usage = usage
    ctx.state.waits = waits
    const elapsedMs = Math.round(clock.monotonic() - ctx.state.began)
    const plain = () => resultOf({ bytes, origin }, elapsedMs)
    const isEmail = requestedTarget.of_email === true
    const whole = () => (isEmail ? { ...plain(), email: emailFacts(plain(), disposable_lists) } : plain())
    if (form === 'stix' || form === 'misp') {
      const exchangeOptions = { ...exchange, is_pair: isPair(requestedTarget.target) }
      const body = exchangeText(form, select?.(whole()) ?? whole(), exchangeOptions)
      return sendExchanged(ctx, form, body, clock.now())
    }
    const own = [elapsedMs, origin !== 'MISS', origin === 'STALE'] as const
    const body = select === null && !isEmail ? finishBody(bytes, ...own) : asBytes(select?.(whole()) ?? whole())
    const report =
      requestedTarget.format === 'report' && reportOf
        ? asBytes(await reportOf(whole(), requestedTarget.selected.sections))
        : null
    const isWhole = select === null && report === null && !isEmail
    const compress = (coding: Coding) => compressedResult(bytes, endOfBody(...own), coding, origin === 'HIT')
    if (stream === null) sendResult(ctx, report ?? body, clock.now(), isWhole ? compress : undefined)
    else stream.end(report === null ? resultEvent(body) : reportEvent(report) + resultEvent(body), 'latin1')
  }
  return { check }
}

/** JSON in bytes, each a character. */
const asBytes = (value: object): string => Buffer.from(JSON.stringify(value)).toString('latin1')

function queryOf({ req: { url = '' } }: Context): string {
  const mark = url.indexOf('?')
  return mark === -1 ? '' : url.slice(mark + 1)
}

/** Runs `work` with a signal that aborts when the client disconnects. */
async function untilClosed<T>({ res }: Context, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const closing = new AbortController()
  const leave = () => closing.abort()
  if (res.destroyed) leave()
  res.once('close', leave)
  try {
    return await work(closing.signal)
  } finally {
    res.off('close', leave)
  }
}

/** Opens the stream that the client requested, and notes it in the request state. */
function openEvents(ctx: Context, { now }: Clock): EventStream {
  const stream = openStream(ctx, now)
  ctx.state.stream = stream
  return stream
}
