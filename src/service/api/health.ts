// Liveness and readiness for orchestrators and load balancers, without an API key.
import type { MaybeAsync } from '../../store/store.ts'
import type { Context } from './request_state.ts'
import { sendPublic } from './respond.ts'

type ConditionQuery = () => MaybeAsync<string | null>

/** One condition of readiness. Its functions return a slug for what is wrong, or null; they are called often and must be cheap. */
export interface HealthCondition {
  readonly name: string
  /** No answer can be given. */
  readonly fault?: ConditionQuery
  /** Uncached checks get a 503. Cached results and listings are still answered, so the service stays ready. */
  readonly outage?: ConditionQuery
  /** A problem that stops no answer. */
  readonly note?: ConditionQuery
  /** Details for people, shown in the body under the condition's name. */
  facts?(): unknown
}

const alive = JSON.stringify({ status: 'ok' })

/** 200 as long as the event loop runs. */
export const healthz = (ctx: Context): void => sendPublic(ctx, 200, alive)

type Slugs = Readonly<Record<string, string>>

export interface Readiness {
  readonly faults: Slugs
  readonly outages: Slugs
  readonly notes: Slugs
  /** By condition. */
  readonly facts: Readonly<Record<string, unknown>>
}

export async function readinessOf(conditions: readonly HealthCondition[]): Promise<Readiness> {
  const of = (kind: 'fault' | 'outage' | 'note') => slugsOf(conditions, kind)
  const [faults, outages, notes] = await Promise.all([of('fault'), of('outage'), of('note')])
  const facts = Object.fromEntries(conditions.flatMap(({ name, facts }) => (facts ? [[name, facts()]] : [])))
  return { faults, outages, notes, facts }
}

const isAny = (slugs: Slugs): boolean => Object.keys(slugs).length > 0

/**
 * 503 with the `faults` while no answer can be given. Otherwise 200: `degraded` while uncached checks get a 503, else `ready`;
 * `notes` say what is wrong.
 */
export const readyz =
  (conditions: readonly HealthCondition[]) =>
  async (ctx: Context): Promise<void> => {
    const { faults, outages, notes, facts } = await readinessOf(conditions)
    const all = { ...notes, ...outages }
    const isReady = !isAny(faults)
    const body = {
      status: isReady ? (isAny(outages) ? 'degraded' : 'ready') : 'not_ready',
      ...(!isReady && { faults }),
      ...(isAny(all) && { notes: all }),
      ...facts,
    }
    sendPublic(ctx, isReady ? 200 : 503, JSON.stringify(body))
  }

/** The slug of each condition by name, where there is one. */
async function slugsOf(conditions: readonly HealthCondition[], kind: 'fault' | 'outage' | 'note'): Promise<Slugs> {
  const slugs = await Promise.all(conditions.map(async one => [one.name, (await one[kind]?.()) ?? null] as const))
  return Object.fromEntries(slugs.flatMap(([name, slug]) => (slug === null ? [] : [[name, slug]])))
}
