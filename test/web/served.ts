// The whole service on a loopback port beside a lab internet, for a browser.

import { systemClock } from '../../src/base/clock.ts'
import { createLog } from '../../src/service/api/log.ts'
import { createMetrics } from '../../src/service/api/metrics.ts'
import { createSectionWatch } from '../../src/service/api/progress.ts'
import { Api } from '../../src/service/serve_api.ts'
import { createService } from '../../src/service/service.ts'
import { openBackend } from '../../src/store/open_backend.ts'
import { type LabHost, startLabInternet } from '../../src/testing/lab_internet.ts'
import { configured, labSettings } from '../service/lab.ts'
import { temporaryDirectory } from '../temporary_directory.ts'

export interface ServedPage {
  readonly url: string
  readonly key: string
  /** Of another account, which may have one answer. */
  readonly pauper: string
  /** Answers counted for the first key so far. */
  used(): Promise<number>
  /** The service's log so far. */
  lines(): readonly Record<string, unknown>[]
  close(): Promise<void>
}

const plans = { startup: { quota: 1_000, period: 'month' }, single: { quota: 1, period: 'month' } } as const

export async function servePage(hosts: readonly LabHost[]): Promise<ServedPage> {
  const internet = await startLabInternet(hosts)
  const settings = {
    ...labSettings(internet, {}),
    data: temporaryDirectory(),
    plans,
    lookalikes: { names: 200, per_second: 1_000 },
    server: { drain_delay_ms: 0 },
  }
  const { config, registry } = await configured(settings)
  const written: string[] = []
  const log = createLog('info', { write: line => written.push(line) })
  const sections = createSectionWatch()
  const store = await openBackend(config, systemClock, () => {})
  const parts = { dial: internet.dial, extra_roots: internet.root, extensions: [sections.extension] }
  const service = await createService({ config, registry, ...parts })
  const api = new Api({ config, registry, service, store, metrics: createMetrics(), log, watch: sections.watch })
  const { port } = await api.server.listen(0, '127.0.0.1')
  api.startRunners()
  const [{ text: key, key: first }, { text: pauper }] = await Promise.all([
    store.keys.create({ plan: 'startup', label: 'browser' }),
    store.keys.create({ plan: 'single', label: 'pauper' }),
  ])
  return {
    url: `http://127.0.0.1:${port}`,
    key,
    pauper,
    used: async () => (await store.quota.usage(first.account, plans.startup)).used,
    lines: () => written.map(line => JSON.parse(line)),
    async close() {
      await api.drain(0)
      await service.close()
      await store.close()
      await internet.close()
    },
  }
}
