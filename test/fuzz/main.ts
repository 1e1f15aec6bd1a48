// `npm run fuzz [-- --requests N --responses N --seed N]`: generated requests and mutated responses, counted.
import { parseArgs } from 'node:util'
import { reportRequests, reportResponses } from './fuzz.ts'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '1000000' },
    responses: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
  },
})
const options = { requests: Number(values.requests), responses: Number(values.responses), seed: Number(values.seed) }
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
