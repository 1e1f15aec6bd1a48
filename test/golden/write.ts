// `npm run golden`: makes every golden result anew from its recording. With `--record`, the recordings too, from the lab.
import { execFileSync } from 'node:child_process'
import { Argument } from 'commander'
import { createTool } from '../../src/cli/tool.ts'
import { openReplayer, readRecording, writeRecording, writeResult } from './files.ts'
import { reproducible, startGoldenLab } from './lab.ts'
import { sites } from './sites/index.ts'

const tool = createTool('golden', 'Makes every golden result anew from its recording.')
  .addArgument(new Argument('[kind...]', 'kinds of sites; all without one').choices(sites.map(({ kind }) => kind)))
  .option('--record', 'makes the recordings anew too, from the lab', false)
  .parse()
const wanted = sites.filter(({ kind }) => tool.args.length === 0 || tool.args.includes(kind))

if (tool.opts<{ record: boolean }>().record) {
  const lab = await startGoldenLab()
  for (const { kind, asked } of wanted) writeRecording(kind, reproducible((await lab.check(asked)).recording))
  await lab.close()
}
const replayer = await openReplayer()
for (const { kind } of wanted) writeResult(kind, await replayer.resultOf(readRecording(kind)))
await replayer.close()
// As the house formats JSON, which is also how a change of it reads best
execFileSync('biome', ['format', '--write', import.meta.dirname], { stdio: 'inherit' })
