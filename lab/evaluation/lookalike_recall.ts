// What share of the names that another generator makes this one makes, too. Files are named after the original and have a name a
// line, as `dnstwist --format list` writes them.
// Run: node --import tsx lab/evaluation/lookalike_recall.ts DIRECTORY   (docs/lookalikes.md has the whole procedure)
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { candidatesFor } from '../../src/results/lookalikes/candidates.ts'
import { identify } from '../../src/targets/identity.ts'

const [directory = ''] = process.argv.slice(2)
let total = 0
let missing = 0
for (const domain of readdirSync(directory).sort()) {
  const ours = new Set([...candidatesFor(domain)].map(({ name }) => name))
  // Of a host, other generators vary the registered name and keep what comes before it; here the registered name alone is asked for.
  const before = domain.slice(0, -identify(domain).owner.length)
  const isOurs = (name: string) => ours.has(name) || (name.startsWith(before) && ours.has(name.slice(before.length)))
  const theirs = readFileSync(join(directory, domain), 'utf8').split('\n').filter(Boolean)
  const others = theirs.filter(name => name !== domain)
  const misses = others.filter(name => !isOurs(name))
  total += others.length
  missing += misses.length
  console.log([domain, others.length, ours.size, misses.length, ...misses.slice(0, 5)].join('\t'))
}
console.log(`${total - missing} of ${total} names (${((100 * (total - missing)) / total).toFixed(2)} %)`)
