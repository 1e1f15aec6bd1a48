import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { CpuQueue } from '../../src/base/cpu_queue.ts'
import { createUpstreamQueue } from '../../src/base/scheduler/upstream_queue.ts'
import type { GatherContext } from '../../src/evidence/evidence.ts'
import type { IpNetwork } from '../../src/evidence/ip_network/facts.ts'
import createIpNetworkGatherer from '../../src/evidence/ip_network/gather.ts'
import { noNetwork } from '../../src/evidence/ip_network/network_answer.ts'
import { createRegistrationCache } from '../../src/evidence/registration/lookup.ts'
import { createAskRegistry, createRegistryPauses } from '../../src/evidence/registration/registry.ts'
import { type Bootstrap, blockEntry, parseBootstrap } from '../../src/knowledge/datasets/bootstrap.ts'
import { createNetwork } from '../../src/network/create_network.ts'
import { createFetch } from '../../src/network/fetch.ts'
import { createGuard } from '../../src/network/guard.ts'
import type { Network } from '../../src/network/network.ts'
import type { Target } from '../../src/targets/target.ts'
import { type LabInternet, startLabInternet } from '../../src/testing/lab_internet.ts'
import type { LabRequest, LabResponse } from '../../src/testing/lab_web.ts'
import { farDeadline, PATIENT } from '../patience.ts'
import { domainTarget, ipTarget } from './lab_check.ts'
import { outcome } from './lab_visit.ts'

const registry = 'rdap.europe.lab'
const other = 'rdap.america.lab'

const file = (version: 4 | 6, entries: readonly string[], ...urls: readonly string[]): Bootstrap | null =>
  parseBootstrap(JSON.stringify({ services: [[entries, urls]] }), blockEntry(version))

const files = {
  4: file(4, ['193.0.0.0/8'], `https://${registry}/`),
  6: file(6, ['2a10::/12'], `https://${registry}/v1`),
}

/** Milliseconds for an answer that never arrives, and for one that does. */
const SHORT_MS = 400
const LONG_MS = 60_000

/** A network in the registry: its first and last address. */
const network = (startAddress: string, endAddress: string): LabResponse => ({
  headers: [['Content-Type', 'application/rdap+json']],
  body: JSON.stringify({
    objectClassName: 'ip network',
    startAddress,
    endAddress,
    name: 'HARBOUR-NET',
    links: [{ rel: 'up', href: 'https://10.0.0.1/ip/193.0.0.0' }],
  }),
})

const told = (ip: string, start_address: string, end_address: string): IpNetwork => ({
  ...noNetwork,
  ip,
  registered: true,
  start_address,
  end_address,
  name: 'HARBOUR-NET',
})

describe('the network of an address', () => {
  let lab: LabInternet
  let network_: Network
  let answer: (request: LabRequest) => LabResponse | Promise<LabResponse> = () => ({})
  let passed = 0
  const clock = { now: () => Date.parse('2026-11-20T12:00:00Z') + passed, monotonic: () => performance.now() + passed }

  before(async () => {
    const serve = (request: LabRequest) => answer(request)
    lab = await startLabInternet([
      { name: registry, addresses: ['93.184.216.34'], https: serve },
      { name: other, addresses: ['93.184.216.35'], https: serve },
    ])
    network_ = createNetwork({
      resolvers: [lab.dns.address],
      guard: createGuard({ own: () => [] }),
      dial: lab.dial,
      fetch: createFetch({ extra_roots: lab.root }),
      limits: PATIENT,
    })
  })
  after(async () => {
    await network_.close()
    await lab.close()
  })
  beforeEach(() => {
    lab.web.seen.requests.length = 0
    answer = () => network('193.0.14.0', '193.0.15.255')
    passed = 0
  })

  /** One installation with its own cache and pauses; each call is one check. */
  function installation({
    known = files,
    timeout_ms = LONG_MS,
  }: {
    known?: Partial<typeof files>
    timeout_ms?: number
  } = {}) {
    const { monotonic } = clock
    const queue = createUpstreamQueue(() => ({ at_once: 4, per_second: null }), monotonic)
    const gather = createIpNetworkGatherer({
      ip_network: {
        bootstrap: version => known[version] ?? null,
        cache: createRegistrationCache('networks', clock),
        ask: createAskRegistry({ pauses: createRegistryPauses(clock), queue }),
        clock,
        timeout_ms,
      },
    })
    return async (target: Target) => {
      const check = new AbortController()
      const scope = { signal: check.signal, deadline: farDeadline() }
      const context: GatherContext = {
        target,
        now: new Date(clock.now()),
        ...scope,
        network: network_.open(scope),
        cpu: new CpuQueue().open(''),
        shared: new Map(),
        gather: () => Promise.reject(new Error('needs no other evidence')),
      }
      try {
        return await outcome(gather(context))
      } finally {
        check.abort()
      }
    }
  }
  const paths = () => lab.web.seen.requests.map(({ host, url }) => host + url)

  it('is looked up once at the registry of its address space, following no links', async () => {
    assert.deepEqual(await installation()(ipTarget('193.0.14.115')), told('193.0.14.115', '193.0.14.0', '193.0.15.255'))
    assert.deepEqual(paths(), [`${registry}/ip/193.0.14.115`])
  })

  it('is looked up at the registry of IPv6', async () => {
    answer = () => network('2a10:3781::', '2a10:3781:ffff:ffff:ffff:ffff:ffff:ffff')
    const gather = installation()
    assert.deepEqual(
      [await gather(ipTarget('2a10:3781:1::10')), await gather(ipTarget('2a10:3781:1:2::3'))],
      ['2a10:3781:1::10', '2a10:3781:1:2::3'].map(ip =>
        told(ip, '2a10:3781::', '2a10:3781:ffff:ffff:ffff:ffff:ffff:ffff'),
      ),
    )
    assert.deepEqual(paths(), [`${registry}/v1/ip/2a10:3781:1::10`])
  })

  it('is looked up once per block, and again for another block of the same network', async () => {
    const gather = installation()
    const asked = ['193.0.14.115', '193.0.14.0', '193.0.14.255', '193.0.15.1']
    for (const ip of asked) assert.deepEqual(await gather(ipTarget(ip)), told(ip, '193.0.14.0', '193.0.15.255'))
    assert.deepEqual(paths(), [`${registry}/ip/193.0.14.115`, `${registry}/ip/193.0.15.1`])
  })

  it('is cached for the address alone when it is smaller than the block', async () => {
    answer = ({ url }) =>
      url === '/ip/193.0.14.115' ? network('193.0.14.112', '193.0.14.119') : network('193.0.14.0', '193.0.15.255')
    const gather = installation()
    const small = told('193.0.14.115', '193.0.14.112', '193.0.14.119')
    for (const expected of [small, told('193.0.14.1', '193.0.14.0', '193.0.15.255'), small]) {
      assert.deepEqual(await gather(ipTarget(expected.ip)), expected)
    }
    assert.equal(paths().length, 2)
  })

  it('is looked up again after a day', async () => {
    const gather = installation()
    await gather(ipTarget('193.0.14.115'))
    passed = 86_500_000
    await gather(ipTarget('193.0.14.115'))
    assert.equal(paths().length, 2)
  })

  it('is looked up once for concurrent checks', async () => {
    const gather = installation()
    await Promise.all([gather(ipTarget('193.0.14.115')), gather(ipTarget('193.0.14.115'))])
    assert.equal(paths().length, 1)
  })

  it('is looked up at another registry that now has the block', async () => {
    answer = ({ host }) =>
      host === registry
        ? { status: 303, headers: [['Location', `https://${other}/ip/193.0.14.115`]] }
        : network('193.0.14.0', '193.0.15.255')
    assert.deepEqual(await installation()(ipTarget('193.0.14.115')), told('193.0.14.115', '193.0.14.0', '193.0.15.255'))
  })

  it('is not registered when the registry knows none', async () => {
    answer = () => ({ status: 404 })
    assert.deepEqual(await installation()(ipTarget('193.0.14.115')), { ...noNetwork, ip: '193.0.14.115' })
  })

  const silent: readonly [title: string, answer: () => LabResponse | Promise<LabResponse>, reason: string][] = [
    ['the registry is broken', () => ({ status: 500 }), 'rdap_500'],
    [
      'the registry sends into a network that is not public',
      () => ({ status: 302, headers: [['Location', 'https://10.0.0.1/']] }),
      'rdap_redirect_to_non_public',
    ],
    ['the answer is of another network', () => network('193.0.16.0', '193.0.16.255'), 'rdap_other_network'],
    ['the answer is none', () => ({ body: '<html>' }), 'rdap_unreadable'],
    ['no answer comes', () => new Promise(() => {}), 'rdap_timeout'],
  ]
  for (const [title, response, reason] of silent) {
    it(`is unknown when ${title}`, async () => {
      answer = response
      const gather = installation({ timeout_ms: reason === 'rdap_timeout' ? SHORT_MS : LONG_MS })
      assert.equal(await gather(ipTarget('193.0.14.115')), `Unavailable: ${reason}`)
    })
  }

  it('is not looked up while its registry asks for a pause', async () => {
    answer = () => ({ status: 429, headers: [['Retry-After', '120']] })
    const gather = installation()
    const said = [await gather(ipTarget('193.0.14.115')), await gather(ipTarget('193.0.99.1'))]
    passed = 121_000
    answer = () => network('193.0.14.0', '193.0.15.255')
    said.push(await gather(ipTarget('193.0.14.115')))
    assert.deepEqual(said, [
      'Unavailable: rdap_429',
      'Unavailable: rdap_paused',
      told('193.0.14.115', '193.0.14.0', '193.0.15.255'),
    ])
  })

  it('is unknown without the bootstrap file of its version, and has no registry without a matching entry', async () => {
    const gather = installation({ known: { 4: files[4] } })
    assert.deepEqual(
      [await gather(ipTarget('2a10:3781:1::10')), await gather(ipTarget('62.0.0.1'))],
      ['Unavailable: not_configured', 'NotApplicable: no_registry_service'],
    )
  })

  it('does not apply to a domain, which has a registration', async () => {
    assert.equal(await installation()(domainTarget('example.com')), 'NotApplicable: domain_target')
    assert.deepEqual(paths(), [])
  })
})
