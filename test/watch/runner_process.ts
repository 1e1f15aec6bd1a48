// The runner as a process of its own, to be killed. Every check finds the opposite of the check before it, and its risk score
// counts the checks. Arguments: `embedded` or a URL of Redis, a directory, milliseconds of the lease, and `deliver` to check
// nothing.
import { createNetwork } from '../../src/network/create_network.ts'
import { createGuard } from '../../src/network/guard.ts'
import { openWatches } from '../../src/store/open_backend.ts'
import type { AskFor } from '../../src/watch/check.ts'
import { createRunner } from '../../src/watch/runner.ts'
import { createWebhooks } from '../../src/watch/webhook.ts'

const [store = '', data = '', lease = '', mode = ''] = process.argv.slice(2)

const ask: AskFor = async ({ state: { last } }) => {
  if (mode === 'deliver') return { ok: false, code: 'overloaded', retry_ms: 1_000_000 }
  const verdict = last?.verdict === 'safe' ? 'malicious' : 'safe'
  const judged = {
    risk_score: (last?.risk_score ?? 0) + 1,
    checked_at: '2026-11-15T00:00:00Z',
    recommendation: 'allow',
  }
  return { ok: true, result: { domain: 'shop.example', verdict, ...judged, coverage: { sections: {} } } }
}

const network = createNetwork({ resolvers: ['127.0.0.1:9'], guard: createGuard() })
createRunner({
  store: await openWatches({ store: store === 'embedded' ? null : store, data }, () => {}),
  webhooks: createWebhooks({ allow_private: ['127.0.0.1'], deny: [], url_ports: [80] }, network.open),
  ...{ ask, clock: { now: Date.now, monotonic: () => performance.now() }, public_url: null },
  limits: { lease_ms: Number(lease), cut_off_ms: 300, look_ms: 20, sleep_ms: 100 },
}).start()
// The timers of the runner keep no process alive.
setInterval(() => {}, 1_000)
