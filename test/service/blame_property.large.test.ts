// Whose fault it is, through the whole service: generated behaviour of a target's servers against the state of our instruments.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { AnalysisUnavailable } from '../../src/engine/analysis.ts'
import { knownLists } from '../../src/evidence/listings/known_lists.ts'
import { knownDatasets } from '../../src/knowledge/datasets/known_datasets.ts'
import type { LabFault, LabQuestion } from '../../src/testing/lab_dns.ts'
import { type LabHost, type LabInternet, startLabInternet } from '../../src/testing/lab_internet.ts'
import { close, hello, reset, send } from '../../src/testing/lab_script.ts'
import { temporaryDirectory } from '../temporary_directory.ts'
import { labSettings, serviceFor, targetOf } from './lab.ts'

const DNS_FAULTS: Readonly<Record<string, (question: LabQuestion) => LabFault | undefined>> = {
  honest: () => undefined,
  silent: () => ({ silent: true }),
  refused: () => ({ rcode: 'REFUSED' }),
  servfail: () => ({ rcode: 'SERVFAIL' }),
  nxdomain: () => ({ rcode: 'NXDOMAIN' }),
  empty: () => ({ records: {} }),
  cut: () => ({ raw: reply => [reply.subarray(0, reply.length - 1)] }),
  noise: () => ({ raw: () => [Buffer.from('no DNS at all')] }),
  alias_loop: ({ name }) => ({ records: { CNAME: [name] } }),
}
const NETWORK_FAULTS = ['closed', 'black_hole', 'hangs_up', 'resets', 'noise', 'not_http', 'page'] as const
const TYPES = ['A', 'AAAA', 'NS', 'MX', 'TXT', 'CAA', 'DS']

interface Behaviour {
  /** By type of the question. */
  readonly dns: Readonly<Record<string, string>>
  readonly http: (typeof NETWORK_FAULTS)[number]
  readonly https: (typeof NETWORK_FAULTS)[number]
  readonly listed: boolean
}

const dnsFault = fc.oneof(
  { weight: 2, arbitrary: fc.constant('honest') },
  { weight: 3, arbitrary: fc.constantFrom(...Object.keys(DNS_FAULTS)) },
)
const anyBehaviour: fc.Arbitrary<Behaviour> = fc.record({
  dns: fc.record(Object.fromEntries(TYPES.map(type => [type, dnsFault]))),
  http: fc.constantFrom(...NETWORK_FAULTS),
  https: fc.constantFrom(...NETWORK_FAULTS),
  listed: fc.boolean(),
})

/** Targets that are checked side by side in one service. */
const TARGETS = 16
const anyTargets = fc.array(anyBehaviour, { minLength: TARGETS, maxLength: TARGETS })

const nameOf = (at: number) => `target-${at}.lab`
const addressOf = (at: number) => `193.0.14.${100 + at}`

async function behave({ web }: LabInternet, address: string, port: 80 | 443, fault: Behaviour['http']): Promise<void> {
  const scripts = {
    hangs_up: [close()],
    resets: [reset()],
    noise: [hello(), send('\u0000\u0001no protocol\r\n\r\n'), close()],
    not_http: [hello(), send('HTTP/9.9 what\r\n\r\n'), close()],
    page: [hello(), send('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: text/html\r\n\r\nhi'), close()],
  }
  if (fault === 'black_hole') web.place(address, port, 'black_hole')
  else if (fault !== 'closed') await web.script(address, port, scripts[fault])
}

interface Condition {
  readonly dns?: LabFault
  readonly wayOut?: 'down'
}

/** How each check ended: its verdict, or the reason of its refusal. */
async function endingsOf(targets: readonly Behaviour[], { dns, wayOut }: Condition): Promise<string[]> {
  const hosts: LabHost[] = [
    { name: 'control.lab', addresses: ['193.0.14.70'], https: () => ({ body: 'up' }) },
    ...targets.map((_, at) => ({ name: nameOf(at), addresses: [addressOf(at)] })),
  ]
  const fault = (question: LabQuestion) => {
    if (dns) return dns
    const [, at] = /(?:^|\.)target-(\d+)\.lab$/.exec(question.name) ?? []
    const kind = at === undefined ? undefined : targets[Number(at)]?.dns[question.type]
    return kind === undefined ? undefined : DNS_FAULTS[kind]?.(question)
  }
  const internet = await startLabInternet(hosts, { fault, chase: false })
  for (const [at, { http, https }] of targets.entries()) {
    await behave(internet, addressOf(at), 80, http)
    await behave(internet, addressOf(at), 443, https)
  }
  const list = join(temporaryDirectory(), 'list')
  writeFileSync(list, `listed.example\n${targets.map(({ listed }, at) => (listed ? `${nameOf(at)}\n` : '')).join('')}`)
  const off = Object.fromEntries(knownDatasets.map(({ id }) => [id, false]))
  const limits = {
    dns_try_ms: 1_000,
    dns_phase_ms: 2_500,
    dns_queries: 60,
    connect_ms: 2_000,
    tls_ms: 3_000,
    headers_ms: 3_000,
  }
  const settings = {
    ...labSettings(internet, { resolvers: [internet.dns.address], egress_controls: ['control.lab'], limits }),
    blocklists: { enabled: Object.fromEntries(knownLists.map(({ id }) => [id, false])) },
    datasets: { ...off, own: { use: 'feed', path: list, category: 'phishing', strength: 'strong' } },
    plugins: { geo_location: false, carbon_footprint: false },
  }
  const dial = wayOut === 'down' ? () => new Socket() : internet.dial
  const service = await serviceFor(settings, { dial, extra_roots: internet.root })
  try {
    await service.start()
    return await Promise.all(
      targets.map(async (_, at) => {
        try {
          const { result } = await service.engine.check(targetOf(service, { domain: nameOf(at) }))
          return result['verdict'] as string
        } catch (error) {
          if (error instanceof AnalysisUnavailable) return error.reason
          throw error
        }
      }),
    )
  } finally {
    await service.close()
    await internet.close()
  }
}

const RUNS = { numRuns: 2 }

describe('the servers of a target, whatever they do,', { timeout: 300_000 }, () => {
  it('leave no check without a result while our instruments are healthy', async () => {
    await fc.assert(
      fc.asyncProperty(anyTargets, async targets => {
        const endings = await endingsOf(targets, {})
        const verdicts = ['safe', 'suspicious', 'malicious']
        assert.deepEqual(
          endings.filter(ending => !verdicts.includes(ending)),
          [],
        )
        for (const [at, { listed }] of targets.entries()) assert.equal(endings[at] === 'malicious', listed)
      }),
      RUNS,
    )
  })

  const conditions: readonly (readonly [what: string, condition: Condition, reason: string])[] = [
    ['our resolver fails', { dns: { rcode: 'SERVFAIL' } }, 'resolver_servfail'],
    ['our resolver denies everything', { dns: { rcode: 'NXDOMAIN' } }, 'resolver_denies_what_exists'],
  ]
  for (const [what, condition, reason] of conditions) {
    it(`never get a safe verdict while ${what}`, async () => {
      await fc.assert(
        fc.asyncProperty(anyTargets, async targets => {
          const endings = await endingsOf(targets, condition)
          const expected = targets.map(({ listed }) => (listed ? 'malicious' : reason))
          assert.deepEqual(endings, expected)
        }),
        { numRuns: 1 },
      )
    })
  }

  it('never get a safe verdict while our way out is down', async () => {
    await fc.assert(
      fc.asyncProperty(anyTargets, async targets => {
        const endings = await endingsOf(targets, { wayOut: 'down' })
        assert.ok(!endings.includes('safe'), endings.join(', '))
        for (const [at, { listed }] of targets.entries()) assert.equal(endings[at] === 'malicious', listed)
      }),
      { numRuns: 1 },
    )
  })
})
