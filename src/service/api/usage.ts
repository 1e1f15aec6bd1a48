// How much of its quota an account has used, and when. Asking costs nothing.
import type { Clock } from '../../base/clock.ts'
import type { Allowance } from '../../config/quota_rule.ts'
import { type KeyStore, StoreError } from '../../store/store.ts'
import { type DaySpan, readSpan, spanText, totalOf } from '../../store/usage_days.ts'
import type { Callers } from './callers.ts'
import { orUnavailable, Problem } from './problem.ts'
import { readQuery } from './query.ts'
import type { Context } from './request_state.ts'
import { noUsage, sendJson } from './respond.ts'
import type { Route } from './routes.ts'

export interface UsageOptions {
  readonly callers: Pick<Callers, 'authenticate' | 'account'>
  readonly store: { readonly keys: Pick<KeyStore, 'usageByDay'> }
  /** By plan. */
  readonly plans: Readonly<Record<string, Allowance>>
  readonly clock: Clock
}

export const usageRoute = ({ callers, store, plans, clock }: UsageOptions): Route => ({
  method: 'GET',
  path: '/api/v1/usage',
  async handle(ctx) {
    const { account, plan, id } = await callers.authenticate(ctx)
    await callers.account(ctx)
    const now = clock.now()
    const span = readDays(ctx, now)
    const { limit, used, remaining, reset } = ctx.state.usage ?? noUsage(now)
    const reset_at = `${new Date(reset * 1_000).toISOString().slice(0, 19)}Z`
    const period = plans[plan]?.period ?? null
    const read = (span: DaySpan) => orUnavailable('store-unavailable', () => daysOf(store, account, span), UNREADABLE)
    const by_day = span === null ? {} : { by_day: await read(span) }
    sendJson(ctx, 200, { account, key: id, plan, period, limit, used, remaining, reset_at, ...by_day }, now)
  },
})

const UNREADABLE = 'Usage by day cannot be read at present. Retry later.'

async function daysOf({ keys }: UsageOptions['store'], account: string, span: DaySpan) {
  const days = (await keys.usageByDay([account], span)).get(account) ?? null
  if (days === null) throw new StoreError('quota_store_error', `the usage of ${account} by day is damaged`)
  return { ...spanText(span), total: totalOf(days), days }
}

/** Null when the client does not ask for days. Throws a 400. */
function readDays(ctx: Context, now: number): DaySpan | null {
  const { by, from, to } = readQuery(ctx)
  if (by === undefined && from === undefined && to === undefined) return null
  if (by !== 'day') throw new Problem('invalid-parameter', 'Set the parameter by to day; from and to need it.')
  const read = readSpan(from ?? null, to ?? null, now)
  if (!read.ok) throw new Problem('invalid-parameter', `The parameter ${read.detail}`)
  return read.span
}
