// The runner of jobs as a process of its own, to be killed. Its answers are counted by the real quota; a check takes 20 ms and
// finds every target safe. Writes `started`, and `ran` after each run. Arguments: `embedded` or a URL of Redis, a directory, milliseconds of the lease.
import { setTimeout as pause } from 'node:timers/promises'
import { createAdmission } from '../../src/api/admission.ts'
import { createAnswers } from '../../src/api/answers.ts'
import { createCallers } from '../../src/api/callers.ts'
import { createJobAnswers } from '../../src/api/job_answers.ts'
import { createGate } from '../../src/api/limits.ts'
import { createJobRunner } from '../../src/jobs/runner.ts'
import { unvetted } from '../../src/targets/target.ts'
import { openJobBackend } from './job_backend.ts'

const [store = '', data = '', lease = ''] = process.argv.slice(2)

const clock = { now: Date.now, monotonic: () => performance.now() }
const backend = await openJobBackend(store, data)
const { monotonic } = clock
const limits = { per_key: 20, per_key_per_second: 1e6, per_domain: 1e6, per_domain_per_second: 1e6 }
const admission = createAdmission({ limit: 16 })
const gate = createGate({ admission, limits, deadline_ms: 8_000, monotonic, share: backend.targets })
const plans = { startup: { quota: 10_000, period: 'month' as const } }
const { cache, flights } = backend
const answers = createAnswers({
  ...{
    callers: createCallers({ store: backend, plans, clock }),
    policy: 'test',
    vetting: unvetted,
    history: null,
    clock,
  },
  ...{ cache, flights, gate },
  checker: {
    async check({ domain }) {
      await pause(20)
      return { result: { domain, verdict: 'safe', signal_details: [] }, class: 'complete' }
    },
  },
})
if (backend.jobs === null) throw new Error('the backend has no jobs')
createJobRunner({
  ...{ store: backend.jobs, vetting: unvetted, politeness: { at_once: 100, pause_ms: 0 }, clock },
  ask: createJobAnswers({ answers: () => answers, keys: backend.keys, log: console, clock }),
  ran: () => process.stdout.write('ran\n'),
  limits: { lease_ms: Number(lease), look_ms: 20, sleep_ms: 100, failure_ms: 100 },
}).start()
process.stdout.write('started\n')
// The timers of the runner keep no process alive.
setInterval(() => {}, 1_000)
