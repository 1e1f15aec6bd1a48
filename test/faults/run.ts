// Plays faults: every batch at once, the invariants after each, one report a case.
import type { FaultCase } from './case.ts'
import { holdInvariants } from './invariants.ts'
import { random, shuffled } from './options.ts'
import { play } from './play.ts'
import type { Held } from './service_process.ts'
import type { OpenTheatre } from './theatre.ts'

export interface Report {
  readonly row: number
  readonly of: string
  readonly ms: number
  /** What is not as it should be; null when all is. */
  readonly fault: string | null
}

/** `number` gives a case its names and addresses. */
export interface Numbered {
  readonly fault: FaultCase
  readonly number: number
}

export const titleOf = ({ row, of }: Pick<FaultCase, 'row' | 'of'>): string => `row ${row}: ${of}`

/** In an order of the seed's, so many at once, and those that wait last and all together. */
export function batches(cases: readonly Numbered[], seed: number, lanes: number): Numbered[][] {
  const all = shuffled(cases, random(seed))
  const quick = all.filter(({ fault }) => !fault.slow)
  const cut = Array.from({ length: Math.ceil(quick.length / lanes) }, (_, at) =>
    quick.slice(at * lanes, (at + 1) * lanes),
  )
  const slow = all.filter(({ fault }) => fault.slow)
  return slow.length > 0 ? [...cut, slow] : cut
}

export interface Played {
  readonly reports: readonly Report[]
  /** Which invariant is broken, or null. */
  readonly broken: string | null
  readonly held: Held
}

/** `label` tells batches apart. A broken invariant is laid at the door of all that were played since it last held. */
export async function playBatch(batch: readonly Numbered[], theatre: OpenTheatre, label: string): Promise<Played> {
  const { baseline, service, key, secrets } = theatre
  const from = service.logged()
  const played = await Promise.all(batch.map(one => playOne(one, theatre)))
  let held = baseline.held
  const broken = await holdInvariants(theatre, baseline, { key, label, secrets: secrets(), from })
    .then(now => {
      held = now
      return null
    })
    .catch(describe)
  const together = broken === null ? null : `afterwards ${broken}, with ${batch.map(({ fault }) => fault.row)}`
  return { reports: played.map(one => ({ ...one, fault: one.fault ?? together })), broken, held }
}

async function playOne({ fault, number }: Numbered, theatre: OpenTheatre): Promise<Report> {
  const began = performance.now()
  const wrong = await play(fault, number, theatre).then(() => null, describe)
  return { row: fault.row, of: fault.of, ms: Math.round(performance.now() - began), fault: wrong }
}

const describe = (error: unknown): string =>
  error instanceof Error
    ? `${error.message}${error.name === 'AssertionError' ? '' : `\n${error.stack}`}`
    : String(error)
