// Recordings with less evidence: each piece made unknown in turn, as its gatherer says that it could not be seen.
import type { GatherOutcome } from '../../src/engine/analysis.ts'
import type { Recording } from '../../src/engine/recording.ts'
import type { Evidence } from '../../src/evidence/evidence.ts'

/** One piece taken away, and what is left. */
export interface Takeaway {
  /** Such as `dns.caa`. */
  readonly piece: string
  readonly left: Recording
}

const reason = 'timeout'
const failed = { status: 'unknown', reason } as const

type Less = readonly [piece: string, value: object]
type Take<Name extends keyof Evidence> = (value: Evidence[Name]) => readonly Less[]

/** The value with one item of a list replaced, for each item in turn. */
const eachItem = <Item extends object>(
  items: readonly Item[],
  name: (item: Item) => string,
  unseen: (item: Item) => object,
  within: (items: readonly object[]) => object,
): readonly Less[] =>
  items.map((item, at) => [name(item), within(items.map((one, i) => (i === at ? unseen(item) : one)))])

const lists = (value: { readonly lists: readonly { readonly id: string }[] }): readonly Less[] =>
  eachItem(
    value.lists,
    ({ id }) => id,
    one => ({ ...one, ...failed, codes: [], categories: [], strength: null, matched: null, covers: null }),
    all => ({ ...value, lists: all }),
  )

/** What each kind of evidence can lack while the rest of it was seen. */
const takes: { readonly [Name in keyof Evidence]?: Take<Name> } = {
  addresses: value => (value.status === 'found' ? [['ipv6', { ...value, unanswered: 6 }]] : []),
  dns: value => [
    ['ns', { ...value, ns: failed, zone: null, soa: null, name_server_ipv6: [] }],
    ['caa', { ...value, caa: failed, caa_at: null }],
    ['txt', { ...value, txt: failed }],
    ['https', { ...value, https: failed }],
    ['ds', { ...value, ds: failed, dnskey: null }],
    ['dnskey', { ...value, dnskey: failed }],
    ['soa', { ...value, soa: failed }],
    ['dnssec', { ...value, dnssec: 'unknown', bogus: undefined }],
    ['name_server_ipv6', { ...value, name_server_ipv6: value.name_server_ipv6.map(one => ({ ...one, ipv6: null })) }],
  ],
  mail_records: value => [
    ['mx', { ...value, mx: { ...value.mx, ...failed, total: 0, hosts: [] } }],
    ...eachItem(
      value.mx.hosts,
      ({ exchange }) => `mx.${exchange}`,
      host => ({ ...host, ...failed, cnames: [], addresses: [] }),
      hosts => ({ ...value, mx: { ...value.mx, hosts } }),
    ),
    ['spf', { ...value, spf: unseenSpf(value.spf) }],
    ...eachItem(
      value.spf.root.lookups,
      ({ name }) => `spf.${name}`,
      lookup => ({ ...lookup, ...failed, mx_hosts: null, child: lookup.child && unseenNode(lookup.child) }),
      lookups => ({ ...value, spf: { ...value.spf, root: { ...value.spf.root, lookups } } }),
    ),
    [
      'dmarc',
      {
        ...value,
        dmarc: {
          steps: value.dmarc.steps.slice(0, 1).map(step => ({ ...unseenRecord(step), texts: [] })),
          applied: null,
          reports: [],
        },
      },
    ],
    ['mta_sts', { ...value, mta_sts: { record: unseenRecord(value.mta_sts.record), policy: null } }],
    ...(value.mta_sts.policy === null
      ? []
      : [['mta_sts.policy', { ...value, mta_sts: { ...value.mta_sts, policy: UNSEEN_POLICY } }] as const]),
    ['tls_rpt', { ...value, tls_rpt: unseenRecord(value.tls_rpt) }],
    ['bimi', { ...value, bimi: unseenRecord(value.bimi) }],
    ['dkim', { ...value, dkim: { has_selectors: null, reason, selectors: [] } }],
  ],
  crawl_files: value =>
    ['reset', 'timeout'].flatMap((reason): Less[] => [
      [
        `robots.${reason}`,
        {
          ...value,
          robots: { ...value.robots, status: 'unknown', reason, text: null },
          sitemaps: value.sitemaps.map(one => ({ ...one, url: new URL('/sitemap.xml', one.url).href })),
        },
      ],
      ...eachItem(
        value.sitemaps,
        ({ url }) => `sitemap ${url} ${reason}`,
        one => ({ ...one, status: 'unknown', reason, root: null, content: null }),
        sitemaps => ({ ...value, sitemaps }),
      ),
    ]),
  entrances: value => [
    ...['reset', 'timeout'].flatMap(failure =>
      (['http', 'www'] as const).flatMap((name): Less[] => {
        const entrance = value[name]
        if (entrance === null) return []
        const { followed, set_cookies, ...rest } = entrance
        return [[`${name}.${failure}`, { ...value, [name]: { ...rest, status: null, failure, location: null } }]]
      }),
    ),
    ['cross_origin', { ...value, cross_origin: null, cross_origin_failure: 'timeout' }],
  ],
  security_txt: value =>
    ['reset', 'timeout'].map(reason => [
      reason,
      { ...value, status: 'unknown', reason, content_type: null, text: null, truncated: false },
    ]),
  listings: lists,
  feeds: lists,
  registration: value => (value.registered_at === null ? [] : [['registered_at', { ...value, registered_at: null }]]),
  reverse_names: value =>
    eachItem(
      value.names,
      ({ name }) => name,
      one => ({ ...one, confirmed: null }),
      names => ({ ...value, names }),
    ),
  document: value => (value.is_html && !value.truncated ? [['end', { ...value, truncated: true }]] : []),
}

const unseenRecord = <Seen extends object>(seen: Seen) => ({
  ...seen,
  ...failed,
  count: 0,
  lookalikes: [],
  record: null,
})

const unseenNode = <Seen extends object>(seen: Seen) => ({ ...unseenRecord(seen), candidates: [], lookups: [] })

const unseenSpf = <Seen extends { readonly root: object }>({ root, ...spf }: Seen) => ({
  ...spf,
  root: unseenNode(root),
  lookups: 0,
  void_lookups: 0,
})

const UNSEEN_POLICY = {
  failure: 'timeout',
  content_type: null,
  version: null,
  mode: null,
  max_age: null,
  mx: [],
  violations: [],
  valid: true,
}

/** A page whose end was not read is described as such. */
function cutPage(recording: Recording): Recording {
  const { served } = recording.evidence
  if (served?.status !== 'gathered') return recording
  const value = { ...(served.value as Evidence['served']), cut: 'too_large' }
  return { ...recording, evidence: { ...recording.evidence, served: { status: 'gathered', value } } }
}

/** Every piece of the recording that was seen, taken away: each kind as a whole, then its parts. */
export function takeaways(recording: Recording): readonly Takeaway[] {
  const without = (name: string, gathered: GatherOutcome): Recording => ({
    ...recording,
    evidence: { ...recording.evidence, [name]: gathered },
  })
  return Object.entries(recording.evidence).flatMap(([name, gathered]) => {
    if (gathered.status !== 'gathered') return []
    const take = takes[name as keyof Evidence] as ((value: unknown) => readonly Less[]) | undefined
    return [
      { piece: name, left: without(name, { status: 'unavailable', reason }) },
      ...(take?.(gathered.value) ?? []).map(([piece, value]) => ({
        piece: `${name}.${piece}`,
        left:
          name === 'document'
            ? cutPage(without(name, { status: 'gathered', value }))
            : without(name, { status: 'gathered', value }),
      })),
    ]
  })
}
