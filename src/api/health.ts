// Is the process alive, and should it be sent requests: for orchestrators and balancers, without a key.
import { sendPublic } from './respond.ts'
import type { Context } from './visit.ts'

/** One condition of service. `fault` answers a slug that says why not, or null; it is called often and must be cheap. */
export interface Condition {
  readonly name: string
  fault(): string | null
  /** What is amiss although it holds; a slug, or null. */
  note?(): string | null
  /** What people may want to know, in the body by the condition's name; changes nothing. */
  facts?(): unknown
}

const alive = JSON.stringify({ status: 'ok' })

/** 200 as long as the event loop turns. */
export const healthz = (ctx: Context): void => sendPublic(ctx, 200, alive)

/** 200 when every condition holds, else 503 with those that do not; `notes` are for people and change nothing. */
export const readyz =
  (conditions: readonly Condition[]) =>
  (ctx: Context): void => {
    const faults = told(conditions, condition => condition.fault())
    const notes = told(conditions, condition => condition.note?.() ?? null)
    const facts = Object.fromEntries(conditions.flatMap(({ name, facts }) => (facts ? [[name, facts()]] : [])))
    const body = {
      status: faults ? 'not_ready' : 'ready',
      ...(faults && { faults }),
      ...(notes && { notes }),
      ...facts,
    }
    sendPublic(ctx, faults ? 503 : 200, JSON.stringify(body))
  }

/** What each condition says, by name; null when none says anything. */
function told(conditions: readonly Condition[], ask: (condition: Condition) => string | null) {
  const said = conditions.flatMap(condition => {
    const slug = ask(condition)
    return slug === null ? [] : [[condition.name, slug] as const]
  })
  return said.length === 0 ? null : Object.fromEntries(said)
}
