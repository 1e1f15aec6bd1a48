// `npm run golden`: makes every golden result anew from its recording. With `--record`, the recordings too, from the lab.
import { execFileSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { readRecording, resultOf, writeRecording, writeResult } from './files.ts'
import { startGoldenLab, timeless } from './lab.ts'
import { sites } from './sites/index.ts'

const { values, positionals } = parseArgs({ options: { record: { type: 'boolean' } }, allowPositionals: true })
const wanted = sites.filter(({ kind }) => positionals.length === 0 || positionals.includes(kind))

if (values.record) {
  const lab = await startGoldenLab()
  for (const { kind, asked } of wanted) writeRecording(kind, timeless((await lab.check(asked)).recording))
  await lab.close()
}
for (const { kind } of wanted) writeResult(kind, await resultOf(readRecording(kind)))
// As the house formats JSON, which is also how a change of it reads best
execFileSync('biome', ['format', '--write', import.meta.dirname], { stdio: 'inherit' })
