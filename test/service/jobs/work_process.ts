// A process that works on jobs, to be killed. Writes `turn` after each turn. Argument: a directory, or a URL of PostgreSQL.
import { startJobs } from './work_lab.ts'

const [place = ''] = process.argv.slice(2)

await startJobs(place, { took: () => process.stdout.write('turn\n') })
process.stdout.write('started\n')
// The timers of the queues keep no process alive.
setInterval(() => {}, 1_000)
