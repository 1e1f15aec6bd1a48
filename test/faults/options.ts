// How a run is asked for on the command line.
import { Option } from 'commander'
import { count } from '../../src/cli/arguments.ts'
import { createTool } from '../../src/cli/tool.ts'

export interface Options {
  readonly seed: number
  /** Only cases whose row, or a part of whose sentence, this is. */
  readonly only: string | null
  readonly stage: 'namespace' | 'loopback' | null
  /** Cases played at once; invariants are looked at when all of them are over. */
  readonly lanes: number
  /** Cases of each row, by the seed; all of them when null. */
  readonly variants: number | null
  /** Rows that are played, by the seed; all of them when null. */
  readonly rows: number | null
  readonly json: boolean
  /** Does not judge how long answers take: for machines that do much else. */
  readonly untimed: boolean
  /** Already in a namespace of its own. */
  readonly inside: boolean
}

/** Seeds are 31 bits. */
export const SEEDS = 2 ** 31
const most = 1_000_000

export function readOptions(args: readonly string[]): Options {
  const tool = createTool('faults', 'Plays every fault of the table to one running service, in random order.')
    .option('--seed <n>', 'repeats a run; or FAULTS_SEED', count(0, SEEDS))
    .option('--only <row or words>', 'only cases of that row, or whose sentence has these words')
    .addOption(new Option('--stage <name>', 'where the world stands').choices(['namespace', 'loopback']))
    .option('--lanes <n>', 'cases played at once', count(1, most), 10)
    .option('--variants <n>', 'cases of each row, by the seed; all of them without it', count(1, most))
    .option('--rows <n>', 'rows, by the seed; all of them without it', count(1, most))
    .option('--json', 'a JSON object a line', false)
    .option('--untimed', 'does not judge how long answers take', false)
    .addOption(new Option('--inside', 'already in a namespace of its own').default(false).hideHelp())
  const {
    only = null,
    stage = null,
    variants = null,
    rows = null,
    lanes,
    json,
    untimed,
    inside,
    ...given
  } = tool
    .parse(args, { from: 'user' })
    .opts<Partial<Options> & Pick<Options, 'lanes' | 'json' | 'untimed' | 'inside'>>()
  const seed = given.seed ?? Number(process.env['FAULTS_SEED'] ?? Math.floor(Math.random() * SEEDS))
  return { seed, only, stage, lanes, variants, rows, json, untimed, inside }
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
