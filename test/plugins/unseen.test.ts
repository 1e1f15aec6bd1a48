// What was not seen is null: no section says [], false or 0 of it, for that says "looked, none".
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { CpuQueue } from '../../src/base/cpu_queue.ts'
import type { Analysis, GatherOutcome } from '../../src/engine/analysis.ts'
import { attempt } from '../../src/engine/analyze.ts'
import { completeness } from '../../src/engine/completeness.ts'
import type { ReadyAnalyzer } from '../../src/engine/registry.ts'
import type { Evidence } from '../../src/evidence/evidence.ts'
import { suiteKinds } from '../../src/evidence/tls_offer/suites.ts'
import type { Target } from '../../src/targets/target.ts'
import { documentOf, pageOf } from '../../src/testing/page_of.ts'
import { EXAMPLE } from '../engine/engine_of.ts'
import { type EvidenceGiven, judge, shipped } from '../engine/scoring/evidence_engine.ts'
import { gatherMail } from '../evidence/mail_zone.ts'
import { ipTarget, locationOf } from '../evidence_of.ts'
import { kindsIn, readRecording } from '../golden/files.ts'

const all: readonly ReadyAnalyzer[] = [...shipped.analyzers, ...shipped.offered]
const NOW = new Date('2026-11-20T12:00:00Z')

const SILENT: GatherOutcome = { status: 'unavailable', reason: 'timeout' }
const gathered = (value: unknown): GatherOutcome => ({ status: 'gathered', value })

/** The analyzer's section of the evidence; null when it did not complete. Evidence that is not given is silent. */
async function sectionOf(ready: ReadyAnalyzer, target: Target, evidence: EvidenceGiven, now = NOW): Promise<unknown> {
  const analysis = {
    target,
    now,
    outcomes: new Map(),
    defects: [],
    evidence: new Map(),
    gather: async (name: string) => evidence[name] ?? SILENT,
    cpu: new CpuQueue().open(''),
    elapsed: () => 0,
    left: () => 1_000,
  } as unknown as Analysis
  const { status, reason, section } = await attempt(ready, analysis)
  assert.notEqual(status, 'failed', `${ready.analyzer.name}: ${reason} ${analysis.defects.map(({ error }) => error)}`)
  return section
}

/** Lists whose members have no fixed place: those of another run cannot be compared by their numbers. */
const UNORDERED: ReadonlySet<string> = new Set(['issues', 'technologies', 'findings', 'missing', 'leaks'])

/** Where a section says "none", with the value: `cookies.items` is []. */
function nones(value: unknown, path: string): [path: string, none: unknown][] {
  if (value === false || value === 0) return [[path, value]]
  if (value === null || typeof value !== 'object') return []
  if (Array.isArray(value) && value.length === 0) return [[path, value]]
  if (Array.isArray(value) && UNORDERED.has(path.split('.').at(-1) ?? '')) return []
  return Object.entries(value).flatMap(([name, one]) => nones(one, `${path}.${name}`))
}

const at = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .slice(1)
    .reduce<unknown>((one, name) => (one as Record<string, unknown> | null | undefined)?.[name], value)

const served = (kind: string) =>
  gathered({ url: 'https://example.com/', status: 200, chain: [], kind, rule: 'a_rule', failure: null })
const page = gathered(pageOf({}))
const document = gathered(documentOf({}))
const withheld: EvidenceGiven = { page, document, served: served('challenge') }
const unread: EvidenceGiven = { page, served: served('page') }
const cutOff: EvidenceGiven = { ...unread, document: gathered(documentOf({ truncated: true })) }
/** Of the page that was sent, there were no redirects; and it is the site's own. */
const SEEN = ['redirects', 'blocked']

const SILENT_LIST = { id: 'a', name: 'A', kind: 'domain', asked: 'example.com', status: 'unknown', reason: 'timeout' }
const silentLists = gathered({
  lists: [{ ...SILENT_LIST, codes: [], categories: [], strength: null, explanation: null, terms: 'free' }],
})

const { mail: silentMail } = await gatherMail('example.com', {
  'example.com': { MX: [{ preference: 1, exchange: 'mx.example.net' }] },
  'mx.example.net': { fails: 'timeout' },
  '_domainkey.example.com': { fails: 'timeout' },
})
const UNANSWERED = { status: 'unknown', reason: 'timeout' } as const
/** There is a mail server, and nothing else was answered. */
const silentZone: EvidenceGiven = {
  mail_records: gathered({
    ...silentMail,
    spf: { ...silentMail.spf, root: { ...silentMail.spf.root, ...UNANSWERED } },
    dkim: { has_selectors: null, reason: 'timeout', selectors: [] },
    dmarc: { ...silentMail.dmarc, steps: silentMail.dmarc.steps.map(step => ({ ...step, ...UNANSWERED })) },
    mta_sts: { record: { ...silentMail.mta_sts.record, ...UNANSWERED }, policy: null },
    tls_rpt: { ...silentMail.tls_rpt, ...UNANSWERED },
    bimi: { ...silentMail.bimi, ...UNANSWERED },
  }),
}

const noTls = gathered({
  status: 'failed',
  failure: 'reset',
  address: '93.184.216.34',
  server_name: 'example.com',
  protocol: null,
  cipher: null,
  alpn: null,
  key_exchange: null,
  only_legacy: false,
  client_certificate_requested: false,
  chain: [],
  chain_length: null,
  root: null,
  public_root: null,
  path_errors: [],
  paths: 0,
  beside: null,
  missing_intermediate: false,
  verify_error: null,
  anchored: null,
  stapled: null,
  staple: null,
  must_staple: null,
  timestamps: null,
})

/** The server answered one offer, and none after it. */
const silentOffers = gathered({
  address: '93.184.216.34',
  server_name: 'example.com',
  handshakes: 4,
  versions: [
    { version: 'TLSv1.3', status: 'accepted', reason: null, suite: 'TLS_AES_128_GCM_SHA256', block_mode: null },
    ...['TLSv1.2', 'TLSv1.1', 'TLSv1', 'SSLv3', 'SSLv2'].map(version => {
      return { version, ...UNANSWERED, suite: null, block_mode: null }
    }),
  ],
  suites: suiteKinds.map(kind => ({ kind, ...UNANSWERED, suite: null })),
  prime_bits: null,
  own_order: null,
  secure_renegotiation: null,
  compression: null,
  fallback_refused: null,
})

/** A mail server that port 25 may not lead to, and whose other facts nobody answered for. */
const silentServer = gathered({
  total: 1,
  servers: [
    {
      preference: 10,
      exchange: 'mx.example.com',
      contact: 'unknown',
      reason: 'port_25_unproved',
      code: null,
      address: '93.184.216.25',
      banner: null,
      extensions: null,
      starttls: null,
      tls: null,
      tls_failure: null,
      dane: { name: '_25._tcp.mx.example.com', ...UNANSWERED, authenticated: false, records: [] },
      reverse: null,
      reverse_failure: 'resolver_timeout',
    },
  ],
})

/** A name server that port 53 may not lead to, and a parent zone that did not say. */
const silentNameServer = gathered({
  zone: 'example.com',
  parent: null,
  delegation: null,
  delegation_reason: 'port_53_unproved',
  total: 1,
  servers: [
    {
      name: 'ns1.example.com',
      in_parent: null,
      in_zone: true,
      address: '93.184.216.53',
      contact: 'unknown',
      reason: 'port_53_unproved',
      rcode: null,
      authoritative: null,
      serial: null,
      names: null,
    },
  ],
})

interface Case {
  readonly title: string
  readonly section: string
  readonly evidence: EvidenceGiven
  readonly target?: Target
  /** Members that say "none" of what was looked at. */
  readonly seen?: readonly string[]
}

const HEADERS = [
  'https',
  'hsts',
  'x_frame_options',
  'x_content_type_options',
  'permissions_policy',
  'coop',
  'coep',
  'corp',
  'cors',
  'leaks',
]

/** What headers alone tell of a page whose markup could not be read. */
function seenWithout(section: string): readonly string[] {
  if (section === 'cookies') return [...SEEN, 'total', 'secure', 'http_only', 'same_site', 'kinds', 'items']
  if (section === 'security_headers') return [...SEEN, ...HEADERS]
  // The body has no octets.
  if (section === 'carbon_footprint') return [...SEEN, 'bytes', 'co2_grams_per_visit']
  return SEEN
}

const noSecurityTxt: Evidence['security_txt'] = {
  url: 'https://example.com/.well-known/security.txt',
  status: 'missing',
  reason: null,
  content_type: null,
  text: null,
  truncated: false,
}

const OF_THE_WEB = ['content_analysis', 'cookies', 'security_headers', 'seo_health', 'tech_stack', 'carbon_footprint']
const SILENT_NAME = 'when all its sources are silent'

const cases: readonly Case[] = [
  ...OF_THE_WEB.flatMap(section => [
    { title: 'behind a challenge', section, evidence: withheld, seen: SEEN },
    { title: 'behind a log-in wall', section, evidence: { ...withheld, served: served('login_wall') }, seen: SEEN },
    { title: 'of a page that could not be read', section, evidence: unread, seen: seenWithout(section) },
  ]),
  { title: 'of a page cut off', section: 'content_analysis', evidence: cutOff, seen: SEEN },
  { title: 'of a page cut off', section: 'tech_stack', evidence: cutOff, seen: SEEN },
  { title: 'of a page cut off', section: 'seo_health', evidence: cutOff, seen: SEEN },
  { title: SILENT_NAME, section: 'reputation', evidence: {} },
  {
    title: 'when all its sources are silent about an address',
    section: 'reputation',
    evidence: {},
    target: ipTarget('93.184.216.34'),
  },
  { title: 'when no list answers', section: 'reputation', evidence: { listings: silentLists } },
  { title: 'when only MX was answered', section: 'dns_security', evidence: silentZone },
  // That no certificate was shown is known, and so is that nothing asked for revocation.
  {
    title: 'without a certificate',
    section: 'ssl_info',
    evidence: { tls: noTls },
    seen: ['valid', 'revocation_checked'],
  },
  // Typed clients: `is_hosting` is never null; `network_kind` tells that the network is not known.
  {
    title: 'when no file has the address',
    section: 'geo_location',
    evidence: { location: gathered(locationOf()) },
    seen: ['is_hosting'],
  },
  {
    title: 'behind a challenge',
    section: 'security_txt',
    evidence: { ...withheld, security_txt: gathered(noSecurityTxt) },
    seen: ['url'],
  },
  // The operator's lists are always at hand: that they do not name the target is known.
  {
    title: 'when no list names the target',
    section: 'operator_lists',
    evidence: { operator_lists: gathered({ list: null, entry: null, reason: null, expires_at: null }) },
  },
  { title: 'when a server stops answering', section: 'tls_offer', evidence: { tls_offer: silentOffers } },
  // It reads the URL alone, and a name has none.
  { title: 'of a name', section: 'link', evidence: {} },
  { title: 'when port 25 may be blocked', section: 'mail_servers', evidence: { mail_servers: silentServer } },
  { title: 'when port 53 may be blocked', section: 'name_servers', evidence: { name_servers: silentNameServer } },
  // Without its evidence, which is an answer about the subject or none at all, the section is not there.
  { title: SILENT_NAME, section: 'abuse_reports', evidence: {} },
  { title: SILENT_NAME, section: 'vendor_verdicts', evidence: {} },
  { title: SILENT_NAME, section: 'certificate_log', evidence: {} },
  { title: SILENT_NAME, section: 'passive_dns', evidence: {} },
  { title: SILENT_NAME, section: 'public_scans', evidence: {} },
  { title: SILENT_NAME, section: 'internet_noise', evidence: {} },
  { title: 'of a page that was not rendered', section: 'rendered', evidence: {} },
]

describe('a truncated page', () => {
  const parts = ['content_analysis', 'seo_health', 'tech_stack', 'carbon_footprint']
  for (const [cut, class_] of [
    ['too_large', 'withheld'],
    ['timeout', 'incomplete'],
  ] as const) {
    it(`leaves its content partly unknown (${cut}), and the result ${class_}`, async () => {
      const recording = readRecording('shop')
      const served = recording.evidence['served'] ?? assert.fail()
      assert.ok(served.status === 'gathered')
      const evidence = { ...recording.evidence, served: gathered({ ...(served.value as object), cut }) }
      const { analysis, coverage } = await judge(recording.target, evidence, new Date(recording.checked_at))
      const told = [...analysis.outcomes].filter(([, { reason }]) => reason === `page_${cut}`).map(([name]) => name)
      assert.deepEqual([told.sort(), coverage.complete], [parts.toSorted(), false])
      assert.equal(completeness(analysis.outcomes).class, class_)
    })
  }
})

describe('a section never says "none" about something it did not see', () => {
  for (const { title, section, evidence, target = EXAMPLE, seen = [] } of cases) {
    it(`${section} ${title}`, async () => {
      const ready = all.find(({ analyzer }) => analyzer.name === section) ?? assert.fail()
      const said = nones(await sectionOf(ready, target, evidence), section)
      assert.deepEqual(
        said.filter(([path]) => !seen.includes(path.split('.')[1] ?? '')),
        [],
      )
    })
  }

  it('in every section', () => {
    const tried = new Set(cases.map(({ section }) => section))
    assert.deepEqual(
      all.map(({ analyzer }) => analyzer.name).filter(name => !tried.has(name)),
      [],
    )
  })
})

/** Ways to see less of what a recording saw. Each leaves the evidence as it is where it has no such part. */
type Dimming = (evidence: EvidenceGiven) => EvidenceGiven

const change =
  <Name extends keyof Evidence>(name: Name, change: (value: Evidence[Name]) => unknown): Dimming =>
  evidence => {
    const one = evidence[name]
    return one?.status === 'gathered'
      ? { ...evidence, [name]: gathered(change(one.value as Evidence[Name])) }
      : evidence
  }

type Row = { readonly lists: readonly { readonly reason: string | null }[] }
const silentRows = <Value extends Row>(value: Value) => ({
  ...value,
  rank: null,
  lists: value.lists.map(row => ({
    ...row,
    status: 'unknown',
    reason: row.reason ?? 'timeout',
    codes: [],
    categories: [],
    strength: null,
    rank: null,
  })),
})

const unasked = { ...UNANSWERED, count: 0, record: null }

const dimmings: Readonly<Record<string, Dimming>> = {
  ...Object.fromEntries(
    [...new Set(shipped.analyzers.flatMap(({ analyzer }) => [...analyzer.needs, ...(analyzer.wants ?? [])]))].map(
      name => [`${name} is silent`, (evidence: EvidenceGiven) => ({ ...evidence, [name]: SILENT })],
    ),
  ),
  ...Object.fromEntries(
    (['block', 'challenge', 'login_wall'] as const).map(kind => [
      `the page is behind a ${kind}`,
      change('served', value => (value.url === null ? value : { ...value, kind, rule: 'a_rule' })),
    ]),
  ),
  'the page is cut off': change('document', ({ url }) => documentOf({ url, truncated: true })),
  'the blocklists are silent': change('listings', silentRows),
  'the feeds are silent': change('feeds', silentRows),
  'the lists of popular domains are silent': change('popularity', silentRows),
  'MX is silent': change('mail_records', mail => ({ ...mail, mx: { ...mail.mx, ...UNANSWERED, total: 0, hosts: [] } })),
  'the mail servers are silent': change('mail_records', mail => ({
    ...mail,
    mx: { ...mail.mx, hosts: mail.mx.hosts.map(host => ({ ...host, ...UNANSWERED, cnames: [], addresses: [] })) },
  })),
  'SPF is silent': change('mail_records', mail => ({
    ...mail,
    spf: {
      ...mail.spf,
      lookups: 0,
      void_lookups: 0,
      root: { ...mail.spf.root, ...UNANSWERED, candidates: [], lookalikes: [], record: null, lookups: [] },
    },
  })),
  'DMARC is silent': change('mail_records', mail => ({
    ...mail,
    dmarc: {
      applied: null,
      reports: [],
      steps: mail.dmarc.steps.map(step => ({ ...step, ...unasked, texts: [], lookalikes: [] })),
    },
  })),
  'MTA-STS is silent': change('mail_records', mail => ({
    ...mail,
    mta_sts: { record: { ...mail.mta_sts.record, ...unasked }, policy: null },
  })),
  'TLS-RPT is silent': change('mail_records', mail => ({ ...mail, tls_rpt: { ...mail.tls_rpt, ...unasked } })),
  'BIMI is silent': change('mail_records', mail => ({ ...mail, bimi: { ...mail.bimi, ...unasked } })),
  'the name servers are unknown': change('dns', dns => ({ ...dns, ns: UNANSWERED, zone: null, dnssec: 'unknown' })),
  'CAA is silent': change('dns', dns => ({ ...dns, caa: UNANSWERED, caa_at: null })),
  'TXT is silent': change('dns', dns => ({ ...dns, txt: UNANSWERED })),
  'robots.txt and sitemaps are silent': change('crawl_files', ({ robots, sitemaps }) => ({
    robots: { ...robots, ...UNANSWERED, text: null },
    sitemaps: sitemaps.map(one => ({ ...one, ...UNANSWERED, root: null, gzip: false })),
  })),
  'port 80 is silent': change('entrances', entrances => ({
    ...entrances,
    http: { ...entrances.http, status: null, failure: 'timeout', location: null },
  })),
}

const recordings = new Map(kindsIn('recordings').map(kind => [kind, readRecording(kind)] as const))

describe('seeing less of a target', () => {
  it('never turns a finding or an unknown into "none"', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...recordings.keys()),
        fc.uniqueArray(fc.constantFrom(...Object.keys(dimmings)), { minLength: 1, maxLength: 3 }),
        async (kind, dims) => {
          const { target, evidence, checked_at } = recordings.get(kind) ?? assert.fail()
          const dimmed = dims.reduce((seen, name) => dimmings[name]?.(seen) ?? seen, evidence as EvidenceGiven)
          for (const ready of shipped.analyzers) {
            const { name } = ready.analyzer
            const now = new Date(checked_at)
            const [whole, less] = [
              await sectionOf(ready, target, evidence, now),
              await sectionOf(ready, target, dimmed, now),
            ]
            // Where the section did not apply it said nothing that could be compared.
            for (const [path, none] of whole === null ? [] : nones(less, name)) {
              if (NEVER_NULL.has(path)) continue
              assert.deepEqual(at(whole, path), none, `${kind} when ${dims.join(' and ')}: ${path}`)
            }
          }
        },
      ),
      { numRuns: 300 },
    )
  })
})

/** Typed clients: never null. */
const NEVER_NULL: ReadonlySet<string> = new Set(['geo_location.is_hosting'])
