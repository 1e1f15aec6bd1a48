// Liveness and readiness for orchestrators and load balancers, without an API key.
import type { Context } from './request_state.ts'
import { sendPublic } from './respond.ts'

/** One condition of readiness. `fault` returns a slug for what is wrong, or null; it is called often and must be cheap. */
export interface Condition {
  readonly name: string
  fault(): string | null
  /** A slug for a problem that does not affect readiness, or null. */
  note?(): string | null
  /** Details for people, shown in the body under the condition's name. */
  facts?(): unknown
}

const alive = JSON.stringify({ status: 'ok' })

/** 200 as long as the event loop runs. */
export const healthz = (ctx: Context): void => sendPublic(ctx, 200, alive)

type Slugs = Readonly<Record<string, string>>

export interface Readiness {
  readonly faults: Slugs | null
  readonly notes: Slugs | null
  /** By condition. */
  readonly facts: Readonly<Record<string, unknown>>
}

export const readinessOf = (conditions: readonly Condition[]): Readiness => ({
  faults: summarise(conditions, condition => condition.fault()),
  notes: summarise(conditions, condition => condition.note?.() ?? null),
  facts: Object.fromEntries(conditions.flatMap(({ name, facts }) => (facts ? [[name, facts()]] : []))),
})

/** 200 when every condition holds, otherwise 503 with the faults. `notes` do not affect the status. */
export const readyz =
  (conditions: readonly Condition[]) =>
  (ctx: Context): void => {
    const { faults, notes, facts } = readinessOf(conditions)
    const body = {
      status: faults ? 'not_ready' : 'ready',
      ...(faults && { faults }),
      ...(notes && { notes }),
      ...facts,
    }
    sendPublic(ctx, faults ? 503 : 200, JSON.stringify(body))
  }

/** The slug of each condition by name; null when there is none. */
function summarise(conditions: readonly Condition[], ask: (condition: Condition) => string | null): Slugs | null {
  const slugs = conditions.flatMap(condition => {
    const slug = ask(condition)
    return slug === null ? [] : [[condition.name, slug] as const]
  })
  return slugs.length === 0 ? null : Object.fromEntries(slugs)
}
