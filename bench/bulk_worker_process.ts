// A bulk worker that answers every check at once with the result of a usual site, so that only the queue is measured.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RunningWorker, startWorker } from '../src/bulk/remote/work.ts'
import { packageRoot } from '../src/package_root.ts'
import { parseTarget, unvetted } from '../src/targets/target.ts'
import { answerTasks } from './child.ts'

const shop = JSON.parse(readFileSync(join(packageRoot, 'test/golden/results/shop.json'), 'utf8')) as object
let worker: RunningWorker | undefined

answerTasks({
  async start({ url, queue }: { url: string; queue: string }) {
    worker = await startWorker({
      ...{ url, queue, concurrency: 64, lease_ms: 15_000 },
      engine: { check: async ({ domain, ip }) => ({ result: { ...shop, domain, ip }, class: 'complete' }) },
      parse: data => parseTarget(data, unvetted),
      onError: () => {},
      onDefect: () => {},
    })
  },
  answered: () => worker?.answered ?? 0,
})
