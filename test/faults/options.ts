// How a run is asked for on the command line.
import { parseArgs } from 'node:util'

export interface Options {
  readonly seed: number
  /** Only cases whose row, or a part of whose sentence, this is. */
  readonly only: string | null
  readonly stage: 'namespace' | 'loopback' | null
  /** Cases played at once; invariants are looked at when all of them are over. */
  readonly lanes: number
  /** Cases of each row, by the seed; all of them when null. */
  readonly variants: number | null
  readonly json: boolean
  /** Already in a namespace of its own. */
  readonly inside: boolean
}

export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string' },
      only: { type: 'string' },
      stage: { type: 'string' },
      lanes: { type: 'string', default: '10' },
      variants: { type: 'string' },
      json: { type: 'boolean', default: false },
      inside: { type: 'boolean', default: false },
    },
  })
  const { only = null, json, inside } = values
  const stage = values.stage === 'namespace' || values.stage === 'loopback' ? values.stage : null
  const seed = Number(values.seed ?? process.env['FAULTS_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
  const variants = values.variants === undefined ? null : Number(values.variants)
  return { seed, only, stage, lanes: Number(values.lanes), variants, json, inside }
}

/** Small, seeded, good enough to shuffle (mulberry32). */
export function random(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export function shuffled<T>(list: readonly T[], next: () => number): T[] {
  const left = [...list]
  for (let at = left.length - 1; at > 0; at--) {
    const other = Math.floor(next() * (at + 1))
    ;[left[at], left[other]] = [left[other] as T, left[at] as T]
  }
  return left
}
