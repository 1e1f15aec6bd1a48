// `npm run crash [-- rounds] [--workers N] [--postgres]`: breaks a running installation at random moments under load and verifies what
// must not be lost.
import { count } from '../../src/cli/arguments.ts'
import { createTool } from '../../src/cli/tool.ts'
import { crashService } from './crash_service.ts'

const tool = createTool('crash', 'Breaks a running installation at random moments under load and verifies its counts.')
  .argument('[rounds]', 'number of faults', count(1, 1_000_000), 200)
  .option('--workers <n>', 'workers, of which one is killed each time; without, the whole service', count(2, 64))
  .option('--postgres', 'on PostgreSQL, which is halted at once (`immediate`) in every second round')
  .parse()
const [rounds] = tool.processedArgs as [number]
const { workers = 1, postgres = false } = tool.opts<{ workers?: number; postgres?: boolean }>()
process.exitCode = (await crashService(rounds, { workers, postgres })) === 0 ? 0 : 1
