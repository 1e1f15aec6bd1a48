// A real Unbound as the resolver: with an uplink to a small internet of its own, and without any.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AnalysisUnavailable } from '../../src/engine/analysis.ts'
import { startLabInternet } from '../../src/testing/lab_internet.ts'
import { startUnbound, withoutUnbound } from '../unbound_server.ts'
import { labSettings, serviceFor, targetOf } from './lab.ts'

const forwardTo = (address: string) => `forward-zone:\n  name: "."\n  forward-addr: ${address.replace(':', '@')}\n`

/** Limits for a resolver of which no answer can be hoped. */
const BROKEN = { dns_try_ms: 1_000, dns_phase_ms: 2_500 }

/** How Unbound comes to know nothing, and what the proof makes of its answers. */
const broken: readonly (readonly [what: string, lines: string, reasons: readonly string[]])[] = [
  ['that has lost its uplink', forwardTo('127.0.0.1:1'), ['resolver_servfail', 'resolver_timeout']],
  ['that refuses us', 'server:\n  access-control: 127.0.0.0/8 refuse\n', ['resolver_refused']],
  [
    'that a filter has made deny everything',
    'server:\n  local-zone: "." always_nxdomain\n',
    ['resolver_denies_what_exists'],
  ],
  [
    'that a filter has made empty of everything',
    'server:\n  local-zone: "." always_nodata\n',
    ['resolver_denies_what_exists'],
  ],
]

describe('a service behind Unbound', { skip: withoutUnbound, timeout: 300_000 }, () => {
  const open = async (lines: (dns: string) => string, limits = {}) => {
    const internet = await startLabInternet([
      { name: 'site.lab', addresses: ['193.0.14.90'], https: () => ({ body: '<title>A site</title>' }) },
    ])
    const unbound = await startUnbound(lines(internet.dns.address))
    const settings = labSettings(internet, { resolvers: [unbound.address], limits })
    const service = await serviceFor(settings, { dial: internet.dial, extra_roots: internet.root })
    await service.prove()
    return {
      service,
      check: async (domain: string) => (await service.engine.check(targetOf(service, { domain }))).result,
      async close() {
        await service.close()
        await unbound.stop()
        await internet.close()
      },
    }
  }

  it('proves it, and distinguishes a name that exists from one that does not', async t => {
    const { service, check, close } = await open(forwardTo)
    t.after(close)
    const [resolver] = service.resolvers()
    assert.deepEqual([resolver?.state, resolver?.fault, resolver?.rewrites], ['healthy', null, false])
    assert.equal((await check('site.lab'))['verdict'], 'safe')
    assert.deepEqual((await check('no-such-name.lab'))['signals'], ['domain_not_found'])
  })

  for (const [what, lines, reasons] of broken) {
    it(`gives no verdict through one ${what}`, async t => {
      const { check, close } = await open(() => lines, BROKEN)
      t.after(close)
      for (const domain of ['site.lab', 'no-such-name.lab']) {
        await assert.rejects(check(domain), error => {
          assert.ok(error instanceof AnalysisUnavailable, String(error))
          assert.match(error.detail ?? '', /^The DNS resolver is down since /)
          assert.ok(reasons.includes(error.reason), error.reason)
          return true
        })
      }
    })
  }
})
