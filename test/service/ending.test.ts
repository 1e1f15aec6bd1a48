import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { AnalysisUnavailable, Cancelled } from '../../src/engine/analysis.ts'
import { type LabDns, startLabDns } from '../../src/testing/lab_dns.ts'
import { hostsNamed } from './hosts.ts'
import { type Lab, startLab } from './lab.ts'

/** Milliseconds: less than a person notices, more than a busy machine needs. */
const SOON_MS = 2_000

const SHORT_DNS = { dns_try_ms: 200, dns_phase_ms: 500 }

/** Sockets and timers that keep this process busy: the lab's own, and whatever a check has open. */
const resources = () =>
  process
    .getActiveResourcesInfo()
    .filter(name => /^(?:TCP|UDP|TLS|Timeout)/.test(name))
    .sort()

async function settlesTo(expected: readonly string[]): Promise<void> {
  const until = performance.now() + SOON_MS
  while (performance.now() < until && resources().join() !== expected.join()) await pause(10)
  assert.deepEqual(resources(), expected)
}

describe('a check whose resolvers fail', () => {
  let silent: LabDns
  before(async () => {
    silent = await startLabDns({ zones: {}, fault: () => ({ silent: true }) })
  })
  after(() => silent.close())

  const withResolvers = (resolvers: readonly string[]) =>
    startLab({ hosts: hostsNamed('healthy-shop.lab', 'slow.lab'), network: { resolvers, limits: SHORT_DNS } })

  for (const [title, resolvers, reason] of [
    ['are silent', () => [silent.address, silent.address], 'resolver_timeout'],
    ['are not there', () => ['127.0.0.1:1'], 'resolver_unreachable'],
  ] as const) {
    it(`gives no result when all of them ${title}`, async () => {
      const lab = await withResolvers(resolvers())
      await assert.rejects(
        lab.check({ domain: 'healthy-shop.lab' }),
        (error: unknown) => error instanceof AnalysisUnavailable && error.reason === reason,
      )
      assert.deepEqual(lab.internet.web.seen.connections, [])
      await lab.close()
    })
  }

  it('continues with the second when the first does not answer', async () => {
    const lab = await startLab({ hosts: hostsNamed('healthy-shop.lab', 'slow.lab') })
    const both = await withResolvers([silent.address, lab.internet.dns.address])
    const { result } = await both.check({ domain: 'healthy-shop.lab' })
    // Blocklists have too little time to wait for two resolvers on a busy machine; the target itself has not.
    const { dns_security, ssl_info } = result.coverage.sections
    assert.deepEqual([result.verdict, dns_security?.status, ssl_info?.status], ['safe', 'completed', 'completed'])
    await Promise.all([lab.close(), both.close()])
  })
})

describe('a check of a site that never answers', () => {
  let lab: Lab
  let idle: string[]
  before(async () => {
    lab = await startLab({
      hosts: hostsNamed('healthy-shop.lab', 'slow.lab'),
      settings: { check: { deadline_ms: 5_000 } },
    })
    // What the start asked has been answered; its sockets close a moment later
    await pause(200)
    idle = resources()
  })
  after(() => lab.close())

  it('answers at its deadline with what there is', async () => {
    const { result, class: kind, sockets } = await lab.check({ domain: 'slow.lab' })
    const { sections } = result.coverage
    const { status, reason } = sections['security_headers'] ?? {}
    assert.deepEqual([status, reason], ['unavailable', 'deadline'])
    assert.deepEqual([kind, result.coverage.complete], ['withheld', false])
    assert.ok(sockets.every(socket => socket.destroyed))
    await settlesTo(idle)
  })

  it('leaves nothing open when its caller goes', async () => {
    const { length } = lab.internet.web.seen.requests
    const leaving = new AbortController()
    const check = assert.rejects(lab.check({ domain: 'slow.lab' }, leaving.signal), Cancelled)
    while (lab.internet.web.seen.requests.length === length) await pause(5)
    leaving.abort()
    await check
    await settlesTo(idle)
  })

  it('does nothing at all for a caller who is gone already', async () => {
    const { connections } = lab.internet.web.seen
    const { length } = connections
    await assert.rejects(lab.check({ domain: 'slow.lab' }, AbortSignal.abort()), Cancelled)
    assert.equal(connections.length, length)
    await settlesTo(idle)
  })
})
