// Answers for jobs over a real backend. A check takes 20 ms and finds every target safe.
import { setTimeout as pause } from 'node:timers/promises'
import { createAdmission } from '../../src/api/admission.ts'
import { createAnswers } from '../../src/api/answers.ts'
import { createCallers } from '../../src/api/callers.ts'
import { createJobAnswers } from '../../src/api/job_answers.ts'
import { createGate } from '../../src/api/limits.ts'
import type { AskForJob } from '../../src/jobs/run_job.ts'
import type { Backend } from '../../src/store/backend.ts'
import { unvetted } from '../../src/targets/target.ts'

export const clock = { now: Date.now, monotonic: () => performance.now() }
export const ALLOWANCE = { quota: 10_000, period: 'month' } as const

export function askOver(backend: Backend): AskForJob {
  const limits = { per_key: 20, per_key_per_second: 1e6, per_domain: 1e6, per_domain_per_second: 1e6 }
  const admission = createAdmission({ limit: 16 })
  const { monotonic } = clock
  const gate = createGate({ admission, limits, deadline_ms: 8_000, monotonic, share: backend.targets })
  const { cache, flights, keys } = backend
  const answers = createAnswers({
    callers: createCallers({ store: backend, plans: { startup: ALLOWANCE }, clock }),
    checker: {
      async check({ domain }) {
        await pause(20)
        return { result: { domain, verdict: 'safe', signal_details: [] }, class: 'complete' }
      },
    },
    ...{ cache, flights, gate, policy: 'test', vetting: unvetted, history: null, clock },
  })
  return createJobAnswers({ answers: () => answers, keys, log: console, clock })
}
