// `npm run bench [-- part ...] [--trial]`: runs the named benchmarks, or all, and prints the ratios as tables.
import { availableParallelism } from 'node:os'
import { Argument } from 'commander'
import { createTool } from '../../src/cli/tool.ts'
import { cold, cpu, profile, rendered } from './cold.ts'
import { counts } from './counts.ts'
import { feeds } from './feeds.ts'
import { growth } from './growth.ts'
import { isPinned, type Row, table } from './harness.ts'
import { hit } from './hit.ts'
import { memory } from './memory.ts'
import { neighbours } from './neighbours.ts'
import { overload } from './overload.ts'
import { drain, restart, start } from './restart.ts'
import { workers } from './workers.ts'

const parts: Readonly<Record<string, () => Promise<readonly Row[]>>> = {
  hit,
  cold,
  cpu,
  rendered,
  memory,
  profile,
  feeds,
  overload,
  neighbours,
  counts,
  drain,
  restart,
  start,
  workers,
  growth,
}

const { args: partNames } = createTool('bench', 'Runs the named benchmarks and prints the ratios as tables.')
  .addArgument(new Argument('[part...]', 'benchmarks to run; all by default').choices(Object.keys(parts)))
  .option('--trial', 'only try them out: few rounds of small sizes, whose figures mean nothing')
  .parse()

process.stdout.write(
  `Node ${process.version}, ${availableParallelism()} cores, ${isPinned ? 'measured process and load generator on separate cores' : 'not pinned to cores'}\n`,
)
for (const [name, measure] of Object.entries(parts)) {
  if (partNames.length > 0 && !partNames.includes(name)) continue
  process.stdout.write(`\nnpm run bench -- ${name}\n\n${table(await measure())}\n`)
}
