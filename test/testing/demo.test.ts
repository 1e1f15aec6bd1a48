import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { SignalDetail } from '../../src/engine/scoring/scored.ts'
import { limits } from '../../src/network/limits.ts'
import type { CheckService } from '../../src/service/service.ts'
import {
  demoAddresses,
  demoFaults,
  demoHosts,
  demoKnowledge,
  demoNamesThatFail,
  digBlackHoles,
} from '../../src/testing/demo/hosts.ts'
import { demoLinks } from '../../src/testing/demo/links.ts'
import { demoLookalikes } from '../../src/testing/demo/lookalikes.ts'
import { outside } from '../../src/testing/demo/outside.ts'
import { demoSettings, feedHost, policyHost } from '../../src/testing/demo/settings.ts'
import { type LabInternet, startLabInternet } from '../../src/testing/lab_internet.ts'
import { sampled } from '../sample.ts'
import { type RequestedTarget, type Result, serviceFor, targetOf } from '../service/lab.ts'
import { temporaryDirectory } from '../temporary_directory.ts'

const hosts = demoHosts(new Date())

const [kit = '', listed = '', cake = '', mail = '', pay = ''] = demoLinks

/** The result of each check, and signals that must be among those found. */
const cases: readonly (readonly [
  asked: RequestedTarget,
  recommendation: string,
  verdict: string,
  signals: readonly string[],
])[] = [
  [{ domain: 'healthy-shop.lab' }, 'allow', 'safe', []],
  [{ domain: 'expired-certificate.lab' }, 'review', 'safe', ['expired_certificate', 'mail_certificate_invalid']],
  [{ domain: 'kitchen-blog.lab' }, 'allow', 'safe', ['unsupported_software', 'mail_server_without_starttls']],
  [{ domain: 'refuses-us.lab' }, 'review', 'safe', ['mail_certificate_invalid']],
  [{ domain: 'mixed-mail.lab' }, 'allow', 'safe', ['mail_server_not_smtp']],
  [{ domain: 'strict-mail.lab' }, 'allow', 'safe', ['dane_mismatch', 'mta_sts_not_met']],
  [{ domain: 'old-bakery.lab' }, 'allow', 'safe', ['no_tls']],
  [{ domain: 'town-choir.lab' }, 'allow', 'safe', ['broken_cipher_accepted', 'old_tls_accepted']],
  [{ domain: 'parked-name.lab' }, 'allow', 'safe', ['no_tls']],
  [{ domain: 'script-written.lab' }, 'review', 'safe', ['newly_registered_domain']],
  [{ domain: 'framed-choir.lab' }, 'allow', 'safe', []],
  [{ domain: 'leads-on.lab' }, 'allow', 'safe', []],
  [{ domain: 'secure-paypal-login.lab' }, 'block', 'malicious', ['listed_as_malicious', 'lookalike_domain']],
  [{ domain: 'points-inside.lab' }, 'review', 'safe', ['resolves_to_private_address']],
  [{ domain: 'no-such-name.lab' }, 'review', 'suspicious', ['domain_not_found']],
  [{ domain: 'corner-bakery.lab' }, 'review', 'suspicious', ['hosts_listed_pages']],
  [{ domain: 'short-link.lab' }, 'allow', 'safe', []],
  [{ url: kit }, 'block', 'malicious', ['phishing_page', 'impersonated_brand', 'hosts_listed_pages']],
  [{ url: listed }, 'block', 'malicious', ['listed_page']],
  [{ url: cake }, 'review', 'safe', ['redirects_to_listed_host']],
  [{ url: mail }, 'block', 'malicious', ['phishing_page', 'impersonated_brand']],
  [{ url: pay }, 'block', 'malicious', ['redirects_to_malicious_host']],
  [{ ip: '193.0.14.10' }, 'allow', 'safe', []],
  [{ ip: '2a10:3781:1::10' }, 'allow', 'safe', []],
  [{ ip: '45.130.40.40' }, 'review', 'suspicious', ['impersonated_brand']],
  [{ ip: '45.130.40.66' }, 'review', 'suspicious', ['listed_for_abuse']],
]

/** Targets that cannot be seen: what is reported, and why their certificate was not seen. */
const unseen: readonly (readonly [domain: string, recommendation: string, verdict: string, reason: string])[] = [
  ['silent-host.lab', 'review', 'safe', 'connect_timeout'],
  ['silent-name-servers.lab', 'review', 'suspicious', 'resolver_timeout'],
  ['refusing-name-servers.lab', 'review', 'suspicious', 'refused'],
  ['listed-behind-silent-name-servers.lab', 'block', 'malicious', 'resolver_timeout'],
]

describe('the demo', () => {
  let internet: LabInternet
  let service: CheckService
  before(async () => {
    const serving = [feedHost, policyHost, ...outside(demoKnowledge)]
    internet = await startLabInternet([...hosts, ...serving], { fault: demoFaults })
    digBlackHoles(internet)
    const settings = demoSettings(internet, temporaryDirectory())
    // A busy machine must not miss the directory of green hosts, a small file of a site, or what a mail server says.
    const patient = {
      ...settings,
      green_hosting: { ...settings.green_hosting, timeout_ms: 6_000 },
      network: {
        ...settings.network,
        limits: { ...limits, smtp_ms: 6_000 },
        unsafe_limits: { robots_ms: 16_000, sitemap_ms: 16_000 },
      },
    }
    service = await serviceFor(patient, { dial: internet.dial, extra_roots: internet.root })
    await service.start()
    for (const feed of ['demo_phishing', 'demo_pages'])
      await service.datasets.refresh(feed, { signal: AbortSignal.timeout(10_000) })
  })
  after(async () => {
    await service.close()
    await internet.close()
  })

  it('has an expected result for every name and address', () => {
    const asked = [...cases.map(([{ domain, ip, url }]) => domain ?? ip ?? url), ...unseen.map(([domain]) => domain)]
    const named = [...hosts.map(({ name }) => name), ...demoNamesThatFail, ...demoAddresses, ...demoLinks]
    // What passes for the shop is what a search for it finds.
    const found = demoLookalikes.map(({ name }) => name)
    assert.deepEqual(
      named.filter(name => !asked.includes(name)),
      [...found, 'vps-66.offshore-servers.lab'],
    )
  })

  /** Hosts whose page is not seen wholly, which is nobody's fault. */
  const inPart: Readonly<Record<string, readonly string[]>> = {
    'script-written.lab': ['script_not_run'],
    'parked-name.lab': ['parked_page'],
  }

  for (const [asked, recommendation, verdict, signals] of sampled(cases, 9)) {
    const withheld = asked.domain === 'refuses-us.lab' ? ['page_withheld'] : []
    const undrawn = inPart[asked.domain ?? ''] ?? []
    const share = withheld.length > 0 ? 'all but the page' : 'all there is to see'
    it(`sees ${share} of ${asked.domain ?? asked.ip ?? asked.url}, with verdict ${verdict} and recommendation ${recommendation}`, async () => {
      const { result } = await service.engine.check(targetOf(service, asked))
      const { coverage, ...seen } = result as unknown as Result
      const reasons = Object.values(coverage.sections).flatMap(({ status, reason }) =>
        status === 'not_applicable' || reason === null ? [] : [reason],
      )
      assert.deepEqual(
        [coverage.complete, new Set(reasons)],
        [withheld.length === 0, new Set([...withheld, ...undrawn])],
      )
      assert.deepEqual([seen.verdict, seen['recommendation']], [verdict, recommendation])
      assert.deepEqual(
        signals.filter(id => !seen.signals.includes(id)),
        [],
      )
    })
  }

  for (const [domain, recommendation, verdict, reason] of unseen) {
    it(`recommends ${recommendation} for ${domain} (${verdict}), and says why it was not seen: ${reason}`, async () => {
      const { result } = await service.engine.check(targetOf(service, { domain }))
      const { coverage, ...seen } = result as unknown as Result
      assert.deepEqual([seen.verdict, seen['recommendation'], coverage.complete], [verdict, recommendation, false])
      assert.equal(coverage.sections['ssl_info']?.reason, reason)
    })
  }

  it('condemns the phishing host by what it shows, whatever the lists say', async () => {
    const { result } = await service.engine.check(targetOf(service, { domain: 'secure-paypal-login.lab' }))
    const details = (result as unknown as Result)['signal_details'] as readonly SignalDetail[]
    const condemning = details.filter(({ floor }) => (floor ?? 0) >= 71)
    assert.deepEqual(
      condemning.map(({ id, group }) => [id, group]),
      [
        ['listed_as_malicious', 'reputation'],
        ['impersonation_on_new_domain', 'content'],
        ['phishing_under_lookalike', 'content'],
      ],
    )
    assert.deepEqual(condemning[2]?.evidence['signals'], ['lookalike_domain', 'resembles_phishing_page'])
  })

  it('says of a page that a script writes what was not seen', async () => {
    const { result } = await service.engine.check(targetOf(service, { domain: 'script-written.lab' }))
    assert.deepEqual(
      [result['recommendation_reason'], result['confidence']],
      ['The page is written by a script that was not run.', 'medium'],
    )
  })

  it('looks at the page in a frame, and at the one that a refresh leads to', async () => {
    const content = async (domain: string) => {
      const { result } = await service.engine.check(targetOf(service, { domain }))
      assert.equal(result['confidence'], 'high')
      return result['content_analysis'] as { evaluated_url: string; frame: string | null }
    }
    const [framed, led] = [await content('framed-choir.lab'), await content('leads-on.lab')]
    assert.deepEqual(
      [framed.evaluated_url, framed.frame],
      ['https://framed-choir.lab/', 'https://framed-choir.lab/programme'],
    )
    assert.deepEqual([led.evaluated_url, led.frame], ['https://leads-on.lab/home', null])
  })

  it('has blocklists with the phishing page', async () => {
    const { result } = await service.engine.check(targetOf(service, { domain: 'secure-paypal-login.lab' }))
    const { threat_summary, reputation } = result as {
      threat_summary: { blacklist_hits: number }
      reputation: { lists: { name: string; listed: boolean }[] }
    }
    const listed = reputation.lists.filter(({ listed }) => listed).map(({ name }) => name)
    assert.deepEqual(listed, ['NordSpam domains', 'Spam Eating Monkey SEM-URI', 'Demo phishing feed'])
    assert.equal(threat_summary.blacklist_hits, 3)
  })

  it('judges the kit without a visit by its name and the lists alone', async () => {
    const { result } = await service.engine.check(targetOf(service, { url: kit, visit: false }))
    const { coverage, ...seen } = result as unknown as Result
    assert.deepEqual(
      [seen['url'], seen['final_url'], seen['recommendation'], seen['confidence']],
      [kit, null, 'review', 'low'],
    )
    assert.equal(coverage.sections['content_analysis']?.reason, 'not_visited')
    assert.equal(coverage.sections['ssl_info']?.reason, 'not_visited')
    assert.equal(coverage.sections['dns_security']?.status, 'completed')
  })

  it('names the network of a listed address and its abuse contact', async () => {
    const { result } = await service.engine.check(targetOf(service, { ip: '45.130.40.66' }))
    const { blacklist_hits, lists, ip_network } = result['reputation'] as {
      blacklist_hits: number
      lists: { listed: boolean; category: string }[]
      ip_network: { holder: string; abuse_email: string }
    }
    assert.deepEqual([blacklist_hits, lists.every(({ listed }) => listed)], [4, true])
    assert.deepEqual(
      [ip_network.holder, ip_network.abuse_email],
      ['Offshore Servers Ltd', 'abuse@offshore-servers.lab'],
    )
  })
})
