// Is the process alive, and should it be sent requests: for orchestrators and balancers, without a key.
import { sendPublic } from './respond.ts'
import type { Context } from './visit.ts'

/** One condition of service. `fault` answers a slug that says why not, or null; it is called often and must be cheap. */
export interface Condition {
  readonly name: string
  fault(): string | null
}

const alive = JSON.stringify({ status: 'ok' })

/** 200 as long as the event loop turns. */
export const healthz = (ctx: Context): void => sendPublic(ctx, 200, alive)

/** 200 when every condition holds, else 503 with those that do not. */
export const readyz =
  (conditions: readonly Condition[]) =>
  (ctx: Context): void => {
    const faults = conditions.flatMap(condition => {
      const fault = condition.fault()
      return fault === null ? [] : [[condition.name, fault] as const]
    })
    const ready = faults.length === 0
    const body = ready ? { status: 'ready' } : { status: 'not_ready', faults: Object.fromEntries(faults) }
    sendPublic(ctx, ready ? 200 : 503, JSON.stringify(body))
  }
