// One check's evidence: gathered when first asked for, once, and not beyond the check's end.

import type { Evidence, EvidenceName, GatherContext } from '../evidence/evidence.ts'
import { declined, NotApplicable, Unavailable } from '../evidence/facts.ts'
import type { Defect, Gathered } from './analysis.ts'
import { deepFreeze } from './freeze.ts'
import type { Hooks } from './hooks.ts'

export interface Probe {
  /** Never rejects; what has not come by the check's deadline is unavailable. */
  gather<Name extends EvidenceName>(name: Name): Promise<Gathered<Evidence[Name]>>
  readonly evidence: ReadonlyMap<string, Gathered>
}

/**
 * `ended` settles when the check's time is up; `base` is the context gatherers get, but for their way to each other.
 * `settled` is told how each kind of evidence went.
 */
export function createProbe(
  hooks: Hooks,
  base: Omit<GatherContext, 'gather' | 'shared'>,
  ended: Promise<'deadline' | 'cancelled'>,
  defects: Defect[],
  settled: (name: string, gathered: Gathered) => void,
): Probe {
  const asked = new Map<string, Promise<Gathered>>()
  const evidence = new Map<string, Gathered>()
  const context: GatherContext = {
    shared: new Map(),
    ...base,
    gather: async name => unwrap(await gather(name)) as Evidence[typeof name],
  }

  async function run(name: string): Promise<Gathered> {
    try {
      const value = await hooks.gather.for(name).promise(context)
      // No kind of evidence is null: analyzers are given that for what could not be had.
      if (value === undefined || value === null) throw new Error(`no gatherer yields "${name}"`)
      return { status: 'gathered', value: deepFreeze(value) }
    } catch (error) {
      const decline = declined(error)
      if (decline) return decline
      defects.push({ plugin: name, stage: 'gather', error })
      return { status: 'failed', reason: 'gatherer_failed' }
    }
  }

  function gather<Name extends EvidenceName>(name: Name): Promise<Gathered<Evidence[Name]>> {
    let promise = asked.get(name)
    if (!promise) {
      const late = ended.then((reason): Gathered => ({ status: 'unavailable', reason }))
      promise = Promise.race([run(name), late]).then(outcome => {
        evidence.set(name, outcome)
        settled(name, outcome)
        return outcome
      })
      asked.set(name, promise)
    }
    return promise as Promise<Gathered<Evidence[Name]>>
  }

  return { gather, evidence }
}

function unwrap(gathered: Gathered): unknown {
  if (gathered.status === 'gathered') return gathered.value
  throw gathered.status === 'not_applicable' ? new NotApplicable(gathered.reason) : new Unavailable(gathered.reason)
}
