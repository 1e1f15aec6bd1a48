// `npm run crash [-- rounds] [--workers N | --redis | --bulk]`: breaks a running installation at random moments under load and
// verifies what must not be lost.
import { Option } from 'commander'
import { count } from '../src/cli/arguments.ts'
import { createTool } from '../src/cli/tool.ts'
import { crashBulk } from './crash_bulk.ts'
import { crashInstances } from './crash_redis.ts'
import { crashService } from './crash_service.ts'

const tool = createTool('crash', 'Breaks a running installation at random moments under load and verifies its counts.')
  .argument('[rounds]', 'number of faults', count(1, 1_000_000), 200)
  .addOption(
    new Option('--workers <n>', 'workers, of which one is killed each time; without, the whole service')
      .argParser(count(2, 64))
      .conflicts(['redis', 'bulk']),
  )
  .addOption(new Option('--redis', 'several instances on one Redis, and faults of either').conflicts('bulk'))
  .option('--bulk', 'a bulk run with workers on a Redis, and faults of each')
  .parse()
const [rounds] = tool.processedArgs as [number]
const { workers = 1, redis, bulk } = tool.opts<{ workers?: number; redis?: true; bulk?: true }>()
const crash = redis ? crashInstances : bulk ? crashBulk : (rounds: number) => crashService(rounds, workers)
process.exitCode = (await crash(rounds)) === 0 ? 0 : 1
