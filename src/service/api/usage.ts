// How much of its quota an account has used, and when. Asking costs nothing.
import { Type } from 'typebox'
import type { Clock } from '../../base/clock.ts'
import { nullable } from '../../base/nullable.ts'
import type { Allowance } from '../../config/quota_rule.ts'
import { type KeyStore, StoreError } from '../../store/store.ts'
import { DAYS_KEPT, type DaySpan, readSpan, spanText, totalOf } from '../../store/usage_days.ts'
import { closed, time } from '../shapes.ts'
import type { Callers } from './callers.ts'
import { readQuery } from './input.ts'
import { orUnavailable, Problem } from './problem.ts'
import type { Context } from './request_state.ts'
import { noUsage, sendAnswer } from './respond.ts'
import type { Handlers, Operations } from './routes.ts'

const day = (description: string) =>
  Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', examples: ['2026-11-25'], description })

const UsageByDay = Type.Object(
  {
    from: day('The first requested day, in UTC.'),
    to: day('The last requested day.'),
    total: Type.Integer({ description: 'Answers of all these days.' }),
    days: Type.Array(Type.Object({ day: day('In UTC.'), answers: Type.Integer({ minimum: 1 }) }, closed), {
      description: `Days with answers, oldest first. Days are kept for ${DAYS_KEPT} days.`,
    }),
  },
  { ...closed, description: 'Counted as the quota counts; only with `by=day`.' },
)

export const usageSchemas = {
  Usage: Type.Object(
    {
      account: Type.String({ description: 'The account of the key. All its keys share its quota.' }),
      key: Type.String({ description: 'The ID of the key.' }),
      plan: Type.String(),
      period: nullable(Type.String({ description: 'month, day, or a rolling window, as configured.' })),
      limit: Type.Integer({ description: 'Answers that the plan allows in a period.' }),
      used: Type.Integer(),
      remaining: Type.Integer(),
      reset_at: time('When used answers are available again.'),
      by_day: Type.Optional(UsageByDay),
    },
    closed,
  ),
} as const

export const usageOperations = {
  getUsage: {
    method: 'GET',
    path: '/api/v1/usage',
    summary: 'Get the usage of the account',
    description:
      'The plan of the key’s account, and how much of its quota is used; with `by=day`, its answers of each day. Does not count against the quota.',
    query: Type.Object({
      by: Type.Optional(Type.Enum(['day'], { description: 'Adds the answers of each day.' })),
      from: Type.Optional(day('The first day, in UTC; needs `by=day`. 30 days before the last by default.')),
      to: Type.Optional(day('The last day, in UTC; needs `by=day`. Today by default.')),
    }),
    answer: { status: 200, description: 'The usage.', schema: usageSchemas.Usage },
    problems: ['invalid-parameter'],
  },
} as const satisfies Operations

export interface UsageHandlerOptions {
  readonly callers: Pick<Callers, 'authenticate' | 'account'>
  readonly store: { readonly keys: Pick<KeyStore, 'usageByDay'> }
  /** By plan. */
  readonly plans: Readonly<Record<string, Allowance>>
  readonly clock: Clock
}

export const usageHandlers = ({
  callers,
  store,
  plans,
  clock,
}: UsageHandlerOptions): Handlers<typeof usageOperations> => ({
  async getUsage(ctx) {
    const { account, plan, id } = await callers.authenticate(ctx)
    await callers.account(ctx)
    const now = clock.now()
    const span = readDays(ctx, now)
    const { limit, used, remaining, reset } = ctx.state.usage ?? noUsage(now)
    const resetAt = `${new Date(reset * 1_000).toISOString().slice(0, 19)}Z`
    const period = plans[plan]?.period ?? null
    const read = (span: DaySpan) => orUnavailable('store-unavailable', () => daysOf(store, account, span), UNREADABLE)
    const byDay = span === null ? {} : { by_day: await read(span) }
    const usage = { account, key: id, plan, period, limit, used, remaining, reset_at: resetAt, ...byDay }
    sendAnswer(ctx, usageOperations.getUsage.answer, usage, now)
  },
})

const UNREADABLE = 'Usage by day cannot be read at present. Retry later.'

async function daysOf({ keys }: UsageHandlerOptions['store'], account: string, span: DaySpan) {
  const days = (await keys.usageByDay([account], span)).get(account) ?? null
  if (days === null) throw new StoreError('quota_store_error', `the usage of ${account} by day is damaged`)
  return { ...spanText(span), total: totalOf(days), days }
}

/** Null when the client does not ask for days. Throws a 400. */
function readDays(ctx: Context, now: number): DaySpan | null {
  const { by, from, to } = readQuery(ctx, usageOperations.getUsage)
  if (by === undefined && from === undefined && to === undefined) return null
  if (by === undefined) throw new Problem('invalid-parameter', 'Set the parameter by=day: from and to need it.')
  const reading = readSpan(from ?? null, to ?? null, now)
  if (!reading.ok) throw new Problem('invalid-parameter', `The parameter ${reading.detail}`)
  return reading.span
}
