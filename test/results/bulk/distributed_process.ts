// A worker of bulk runs, to be killed. A check takes 20 ms and finds every target safe. Arguments: a URL of PostgreSQL, a queue.
import { setTimeout as pause } from 'node:timers/promises'
import { startWorker } from '../../../src/results/bulk/remote/worker.ts'
import { parseTarget, unvetted } from '../../../src/targets/target.ts'
import { openAt } from '../../store/queue_places.ts'

const [place = '', queue = ''] = process.argv.slice(2)
const limits = { lease_ms: 2_000, look_ms: 500, failure_ms: 100, end_ms: 10_000 }
const opened = await openAt(place, { now: Date.now, limits, onFailure: () => {} })
startWorker({
  ...opened,
  queue,
  policy: 'lab',
  incomplete_ms: 60_000,
  concurrency: 4,
  engine: {
    async check({ domain, ip }) {
      await pause(20)
      process.stdout.write(`${domain}\n`)
      return { result: { domain, ip, risk_score: 0, verdict: 'safe' }, class: 'complete' }
    },
  },
  parse: target => parseTarget(target, unvetted),
  onDefect: () => {},
})
setInterval(() => {}, 1_000)
