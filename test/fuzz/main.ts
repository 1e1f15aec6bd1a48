// `npm run fuzz [-- --requests N --responses N --minutes N --seed N]`: generated requests and mutated responses, counted.

import { count } from '../../src/cli/arguments.ts'
import { createTool } from '../../src/cli/tool.ts'

const SEEDS = 2 ** 31
const MOST = 1_000_000_000
/** A run that is bounded by time repeats rounds of this size, which takes some 20 seconds. */
const ROUND = { requests: 20_000, responses: 10_000 }
const WHOLE = { requests: 1_000_000, responses: 100_000 }

const given = createTool('fuzz', 'Sends generated requests, reads mutated responses, and counts what went wrong.')
  .option('--requests <n>', `requests to send in a round (default: ${WHOLE.requests})`, count(0, MOST))
  .option('--responses <n>', `responses to read in a round (default: ${WHOLE.responses})`, count(0, MOST))
  .option(
    '--minutes <n>',
    'small rounds with one seed after the other until then, instead of one round',
    count(1, MOST),
  )
  .option('--seed <n>', 'repeats a run', count(0, SEEDS))
  .parse()
  .opts<{ requests?: number; responses?: number; minutes?: number; seed?: number }>()
// Whoever asks what it takes waits for nothing else to load.
const { reportRequests, reportResponses } = await import('./fuzz.ts')
const { minutes = 0, seed: first = Math.floor(Math.random() * SEEDS), ...sizes } = given
const size = { ...(minutes > 0 ? ROUND : WHOLE), ...sizes }
const print = (line: string) => void process.stdout.write(`${line}\n`)

/** Returns the number of faults. */
async function round(seed: number): Promise<number> {
  const options = { ...size, seed }
  const faults: string[] = []
  let read = 0
  print(`seed ${seed}`)
  await reportResponses(options, one => {
    read += one.read
    faults.push(...one.faults)
    print(`${one.read} ${one.kind}: ${one.per_second}/s, the slowest ${one.slowest_ms} ms, ${one.faults.length} faults`)
  })
  const requests = await reportRequests(options)
  faults.push(...requests.faults, ...requests.errors.slice(0, 20))
  const statuses = Object.entries(requests.statuses).map(([status, count]) => `${status}: ${count}`)
  print(`${requests.sent} requests: ${requests.per_second}/s, ${statuses.join(', ')}`)
  print(
    `  heap ${requests.grown >= 0 ? '+' : ''}${Math.round(requests.grown / 1024)} KiB, descriptors +${requests.descriptors_grown}, longest stall ${requests.stall_ms} ms, ${requests.faults.length} faults, ${requests.errors.length} errors logged`,
  )
  for (const fault of faults) print(`FAULT ${fault}`)
  print(`${requests.sent} generated requests and ${read} mutated responses, ${faults.length} faults, seed ${seed}`)
  return faults.length
}

const until = performance.now() + minutes * 60_000
let faults = 0
let seed = first
do faults += await round(seed++ % SEEDS)
while (performance.now() < until)
process.exit(faults > 0 ? 1 : 0)
