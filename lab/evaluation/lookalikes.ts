// How often benign names are reported as brand imitations, and how many malicious ones are.
// Run: node --import tsx lab/evaluation/lookalikes.ts LIST ...   (one name per line, or tab-separated with the name first; optionally gzip)
import { createReadStream, openSync, readSync } from 'node:fs'
import { basename } from 'node:path'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import { getDomain } from 'tldts'
import { type BrandLookalike, judgeLookalike } from '../../plugins/reputation/lookalike/judge.ts'

/** Every n-th name of a list is checked. */
const EVERY = 10
/** From this strength, a report alone costs at least half of the weight. */
const STRONG = 0.5
const MAX_SHOWN = 20

const files = process.argv.slice(2)
if (files.length === 0) {
  process.stderr.write('usage: node --import tsx lab/evaluation/lookalikes.ts LIST ...\n')
  process.exit(2)
}
for (const file of files) process.stdout.write(`${await measureFile(file)}\n`)

async function measureFile(file: string): Promise<string> {
  const reports: { name: string; match: BrandLookalike }[] = []
  let line = 0
  let names = 0
  for await (const text of linesOf(file)) {
    if (line++ % EVERY !== 0) continue
    const [name = ''] = text.trim().toLowerCase().split('\t', 1)
    const registrable = getDomain(name, { allowPrivateDomains: true })
    if (registrable === null) continue
    names++
    const match = judgeLookalike(name, registrable)
    if (match) reports.push({ name, match })
  }
  const strong = reports.filter(({ match }) => match.strength >= STRONG)
  const share = (part: number) => `${((100 * part) / Math.max(1, names)).toFixed(3)} %`
  const exampleLines = strong
    .slice(0, MAX_SHOWN)
    .map(({ name, match }) => `  ${match.strength}  ${name}  ${match.brand}, ${match.kind}`)
  return [
    `${basename(file)}: of ${names} names ${share(reports.length)} reported, ${share(strong.length)} at ${STRONG} or more`,
    ...exampleLines,
  ].join('\n')
}

function linesOf(file: string): AsyncIterable<string> {
  const bytes = createReadStream(file)
  return createInterface({ input: isGzip(file) ? bytes.pipe(createGunzip()) : bytes })
}

function isGzip(file: string): boolean {
  const magic = Buffer.alloc(2)
  readSync(openSync(file, 'r'), magic, 0, 2, 0)
  return magic[0] === 0x1f && magic[1] === 0x8b
}
