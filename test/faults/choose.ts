// Which faults are played: all that the stage has room for, or a few of some rows, by the seed.
import type { FaultCase } from './case.ts'
import { cases } from './cases/index.ts'
import { type Options, random, shuffled } from './options.ts'
import { type Numbered, titleOf } from './run.ts'
import type { Stage } from './stage.ts'

export interface Chosen {
  readonly played: readonly Numbered[]
  /** Those that need another stage. */
  readonly left_out: readonly FaultCase[]
}

/** Its outcome is one of time. */
const waits = ({ slow, expect }: FaultCase): boolean => slow === true || expect?.within_ms !== undefined

/** Without judging times, none that waits for a limit. */
export function chooseFaults({ seed, only, variants, rows, untimed }: Options, stage: Stage['name']): Chosen {
  const numbered = cases.map((fault, at) => ({ fault, number: at + 2 }))
  const wanted = numbered.filter(
    ({ fault }) =>
      (only === null || String(fault.row) === only || titleOf(fault).includes(only)) && !(untimed && waits(fault)),
  )
  const some =
    rows === null
      ? null
      : new Set(shuffled([...new Set(wanted.map(({ fault }) => fault.row))], random(seed)).slice(0, rows))
  const inRows = wanted.filter(({ fault: { row } }) => some === null || some.has(row))
  const playable = inRows.filter(({ fault }) => fault.needs !== 'namespace' || stage === 'namespace')
  return {
    played: variants === null ? playable : someOfEach(playable, variants, seed),
    left_out: inRows.filter(one => !playable.includes(one)).map(({ fault }) => fault),
  }
}

function someOfEach(all: readonly Numbered[], most: number, seed: number): Numbered[] {
  const counts = new Map<number, number>()
  return shuffled(all, random(seed)).filter(({ fault: { row } }) => {
    counts.set(row, (counts.get(row) ?? 0) + 1)
    return (counts.get(row) ?? 0) <= most
  })
}
