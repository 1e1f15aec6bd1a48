// The evidence of one check: each kind is gathered once, on first use, and not beyond the end of the check.

import type { Evidence, EvidenceName, GatherContext } from '../evidence/evidence.ts'
import { declined, NotApplicable, Unavailable } from '../evidence/facts.ts'
import type { Defect, Gathered } from './analysis.ts'
import { deepFreeze } from './freeze.ts'
import type { Hooks } from './hooks.ts'

export interface Probe {
  /** Never rejects. Evidence that has not arrived by the deadline is unavailable. */
  gather<Name extends EvidenceName>(name: Name): Promise<Gathered<Evidence[Name]>>
  readonly evidence: ReadonlyMap<string, Gathered>
}

/**
 * `ended` settles when the check's time is over; `base` is the gatherers' context without access to other evidence.
 * `settled` is called with the outcome of each kind of evidence.
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
      // Evidence is never null: for analyzers, null means missing.
      if (value === undefined || value === null) throw new Error(`no gatherer returned "${name}"`)
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
