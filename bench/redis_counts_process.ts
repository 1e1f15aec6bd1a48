// One instance's store in a process of its own: counts answers as fast as Redis does, and stores what checks store.
import { randomBytes } from 'node:crypto'
import { systemClock } from '../src/clock.ts'
import { readSettings } from '../src/config/config.ts'
import type { Backend } from '../src/store/backend.ts'
import { newResultId } from '../src/store/history.ts'
import { openBackend } from '../src/store/open_backend.ts'
import { prepareBody } from '../src/store/result_cache.ts'
import { answerTasks } from './child.ts'
import { type Repeat, repeat } from './repeat.ts'

/** Requests at once, as many as an instance has under load. */
const together = 64
const plan = { quota: 1_000_000_000, period: 'month' } as const

let store: Backend | undefined

answerTasks({
  async open({ url, results = null, data }: { url: string; results?: string | null; data: string }) {
    const { config } = readSettings(
      { store: url, redis: { command_ms: 5_000 }, cache: { store: results } },
      data,
      {},
      { data },
    )
    store = await openBackend(config, systemClock, () => {})
  },
  /** Resolves with the number of answers. */
  async count({ accounts, seconds }: { accounts: readonly string[]; seconds: number }) {
    const charge = store?.quota.charge
    if (charge === undefined) throw new Error('not open')
    const end = performance.now() + seconds * 1_000
    let counted = 0
    const client = async (first: number) => {
      for (let turn = first; performance.now() < end; turn += together) {
        const usage = await charge(accounts[turn % accounts.length] as string, plan)
        if ('allowed' in usage) throw new Error('no quota')
        counted += 1
      }
    }
    await Promise.all(Array.from({ length: together }, (_, n) => client(n)))
    return counted
  },
  /** What so many first checks of a target ask of the store, in the order of the service, without the checks. */
  async checks({ first, ...repeated }: Repeat & { first: number }) {
    const { quota, cache, flights, targets, history } = store ?? {}
    if (!quota || !cache || !flights || !targets || !history) throw new Error('not open')
    let next = first
    await repeat(repeated, async () => {
      const domain = `name-${next++}.example`
      const account = `acc_check_${next % ACCOUNTS}`
      await cache.get(domain)
      const grant = await quota.reserve(account, plan)
      if (!grant.allowed) throw new Error('no quota')
      const bytes = await flights.run(domain, async (_, put = cache.put) => {
        const claim = await targets.claim(domain, new Map([['key', 1]]), limits)
        await history.firstSeen({ domain, ip: null })
        if (claim.key !== null) claim.leave()
        const result = bodyOf(domain)
        await put(domain, result, 'complete')
        history.met({ domain, ip: null }, Date.now())
        return result
      })
      await grant.commit()
      history.note(account, bytes)
    })
    await history.written()
  },
  close: () => store?.close(),
})

/** Of the checks. */
const ACCOUNTS = 50
const limits = { at_once: 4, per_second: 8 }
/** Bytes of a result that is kept. */
const RESULT = 6_500

function bodyOf(domain: string): Buffer {
  const summary = { domain, ip: null, checked_at: new Date().toISOString(), risk_score: 0, verdict: 'safe' }
  const judged = { recommendation: 'allow', coverage: { complete: true }, filling: '' }
  const size = prepareBody({ ...summary, ...judged }, newResultId()).length
  const filling = randomBytes((RESULT - size) / 2).toString('hex')
  return prepareBody({ ...summary, ...judged, filling }, newResultId())
}
