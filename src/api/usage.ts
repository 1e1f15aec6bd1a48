// How much of its quota an account has used. Asking costs nothing.
import type { Clock } from '../clock.ts'
import type { Allowance } from '../store/quota_rule.ts'
import type { Callers } from './callers.ts'
import { noUsage, sendJson } from './respond.ts'
import type { Route } from './routes.ts'

export interface UsageOptions {
  readonly callers: Pick<Callers, 'authenticate' | 'account'>
  /** By plan. */
  readonly plans: Readonly<Record<string, Allowance>>
  readonly clock: Clock
}

export const usageRoute = ({ callers, plans, clock }: UsageOptions): Route => ({
  method: 'GET',
  path: '/api/v1/usage',
  async handle(ctx) {
    const { account, plan, id } = await callers.authenticate(ctx)
    await callers.account(ctx)
    const { limit, used, remaining, reset } = ctx.state.usage ?? noUsage(clock.now())
    const reset_at = `${new Date(reset * 1_000).toISOString().slice(0, 19)}Z`
    const period = plans[plan]?.period ?? null
    sendJson(ctx, 200, { account, key: id, plan, period, limit, used, remaining, reset_at }, clock.now())
  },
})
