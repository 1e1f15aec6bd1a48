// The runner of jobs as a process of its own, to be killed. Its answers are counted by the real quota. Writes `started`, and `ran` after each run. Arguments: `embedded` or a URL of Redis, a directory, milliseconds of the lease.
import { createJobRunner } from '../../src/jobs/runner.ts'
import { unvetted } from '../../src/targets/target.ts'
import { askOver, clock } from './job_ask.ts'
import { openJobBackend } from './job_backend.ts'

const [store = '', data = '', lease = ''] = process.argv.slice(2)

const backend = await openJobBackend(store, data)
if (backend.jobs === null) throw new Error('the backend has no jobs')
createJobRunner({
  ...{ store: backend.jobs, vetting: unvetted, politeness: { at_once: 100, pause_ms: 0 }, clock },
  ask: askOver(backend),
  ran: () => process.stdout.write('ran\n'),
  limits: { lease_ms: Number(lease), look_ms: 20, sleep_ms: 100, failure_ms: 100 },
}).start()
process.stdout.write('started\n')
// The timers of the runner keep no process alive.
setInterval(() => {}, 1_000)
