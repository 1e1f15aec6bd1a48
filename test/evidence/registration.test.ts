import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { CpuQueue } from '../../src/base/cpu_queue.ts'
import { createUpstreamQueue } from '../../src/base/scheduler/upstream_queue.ts'
import type { GatherContext } from '../../src/evidence/evidence.ts'
import type { Registration } from '../../src/evidence/registration/facts.ts'
import { notRegistered } from '../../src/evidence/registration/facts.ts'
import createRegistrationGatherer from '../../src/evidence/registration/gather.ts'
import { createRegistrationCache } from '../../src/evidence/registration/lookup.ts'
import { createAskRegistry, createRegistryPauses } from '../../src/evidence/registration/registry.ts'
import { parseBootstrap } from '../../src/knowledge/datasets/bootstrap.ts'
import { type AskLater, createAskLater } from '../../src/knowledge/upstreams/ask_later.ts'
import { createNetwork } from '../../src/network/create_network.ts'
import { createFetch } from '../../src/network/fetch.ts'
import { createGuard } from '../../src/network/guard.ts'
import type { Network } from '../../src/network/network.ts'
import type { Target } from '../../src/targets/target.ts'
import { type LabInternet, startLabInternet } from '../../src/testing/lab_internet.ts'
import { close, drip, flood, reset, type Step, send, wait } from '../../src/testing/lab_script.ts'
import type { LabRequest, LabResponse } from '../../src/testing/lab_web.ts'
import { farDeadline, PATIENT } from '../patience.ts'
import { domainTarget, ipTarget } from './lab_check.ts'
import { outcome } from './lab_visit.ts'

const registry = 'rdap.registry.lab'
const other = 'rdap.other.lab'
const wrong = 'rdap.wrong.lab'
const registryAddress = '93.184.216.34'
const whoisAddress = '93.184.216.43'

const services = {
  com: [`https://${registry}/v1/`],
  net: [`https://gone.registry.lab/`, `https://${other}/`],
  org: ['https://10.0.0.1/'],
  info: [`https://${wrong}/`],
  name: ['https://nowhere.registry.lab/'],
  biz: [`http://${registry}/v1/`, `https://gone.registry.lab/`],
}
const bootstrap = parseBootstrap(
  JSON.stringify({ services: Object.entries(services).map(([tld, urls]) => [[tld], urls]) }),
)

interface Loaded {
  readonly at_once?: number
  readonly later?: AskLater
}

/** Milliseconds for an answer that never arrives, and for one that does. */
const SHORT_MS = 400
const LONG_MS = 60_000
const patience = (expected: unknown): number => (String(expected).endsWith('_timeout') ? SHORT_MS : LONG_MS)

const found = (ldhName: string): LabResponse => ({
  headers: [['Content-Type', 'application/rdap+json']],
  body: JSON.stringify({
    objectClassName: 'domain',
    ldhName,
    events: [{ eventAction: 'registration', eventDate: '2009-01-01T00:00:00Z' }],
    links: [{ rel: 'related', href: 'https://10.0.0.1/domain/x' }],
    notices: [{ links: [{ href: 'http://127.0.0.1:22/' }] }],
  }),
})

const said = (source: Registration['source'], domain: string): Registration => ({
  ...notRegistered,
  source,
  domain,
  registered: true,
  registered_at: '2009-01-01T00:00:00Z',
})

const redirect = (location: string): LabResponse => ({ status: 302, headers: [['Location', location]] })
const json = (status: number, ...headers: (readonly [string, string])[]): LabResponse => ({
  status,
  headers: [['Content-Type', 'application/rdap+json'], ...headers],
  body: JSON.stringify({ errorCode: status }),
})

describe('the registration of a domain', () => {
  let lab: LabInternet
  let network: Network
  /** The registry's responses, by the last part of the path. */
  let answers: (request: LabRequest) => LabResponse | Promise<LabResponse> = () => ({})
  let passed = 0
  const clock = { now: () => Date.parse('2026-11-20T12:00:00Z') + passed, monotonic: () => performance.now() + passed }

  before(async () => {
    const serve = (request: LabRequest) => answers(request)
    lab = await startLabInternet([
      { name: registry, addresses: [registryAddress], http: serve, https: serve },
      { name: other, addresses: ['93.184.216.35'], https: serve },
      { name: wrong, addresses: ['93.184.216.36'], https: serve, certificate: { self_signed: true } },
      { name: 'gone.registry.lab', addresses: ['93.184.216.37'] },
      { name: 'whois.nic.uk', addresses: [whoisAddress] },
    ])
  })
  after(() => lab.close())
  afterEach(() => network.close())
  beforeEach(() => {
    const guard = createGuard({ own: () => [] })
    const fetch = createFetch({ extra_roots: lab.root })
    network = createNetwork({ resolvers: [lab.dns.address], guard, dial: lab.dial, fetch, limits: PATIENT })
    lab.web.seen.requests.length = 0
    lab.web.seen.connections.length = 0
    answers = ({ url }) => found(url.split('/').at(-1) ?? '')
    passed = 0
  })

  /** One installation with its own cache and pauses; each call is one check. */
  function installation(boot = bootstrap, timeout_ms = LONG_MS, { at_once = 4, later }: Loaded = {}) {
    const { monotonic } = clock
    const queue = createUpstreamQueue(() => ({ at_once, per_second: null }), monotonic)
    const gather = createRegistrationGatherer({
      registration: {
        bootstrap: () => boot,
        cache: createRegistrationCache('registrations', clock),
        ask: createAskRegistry({ pauses: createRegistryPauses(clock), queue }),
        clock,
        timeout_ms,
        later,
      },
    })
    return async (target: Target, check = new AbortController()): Promise<Registration> => {
      const scope = { signal: check.signal, deadline: farDeadline() }
      const context: GatherContext = {
        target,
        now: new Date(clock.now()),
        ...scope,
        network: network.open(scope),
        cpu: new CpuQueue().open(''),
        shared: new Map(),
        gather: () => Promise.reject(new Error('needs no other evidence')),
      }
      try {
        return await gather(context)
      } finally {
        check.abort()
      }
    }
  }

  const ask = (domain: string, boot = bootstrap, timeout_ms = LONG_MS) =>
    outcome(installation(boot, timeout_ms)(domainTarget(domain)))
  const paths = () => lab.web.seen.requests.map(({ host, url }) => host + url)

  it('is looked up once by RDAP, following no links', async () => {
    assert.deepEqual(await ask('example.com'), said('rdap', 'example.com'))
    assert.deepEqual(paths(), ['rdap.registry.lab/v1/domain/example.com'])
    assert.deepEqual(lab.web.seen.connections, [`${registryAddress}:443`])
    assert.equal(lab.web.seen.requests[0]?.headers['accept'], 'application/rdap+json, application/json;q=0.9')
  })

  it('is looked up for the registered domain, not for a name below it or a private suffix', async () => {
    const target = domainTarget('www.user.pages.com', 'user.pages.com', 'pages.com')
    assert.equal((await installation()(target)).domain, 'pages.com')
    assert.deepEqual(paths(), ['rdap.registry.lab/v1/domain/pages.com'])
  })

  it('is absent when the registry answers 404', async () => {
    answers = () => json(404)
    assert.deepEqual(await ask('example.com'), { ...notRegistered, source: 'rdap', domain: 'example.com' })
  })

  const failing: readonly (readonly [
    what: string,
    answer: () => LabResponse | Promise<LabResponse>,
    reason: string,
  ])[] = [
    ['answers 500', () => json(500), 'rdap_500'],
    ['answers 403', () => json(403), 'rdap_403'],
    ['answers with a page', () => ({ body: '<h1>Busy</h1>' }), 'rdap_unreadable'],
    [
      'answers without end',
      () => ({ body: `{"ldhName":"example.com","x":"${'x'.repeat(600_000)}"}` }),
      'rdap_too_large',
    ],
    ['answers about another', () => found('example.net'), 'rdap_other_domain'],
    ['is silent', () => new Promise<LabResponse>(resolve => setTimeout(resolve, 2_000, {}).unref()), 'rdap_timeout'],
    ['redirects to itself', () => redirect('/v1/domain/example.com'), 'rdap_redirect_loop'],
    ['redirects inside', () => redirect('https://10.0.0.1/domain/example.com'), 'rdap_redirect_to_non_public'],
    ['redirects to metadata', () => redirect('https://169.254.169.254/'), 'rdap_redirect_to_non_public'],
    ['redirects to another port', () => redirect(`https://${other}:8443/`), 'rdap_redirect_to_port'],
  ]
  for (const [what, answer, reason] of failing) {
    it(`is unknown when the registry ${what}`, async () => {
      answers = answer
      assert.equal(await ask('example.com', bootstrap, patience(reason)), `Unavailable: ${reason}`)
      const inside = lab.web.seen.connections.filter(to => !to.startsWith('93.184.'))
      assert.deepEqual(inside, [])
    })
  }

  it('follows three redirects and no more', async () => {
    const chain = (left: number) => (request: LabRequest) => {
      const at = Number(new URL(request.url, 'https://x').searchParams.get('at') ?? 0)
      return at < left ? redirect(`https://${at % 2 ? registry : other}/hop?at=${at + 1}`) : found('example.com')
    }
    answers = chain(3)
    assert.deepEqual(await ask('example.com'), said('rdap', 'example.com'))
    answers = chain(4)
    assert.equal(await ask('example.com'), 'Unavailable: rdap_too_many_redirects')
  })

  it('follows no redirect to plain HTTP', async () => {
    answers = ({ secure }) => (secure ? redirect(`http://${registry}/v1/domain/example.com`) : found('example.com'))
    assert.equal(await ask('example.com'), 'Unavailable: rdap_redirect_insecure')
    assert.deepEqual(lab.web.seen.connections, [`${registryAddress}:443`])
  })

  const ways = [
    ['example.info', 'Unavailable: rdap_certificate', 'the certificate does not verify'],
    ['example.org', 'Unavailable: rdap_not_public', 'the bootstrap file points inside'],
    ['example.name', 'Unavailable: rdap_host_not_found', 'the service’s name does not exist'],
    ['example.zz', 'NotApplicable: no_registry_service', 'nobody is known to answer'],
  ] as const
  for (const [domain, reason, what] of ways) {
    it(`fails with ${reason} when ${what}`, async () => {
      assert.equal(await ask(domain), reason)
      assert.deepEqual(paths(), [])
    })
  }

  it('is looked up at the next URL when the first fails, https first', async () => {
    assert.deepEqual(await ask('example.net'), said('rdap', 'example.net'))
    assert.deepEqual(await ask('example.biz'), said('rdap', 'example.biz'))
    assert.deepEqual(lab.web.seen.connections, [
      '93.184.216.37:443',
      '93.184.216.35:443',
      '93.184.216.37:443',
      `${registryAddress}:80`,
    ])
  })

  it('is not looked up at a registry that answered 429, for any domain, until its pause is over', async () => {
    const gather = installation()
    answers = () => json(429, ['Retry-After', '3600'])
    assert.equal(await outcome(gather(domainTarget('example.com'))), 'Unavailable: rdap_429')
    answers = ({ url }) => found(url.split('/').at(-1) ?? '')
    passed = 3_590_000
    for (const domain of ['example.com', 'example2.com', 'example3.com']) {
      assert.equal(await outcome(gather(domainTarget(domain))), 'Unavailable: rdap_paused')
    }
    assert.equal(paths().length, 1)
    assert.deepEqual(await gather(domainTarget('example.net')), said('rdap', 'example.net'))
    passed = 3_600_000
    assert.deepEqual(await gather(domainTarget('example2.com')), said('rdap', 'example2.com'))
  })

  it('is looked up once for concurrent checks and for those of a day', async () => {
    const gather = installation()
    const checks = Array.from({ length: 20 }, (_, at) => gather(domainTarget(`h${at}.example.com`, 'example.com')))
    for (const told of await Promise.all(checks)) assert.deepEqual(told, said('rdap', 'example.com'))
    passed = 86_000_000
    assert.deepEqual(await gather(domainTarget('example.com')), said('rdap', 'example.com'))
    assert.equal(paths().length, 1)
    passed = 86_500_000
    await gather(domainTarget('example.com'))
    assert.equal(paths().length, 2)
  })

  it('is answered to waiting checks when the check that asked ends', async () => {
    const gather = installation()
    const leader = new AbortController()
    let arrived = () => {}
    let answer = (_: LabResponse) => {}
    const arrival = new Promise<void>(resolve => {
      arrived = resolve
    })
    answers = () => {
      arrived()
      return new Promise<LabResponse>(resolve => {
        answer = resolve
      })
    }
    const first = outcome(gather(domainTarget('example.com'), leader))
    const second = outcome(gather(domainTarget('www.example.com', 'example.com')))
    await arrival
    leader.abort()
    assert.equal(await first, 'Unavailable: cancelled')
    answer(found('example.com'))
    assert.deepEqual(await second, said('rdap', 'example.com'))
    assert.equal(paths().length, 1)
  })

  it('is unknown as `busy` when the registry has no room in time, and is then looked up in the background', async () => {
    let free = () => {}
    answers = ({ url }) => new Promise(resolve => (free = () => resolve(found(url.split('/').at(-1) ?? ''))))
    const later = createAskLater(network, clock.monotonic)
    const gather = installation(bootstrap, SHORT_MS, { at_once: 1, later })
    const leader = new AbortController()
    const first = outcome(gather(domainTarget('slow.com'), leader))
    const second = outcome(gather(domainTarget('example.com')))
    assert.deepEqual([await first, await second], ['Unavailable: rdap_timeout', 'Unavailable: busy'])
    free()
    while (paths().length < 2) await new Promise(resolve => setTimeout(resolve, 5))
    answers = () => json(500)
    free()
    const end = performance.now() + LONG_MS
    let told = await outcome(gather(domainTarget('example.com')))
    while (typeof told === 'string' && performance.now() < end)
      told = await outcome(gather(domainTarget('example.com')))
    assert.deepEqual(told, said('rdap', 'example.com'))
    later.stop()
  })

  it('is looked up by at most four concurrent queries per registry', async () => {
    const gather = installation()
    let [now, most] = [0, 0]
    let goOn = () => {}
    const four = new Promise<void>(resolve => (goOn = resolve))
    answers = async ({ url }) => {
      most = Math.max(most, ++now)
      if (now === 4) goOn()
      await four
      await new Promise(resolve => setTimeout(resolve, 5))
      now--
      return found(url.split('/').at(-1) ?? '')
    }
    const domains = Array.from({ length: 12 }, (_, at) => `d${at}.com`)
    const all = await Promise.all(domains.map(domain => gather(domainTarget(domain))))
    assert.deepEqual(
      all,
      domains.map(domain => said('rdap', domain)),
    )
    assert.equal(most, 4)
  })

  it('is unknown without a bootstrap file and without a WHOIS server', async () => {
    assert.equal(await ask('example.com', null), 'Unavailable: not_configured')
  })

  it('does not apply to an address', async () => {
    assert.equal(await outcome(installation()(ipTarget('93.184.216.1'))), 'NotApplicable: ip_target')
  })

  describe('the registration by WHOIS', () => {
    const asked: string[] = []
    const listen: Step = socket =>
      new Promise(resolve => {
        socket.once('data', (chunk: Buffer) => {
          asked.push(chunk.toString())
          resolve()
        })
      })
    const text = 'Domain name:\r\n    example.co.uk\r\n\r\nRelevant dates:\r\n    Registered on: 01-Jan-2009\r\n'
    const script = (...steps: Step[]) => lab.web.script(whoisAddress, 43, steps)
    beforeEach(() => {
      asked.length = 0
    })

    it('is queried with one line, with or without a bootstrap file', async () => {
      await script(listen, send(text), close())
      assert.deepEqual(await ask('example.co.uk'), said('whois', 'example.co.uk'))
      assert.deepEqual(await ask('example.co.uk', null), said('whois', 'example.co.uk'))
      assert.deepEqual(asked, ['example.co.uk\r\n', 'example.co.uk\r\n'])
      assert.deepEqual(lab.web.seen.connections, [`${whoisAddress}:43`, `${whoisAddress}:43`])
    })

    it('follows no referral', async () => {
      const referring = 'refer: 127.0.0.1:22\r\nwhois: 10.0.0.1\r\nReferralServer: whois://whois.nic.uk\r\n'
      await script(listen, send(`${referring}\r\n${text}`), close())
      assert.deepEqual(await ask('example.co.uk'), said('whois', 'example.co.uk'))
      await script(listen, send(referring), close())
      assert.equal(await ask('example.co.uk'), 'Unavailable: whois_unreadable')
      assert.deepEqual(new Set(lab.web.seen.connections), new Set([`${whoisAddress}:43`]))
    })

    it('is queried again for waiting checks when the check whose connection asked ends', async () => {
      const gather = installation()
      const leader = new AbortController()
      let arrived = () => {}
      const arrival = new Promise<void>(resolve => {
        arrived = resolve
      })
      await script(listen, async () => arrived(), wait(LONG_MS))
      const first = outcome(gather(domainTarget('example.co.uk'), leader))
      const second = outcome(gather(domainTarget('www.example.co.uk', 'example.co.uk')))
      await arrival
      await script(listen, send(text), close())
      leader.abort()
      assert.equal(await first, 'Unavailable: cancelled')
      assert.deepEqual(await second, said('whois', 'example.co.uk'))
    })

    const strange: readonly (readonly [what: string, steps: readonly Step[], expected: unknown])[] = [
      ['says nothing', [listen, wait(3_000)], 'Unavailable: whois_timeout'],
      ['drips', [listen, drip(text.repeat(50), 1, 20)], 'Unavailable: whois_timeout'],
      ['closes at once', [listen, close()], 'Unavailable: whois_unreadable'],
      ['resets', [listen, reset()], 'Unavailable: whois_reset'],
      ['never ends', [listen, send(text), flood(Buffer.alloc(16_384, 'x'))], said('whois', 'example.co.uk')],
      ['sends octets without end', [listen, flood(Buffer.alloc(16_384, 0xff))], 'Unavailable: whois_unreadable'],
      [
        'knows no such domain',
        [listen, send('No match for "example.co.uk".\r\n'), close()],
        { ...notRegistered, source: 'whois', domain: 'example.co.uk' },
      ],
    ]
    for (const [what, steps, expected] of strange) {
      it(`ends with a server that ${what}`, async () => {
        await script(...steps)
        assert.deepEqual(await ask('example.co.uk', bootstrap, patience(expected)), expected)
      })
    }

    it('pauses a rate-limited server for a minute', async () => {
      const gather = installation()
      await script(listen, send('Query rate limit exceeded\r\n'), close())
      assert.equal(await outcome(gather(domainTarget('example.co.uk'))), 'Unavailable: whois_limited')
      passed = 59_000
      assert.equal(await outcome(gather(domainTarget('other.co.uk'))), 'Unavailable: whois_paused')
      assert.equal(asked.length, 1)
      passed = 60_000
      assert.equal(await outcome(gather(domainTarget('other.co.uk'))), 'Unavailable: whois_limited')
    })

    it('is unknown when the port is closed', async () => {
      lab.web.place(whoisAddress, 43, 'refused')
      assert.equal(await ask('example.co.uk'), 'Unavailable: whois_refused')
    })
  })
})
