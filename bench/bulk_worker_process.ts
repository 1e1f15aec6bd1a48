// A bulk worker that answers every check with the result of a usual site, at once or after a while.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startWorker } from '../src/bulk/remote/work.ts'
import { CONCURRENCY } from '../src/cli/arguments.ts'
import type { CheckResult } from '../src/engine/engine.ts'
import { packageRoot } from '../src/package_root.ts'
import { parseTarget, type Target, unvetted } from '../src/targets/target.ts'
import { answerTasks } from './child.ts'

const shop = JSON.parse(readFileSync(join(packageRoot, 'test/golden/results/shop.json'), 'utf8')) as object

export interface BulkWorkerTask {
  readonly url: string
  readonly queue: string
  /** Milliseconds of each check. */
  readonly check_ms: number
  readonly lease_ms: number
}

answerTasks({
  async start({ url, queue, check_ms, lease_ms }: BulkWorkerTask) {
    const check = async ({ domain, ip }: Target): Promise<CheckResult> => {
      if (check_ms > 0) await pause(check_ms)
      return { result: { ...shop, domain, ip }, class: 'complete' }
    }
    await startWorker({
      ...{ url, queue, concurrency: CONCURRENCY, lease_ms },
      ...{ policy: 'bench', incomplete_ms: 60_000 },
      engine: { check },
      parse: target => parseTarget(target, unvetted),
      onError: () => {},
      onDefect: () => {},
    })
  },
})
