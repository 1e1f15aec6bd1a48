// `npm run fuzz [-- --requests N --responses N --seed N]`: generated requests and mutated responses, counted.

import { count } from '../../src/cli/arguments.ts'
import { createTool } from '../../src/cli/tool.ts'

const SEEDS = 2 ** 31
const MOST = 1_000_000_000
const given = createTool('fuzz', 'Sends generated requests, reads mutated responses, and counts what went wrong.')
  .option('--requests <n>', 'requests to send', count(0, MOST), 1_000_000)
  .option('--responses <n>', 'responses to read', count(0, MOST), 100_000)
  .option('--seed <n>', 'repeats a run', count(0, SEEDS))
  .parse()
  .opts<{ requests: number; responses: number; seed?: number }>()
// Whoever asks what it takes waits for nothing else to load.
const { reportRequests, reportResponses } = await import('./fuzz.ts')
const options = { ...given, seed: given.seed ?? Math.floor(Math.random() * SEEDS) }
const print = (line: string) => void process.stdout.write(`${line}\n`)
const faults: string[] = []
let read = 0

print(`seed ${options.seed}`)
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
print(
  `${requests.sent} generated requests and ${read} mutated responses, ${faults.length} faults, seed ${options.seed}`,
)
process.exit(faults.length > 0 ? 1 : 0)
