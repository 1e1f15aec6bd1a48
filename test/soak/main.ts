// `npm run soak [-- --minutes N --seed N]`: mixed hostile and healthy checks for as long as asked, and what grew meanwhile.

import { count } from '../../src/cli/arguments.ts'
import { createTool } from '../../src/cli/tool.ts'
import { chooseFaults } from '../faults/choose.ts'
import { openLoopbackStage } from '../faults/loopback_stage.ts'
import { readOptions, SEEDS } from '../faults/options.ts'
import { batches, playBatch } from '../faults/run.ts'
import { openTheatre } from '../faults/theatre.ts'
import { healthyLoad } from './load.ts'
import { perHour, type Sample, verdict } from './verdict.ts'

const MOST_MINUTES = 100_000
const asked = createTool('soak', 'Plays hostile and healthy checks side by side, and tells what grew meanwhile.')
  .option('--minutes <n>', 'how long', count(1, MOST_MINUTES), 5)
  .option('--seed <n>', 'repeats a run', count(0, SEEDS), 1)
  .parse()
  .opts<{ minutes: number; seed: number }>()
const MINUTE_MS = 60_000
/** Places that cases may have: their addresses come round again, long after their results were forgotten. */
const PLACES = 30_000
const LANES = 12
const MIB = 1024 * 1024
/** Kinds of surprise that are told. */
const PRINTED = 12

const until = performance.now() + asked.minutes * MINUTE_MS
const print = (line: string) => void process.stdout.write(`${line}\n`)
const theatre = await openTheatre(async dialled => openLoopbackStage(dialled))
const load = healthyLoad(theatre)
const samples: Sample[] = []
/** How often what was otherwise than expected. */
const surprises = new Map<string, number>()
let [played, broken, number] = [0, 0, 2]
let told = performance.now()

for (let round = 0; performance.now() < until; round++) {
  const seed = asked.seed + round
  const { played: cases } = chooseFaults(readOptions(['--seed', String(seed), '--variants', '3']), 'loopback')
  // A case's number is its name: each is played anew, not from what is kept
  const numbered = cases.map(({ fault }) => ({ fault, number: 2 + (number++ % PLACES) }))
  for (const [at, batch] of batches(numbered, seed, LANES).entries()) {
    if (performance.now() > until) break
    load.resume()
    const { reports, broken: fault, held } = await playBatch(batch, load.pausing(theatre), `r${round}b${at}`)
    played += reports.length
    for (const { row, of, fault: wrong } of reports) {
      if (wrong === null) continue
      const name = `row ${row}: ${of}: ${wrong.split('\n')[0]?.slice(0, 120)}`
      surprises.set(name, (surprises.get(name) ?? 0) + 1)
    }
    if (fault !== null) {
      broken += 1
      print(`BROKEN ${fault.slice(0, 300)}`)
    } else samples.push({ ms: performance.now(), ...held })
    if (performance.now() - told < MINUTE_MS / 2) continue
    told = performance.now()
    const { rss, heap, descriptors, stall_ms } = held
    print(
      `${Math.round((until - told) / 1_000)} s left: ${played} hostile, ${load.healthy()} healthy, ${Math.round(rss / MIB)} MiB resident, ${Math.round(heap / MIB)} MiB heap, ${descriptors} descriptors, stall ${Math.round(stall_ms)} ms`,
    )
  }
}
const wrongs = await load.stop()
const wrong = [...wrongs.values()].reduce((sum, count) => sum + count, 0)
await theatre.close()
const unexpected = [...surprises.values()].reduce((sum, count) => sum + count, 0)
print(
  `${played} hostile checks (${unexpected} otherwise than expected), ${load.healthy()} healthy (${wrong} wrong, ${load.refused()} told to come back)`,
)
for (const [what, count] of wrongs) print(`${count} x a healthy check: ${what}`)
for (const [name, count] of [...surprises].sort(([, a], [, b]) => b - a).slice(0, PRINTED)) print(`${count} x ${name}`)
print(
  `resident ${perHour(samples, 'rss')} MiB/h, heap ${perHour(samples, 'heap')} MiB/h, descriptors ${samples[0]?.descriptors} to ${samples.at(-1)?.descriptors}, longest stall ${Math.round(Math.max(...samples.map(one => one.stall_ms)))} ms, ${broken} broken invariants`,
)
const faults = verdict(samples, { broken, wrong, checks: played + load.healthy() })
print(faults.length === 0 ? 'sound' : `NOT SOUND: ${faults.join('; ')}`)
process.stdout.write('', () => process.exit(faults.length === 0 ? 0 : 1))
