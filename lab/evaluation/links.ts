// How many links have each signal of the plugin `link`, and how many points they cost.
// Run: node --import tsx lab/evaluation/links.ts LIST ...   (one URL per line)
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import link from '../../plugins/link/index.ts'
import { parseTarget, unvetted } from '../../src/targets/target.ts'
import { wilson } from './tables.ts'

const options = { brands: [] }
const now = new Date(0)

const files = process.argv.slice(2)
if (files.length === 0) {
  process.stderr.write('usage: node --import tsx lab/evaluation/links.ts LIST ...\n')
  process.exit(2)
}
for (const file of files) process.stdout.write(`${measureFile(file)}\n`)

function measureFile(file: string): string {
  const counts = new Map<keyof typeof link.signals, number>()
  let [links, reports, most] = [0, 0, 0]
  for (const url of readFileSync(file, 'utf8').split('\n')) {
    const parsed = parseTarget({ domain: null, ip: null, url: url.trim() }, unvetted)
    if (!parsed.ok) continue
    const finding = link.analyze({}, { target: parsed.target, options, missing: {}, now })
    const signals = finding.signals ?? []
    links++
    if (signals.length > 0) reports++
    const points = signals.map(({ id, strength = 1 }) => link.signals[id].weight * strength)
    most = Math.max(
      most,
      points.reduce((sum, one) => sum + one, 0),
    )
    for (const { id } of signals) counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  const percent = (share: number) => Math.round(share * 10_000) / 100
  const share = (count: number) => {
    const [low, high] = wilson(count, links)
    return `${percent(count / Math.max(1, links))} % [${percent(low)}–${percent(high)}]`
  }
  return [
    `${basename(file)}: of ${links} links ${share(reports)} have a signal; at most ${Math.round(most * 10) / 10} points`,
    ...[...counts].sort(([, one], [, other]) => other - one).map(([id, count]) => `  ${id} ${share(count)}`),
  ].join('\n')
}
