import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import reputation from '../../plugins/reputation/index.ts'
import { type AnalysisContext, blameOf } from '../../src/engine/plugin.ts'
import type { Evidence } from '../../src/evidence/evidence.ts'
import { identify } from '../../src/targets/identity.ts'
import { parseTarget, type Target, unvetted } from '../../src/targets/target.ts'
import { pageOf } from '../../src/testing/page_of.ts'
import { EXAMPLE } from '../engine/engine_of.ts'
import { ipTarget } from '../evidence_of.ts'
import { NOTHING_SEEN, OPTIONS } from './reputation_unseen.ts'

type Listing = Evidence['listings']['lists'][number]
type Registration = Evidence['registration']
type FeedListing = Evidence['feeds']['lists'][number]
type ReverseNames = Evidence['reverse_names']
type Given = {
  reverse?: ReverseNames
  network?: Evidence['ip_network']
  feeds?: readonly Partial<FeedListing>[]
  rank?: number | 'not_loaded'
  ip?: string
  target?: Target
  lists?: readonly Partial<Listing>[]
  registration?: Partial<Registration>
  score?: number
  class_score?: number
  domain?: string
  missing?: AnalysisContext<unknown>['missing']
  /** The URL of the page, and whether its server did not answer. */
  seen?: string
  unanswered?: boolean
}

const NOW = new Date('2026-11-20T12:00:00Z')

const listing = (parts: Partial<Listing>): Listing => ({
  id: 'a_list',
  name: 'A List',
  kind: 'domain',
  asked: 'example.com',
  status: 'not_listed',
  reason: null,
  codes: [],
  categories: [],
  strength: null,
  explanation: null,
  terms: 'free',
  ...parts,
})

const feedListing = (parts: Partial<FeedListing>): FeedListing => ({
  id: 'a_feed',
  name: 'A Feed',
  kind: 'domain',
  asked: 'example.com',
  status: 'not_listed',
  reason: null,
  matched: null,
  categories: [],
  strength: null,
  terms: 'free',
  age_hours: 2,
  ...parts,
})

function ranked(rank: number | 'not_loaded'): Evidence['popularity'] {
  const list = { id: 'a_list', name: 'A List', of: 1_000_000, age_hours: 2 }
  return rank === 'not_loaded'
    ? { domain: 'example.com', rank: null, lists: [{ ...list, status: 'unknown', reason: rank, rank: null }] }
    : { domain: 'example.com', rank, lists: [{ ...list, status: 'ranked', reason: null, rank }] }
}

const registered = (parts: Partial<Registration>): Registration => ({
  source: 'rdap',
  domain: 'example.com',
  registered: true,
  registered_at: '2024-11-20T12:00:00Z',
  registered_in_future: false,
  expires_at: null,
  updated_at: null,
  registrar: null,
  status: [],
  dnssec_signed: null,
  name_servers: [],
  ...parts,
})

const validate = new Ajv2020({ strictTypes: false }).compile(reputation.schema)

const OF_DOMAIN = (domain: string): Target =>
  ({ ...EXAMPLE, domain, registrable: domain, registered: domain }) as Target

function judged({
  lists,
  feeds,
  rank,
  registration,
  network,
  score,
  class_score = score,
  reverse,
  ip,
  target,
  domain = 'example.com',
  missing = {},
  seen,
  unanswered = false,
}: Given) {
  const finding = reputation.analyze(
    {
      ...NOTHING_SEEN,
      listings: lists ? { lists: lists.map(listing) } : null,
      feeds: feeds ? { lists: feeds.map(feedListing) } : null,
      page: seen === undefined ? null : { ...pageOf({ url: seen }), ...(unanswered ? { failure: 'timeout' } : {}) },
      popularity: rank === undefined ? null : ranked(rank),
      registration: registration ? registered(registration) : null,
      ip_network: network ?? null,
      name_score:
        score === undefined
          ? null
          : { score, class_score, probability: 0.5, traits: [{ trait: 'random-looking label', weight: 1 }] },
      reverse_names: reverse ?? null,
    },
    {
      target: target ?? (ip === undefined ? OF_DOMAIN(domain) : ipTarget(ip)),
      now: NOW,
      options: OPTIONS,
      missing,
    },
  )
  assert.ok('section' in finding)
  assert.ok(validate(finding.section), JSON.stringify(validate.errors))
  return finding
}

/** The IDs of its signals. */
const idsOf = (given: Given) => judged(given).signals.map(({ id }) => id)

/** Its signals, each with its strength where that is not the whole. */
const weighed = ({ signals }: ReturnType<typeof judged>) =>
  signals.map(({ id, strength }) => (strength === undefined ? [id] : [id, strength]))

const listed = (parts: Partial<Listing>): Partial<Listing> => ({ status: 'listed', ...parts })
const PHISHING = listed({ categories: ['phishing'], strength: 'strong' })
const SPAM = listed({ id: 'b', categories: ['spam'], strength: 'moderate' })
const WEAK = listed({ id: 'c', categories: ['spam'], strength: 'weak' })
const POLICY = listed({ id: 'd', categories: ['policy'], strength: 'none' })
const SILENT: Partial<Listing> = { id: 'e', status: 'unknown', reason: 'timeout' }

describe('reputation counts blocklist hits', () => {
  const cases: [title: string, lists: Partial<Listing>[], hits: number | null, signals: string[]][] = [
    ['as none when lists answer that they know nothing', [{}], 0, []],
    ['as unknown when no list answers', [SILENT], null, []],
    ['as unknown when no list was asked', [], null, []],
    ['of the lists that answer when others are silent', [SILENT, {}], 0, []],
    ['of phishing, which makes the verdict', [PHISHING], 1, ['listed_as_malicious']],
    ['of spam, which does not', [SPAM], 1, ['listed_for_abuse']],
    ['of weak lists, which prove little', [WEAK], 1, ['listed_by_weak_list']],
    ['without policy listings', [POLICY], 0, []],
    [
      'of one list once, whatever it lists',
      [PHISHING, { ...PHISHING, asked: '192.0.2.1' }],
      1,
      ['listed_as_malicious'],
    ],
    ['by their strongest signal alone', [WEAK, SPAM, PHISHING], 3, ['listed_as_malicious']],
    [
      'of spam even when strong as no proof of malice',
      [listed({ categories: ['spam'], strength: 'strong' })],
      1,
      ['listed_for_abuse'],
    ],
  ]
  for (const [title, lists, hits, signals] of cases) {
    it(title, () => {
      assert.equal(judged({ lists }).section.blacklist_hits, hits)
      assert.deepEqual(idsOf({ lists }), signals)
    })
  }

  it('and lists each query with its outcome', () => {
    const asked = { name: 'A List', asked: 'example.com', age_hours: null }
    assert.deepEqual(judged({ lists: [PHISHING, SILENT] }).section.lists, [
      { ...asked, listed: true, status: 'answered', reason: null, category: 'phishing' },
      { ...asked, listed: null, status: 'unknown', reason: 'timeout', category: null },
    ])
  })
})

describe('reputation weighs a listing by its subject', () => {
  const IP = '198.51.101.7'
  const address = (parts: Partial<Listing>) => ({ ...parts, kind: 'ip' as const, asked: IP })
  const weak = (id: string) => address(listed({ id, categories: ['spam'], strength: 'weak' }))
  const cases: [title: string, given: Given, signals: [string, number?][]][] = [
    ['a name for abuse in full', { lists: [SPAM] }, [['listed_for_abuse']]],
    ['a domain’s address for abuse in part', { lists: [address(SPAM)] }, [['listed_for_abuse', 0.6]]],
    ['a domain’s address on a weak list in part', { lists: [weak('a')] }, [['listed_by_weak_list', 0.6]]],
    [
      'a domain’s address on many weak lists no more',
      { lists: ['a', 'b', 'c'].map(weak) },
      [['listed_by_weak_list', 0.6]],
    ],
    [
      'a domain’s address for malice in full, and never as proof',
      { lists: [address(PHISHING)] },
      [['listed_for_abuse']],
    ],
    ['an address for malice as proof', { ip: IP, lists: [address(PHISHING)] }, [['listed_as_malicious']]],
    [
      'a weakly listed name beside its address by what is worse',
      { lists: [WEAK, address(PHISHING)] },
      [['listed_for_abuse']],
    ],
    ['a name beside its address by the name', { lists: [SPAM, address({ ...SPAM, id: 'z' })] }, [['listed_for_abuse']]],
    ['an address on one weak list as such', { ip: IP, lists: [weak('a')] }, [['listed_by_weak_list']]],
    ['an address on two weak lists as abuse', { ip: IP, lists: [weak('a'), weak('b')] }, [['listed_for_abuse']]],
    ['an address twice on one weak list as such', { ip: IP, lists: [weak('a'), weak('a')] }, [['listed_by_weak_list']]],
  ]
  for (const [title, given, signals] of cases) {
    it(title, () => {
      assert.deepEqual(weighed(judged(given)), signals)
    })
  }
})

describe('reputation confirms malice', () => {
  const feed = (
    id: string,
    strength: FeedListing['strength'],
    category: FeedListing['categories'][number] = 'phishing',
  ) => ({ id, status: 'listed', categories: [category], strength, matched: 'example.com' }) as const
  const cases: [title: string, given: Given, signals: string[]][] = [
    ['of one strict feed', { feeds: [feed('a', 'strong')] }, ['listed_as_malicious']],
    [
      'of two feeds that are less so',
      { feeds: [feed('a', 'moderate'), feed('b', 'moderate')] },
      ['listed_as_malicious'],
    ],
    [
      'of a feed and a list',
      { feeds: [feed('a', 'moderate')], lists: [{ ...PHISHING, strength: 'moderate' }] },
      ['listed_as_malicious'],
    ],
    ['not of one feed alone that is less so', { feeds: [feed('a', 'moderate')] }, ['listed_for_abuse']],
    [
      'not of the same source twice',
      { feeds: [feed('a', 'moderate')], lists: [{ ...PHISHING, id: 'a', strength: 'moderate' }] },
      ['listed_for_abuse'],
    ],
    [
      'not of weak feeds, however many',
      { feeds: ['a', 'b', 'c'].map(id => feed(id, 'weak')) },
      ['listed_by_weak_list'],
    ],
    [
      'of one that another confirms by telling of spam',
      { feeds: [feed('a', 'moderate')], lists: [SPAM] },
      ['listed_as_malicious'],
    ],
    ['not of one that a weak list repeats', { feeds: [feed('a', 'moderate')], lists: [WEAK] }, ['listed_for_abuse']],
    [
      'not of two that tell of spam, which is abuse by several',
      { feeds: [feed('a', 'moderate', 'spam'), feed('b', 'moderate', 'spam')] },
      ['listed_by_several'],
    ],
    [
      'not of two lists of one provider',
      { feeds: [feed('nordspam_dbl', 'moderate'), feed('nordspam', 'moderate', 'spam')] },
      ['listed_for_abuse'],
    ],
    [
      'not of a feed and one that it takes in',
      { feeds: [feed('phishing_database', 'moderate'), feed('openphish', 'moderate')] },
      ['listed_for_abuse'],
    ],
    [
      'hardly of one list alone when the site is very popular',
      { feeds: [feed('a', 'moderate')], rank: 900 },
      ['listed_once', 'popular_domain'],
    ],
    [
      'of a strict list whatever the popularity',
      { feeds: [feed('a', 'strong')], rank: 900 },
      ['listed_as_malicious', 'popular_domain'],
    ],
  ]
  for (const [title, given, signals] of cases) {
    it(title, () => assert.deepEqual(idsOf(given), signals))
  }
})

describe('reputation trusts', () => {
  const link = parseTarget({ domain: null, ip: null, url: 'https://popular.com/r?to=x' }, unvetted)
  assert.ok(link.ok)
  const linked = link.target
  for (const [title, target, seen, unanswered, trusts] of [
    ['no popular host of a link that leads to another owner', linked, 'https://kit.com/', false, false],
    [
      'a popular host of a link that leads to another host of its owner',
      linked,
      'https://www.popular.com/',
      false,
      true,
    ],
    ['a popular host of a link whose page was not seen', linked, 'https://popular.com/', true, true],
    ['a popular name, wherever it redirects to', OF_DOMAIN('popular.com'), 'https://other.com/', false, true],
  ] as const) {
    it(title, () => {
      assert.equal(idsOf({ rank: 1, target, seen, unanswered }).includes('popular_domain'), trusts)
    })
  }

  it('without missing a page that was not seen', () => {
    const page = { status: 'unavailable', reason: 'timeout' } as const
    assert.equal(judged({ rank: 1, missing: { page } }).unknown, judged({ rank: 1 }).unknown)
  })

  for (const [rank, share] of [
    [1, 1],
    [10_000, 1],
    [10_001, 0.7],
    [100_000, 0.7],
    [100_001, 0.4],
    [500_000, 0.4],
    [500_001, null],
    ['not_loaded', null],
  ] as const) {
    it(`rank ${rank} by ${share === null ? 'nothing' : `a share of ${share}`}`, () => {
      const { section, signals } = judged({ rank })
      assert.equal(signals.find(({ id }) => id === 'popular_domain')?.strength ?? null, share)
      assert.equal(section.popularity_rank, typeof rank === 'number' ? rank : null)
    })
  }
})

describe('reputation reads the names of an address', () => {
  const IP = '198.51.101.7'
  const cases: [title: string, names: [string, boolean | null][], kind: string | null, signals: string[]][] = [
    ['as none', [], null, ['no_reverse_name']],
    ['as its own when they lead back', [['mail.firm.lab', true]], null, []],
    ['as claims when none does', [['www.bank.lab', false]], null, ['unconfirmed_reverse_name']],
    [
      'as its own when one of them does',
      [
        ['a.lab', false],
        ['b.lab', true],
      ],
      null,
      [],
    ],
    ['without blame when that is not known', [['mail.firm.lab', null]], null, []],
    ['as a line’s when they hold the address', [['198-51-101-7.dyn.telco.lab', true]], 'access', ['access_network']],
    ['as a line’s in hexadecimal', [['c6336507.pool.telco.lab', null]], 'access', ['access_network']],
    ['as a line’s in three digits each', [['p198051101007.cable.telco.lab', true]], 'access', ['access_network']],
    ['as a fixed place’s when they say so', [['static-198-51-101-7.dsl.telco.lab', true]], null, []],
    ['as a server’s when they hold the address', [['198-51-101-7.compute.cloud.lab', true]], null, []],
    ['as nothing when a word stands alone', [['pool.ntp.lab', true]], null, []],
    ['as an exit of Tor', [['tor-exit-3.relays.lab', true]], 'tor_exit', ['tor_exit']],
    ['as an exit of Tor in one word', [['torexit12.relays.lab', null]], 'tor_exit', ['tor_exit']],
    ['not as an exit of Tor by a lie', [['tor-exit.relays.lab', false]], null, ['unconfirmed_reverse_name']],
    ['not as an exit of Tor for other towers', [['exit.toronto.lab', true]], null, []],
  ]
  for (const [title, names, kind, signals] of cases) {
    it(title, () => {
      const listed = names.map(([name, confirmed]) => ({ name, confirmed }))
      const { section, signals: found } = judged({ ip: IP, reverse: { ip: IP, names: listed, total: listed.length } })
      assert.deepEqual([section.address_kind, found.map(({ id }) => id)], [kind, signals])
      assert.deepEqual(section.reverse_names, listed)
    })
  }

  for (const [confirmed, brand] of [
    [true, 'PayPal'],
    [false, null],
  ] as const) {
    it(`and accuses it of a look-alike ${confirmed ? 'that is' : 'never when that is not'} proven to be its own`, () => {
      const names = [{ name: 'secure-paypal-login.com', confirmed }]
      assert.equal(judged({ ip: IP, reverse: { ip: IP, names, total: 1 } }).section.lookalike_of, brand)
    })
  }

  it('as unknown when they could not be looked up', () => {
    assert.deepEqual(judged({ ip: IP }).section.reverse_names, null)
  })
})

describe('reputation reads the registration', () => {
  const cases: [
    title: string,
    registration: Partial<Registration>,
    age: number | null,
    signals: [string, number?][],
  ][] = [
    ['of today as age 0, wholly new', { registered_at: '2026-11-20T11:59:59Z' }, 0, [['newly_registered_domain']]],
    ['as new up to 29 days', { registered_at: '2026-10-22T12:00:00Z' }, 29, [['newly_registered_domain']]],
    ['as recent from 30 days', { registered_at: '2026-10-21T12:00:00Z' }, 30, [['newly_registered_domain', 0.5]]],
    ['as ordinary from 90 days', { registered_at: '2026-08-22T12:00:00Z' }, 90, []],
    ['as old from five years', { registered_at: '2021-11-21T12:00:00Z' }, 1_825, [['long_registered_domain']]],
    ['without a date as of unknown age', { registered_at: null }, null, []],
    [
      'dated in the future as a signal of its own',
      { registered_at: null, registered_in_future: true },
      null,
      [['registered_in_future']],
    ],
    ['on hold as a warning', { status: ['client hold', 'active'] }, 730, [['domain_on_hold']]],
    ['about to be deleted', { status: ['pending delete'] }, 730, [['domain_pending_delete']]],
    ['renewed by itself, which is ordinary', { status: ['auto renew period', 'active'] }, 730, []],
    ['with a status nobody knows', { status: ['half moon'] }, 730, []],
  ]
  for (const [title, registration, age, signals] of cases) {
    it(title, () => {
      const finding = judged({ registration })
      assert.equal(finding.section.age_days, age)
      assert.deepEqual(weighed(finding), signals)
    })
  }

  for (const registered_at of ['1999-01-01T00:00:00Z', '2026-11-19T00:00:00Z']) {
    it(`of a platform since ${registered_at.slice(0, 4)} without a word on the age of its tenants`, () => {
      const target = { ...OF_DOMAIN('user.pages.lab'), registered: 'pages.lab' } as Target
      assert.deepEqual(judged({ target, registration: { domain: 'pages.lab', registered_at } }).signals, [])
    })
  }

  for (const [title, domain, ids] of [
    ['of a platform that the PSL does not have just so', 'shop.weebly.com', []],
    ['of such a platform itself as of any other domain', 'weebly.com', ['long_registered_domain']],
    ['of its www as of itself', 'www.weebly.com', ['long_registered_domain']],
  ] as const) {
    it(title, () => {
      const target = { ...OF_DOMAIN(domain), registrable: identify(domain).owner, registered: 'weebly.com' } as Target
      const registration = { domain: 'weebly.com', registered_at: '2006-03-29T00:00:00Z' }
      assert.deepEqual(idsOf({ target, registration }), ids)
    })
  }

  for (const [signed, says] of [
    [true, 'signs it'],
    [false, 'does not sign it'],
    [null, 'says nothing of signatures'],
  ] as const) {
    it(`and reports that the registry ${says}`, () => {
      assert.equal(judged({ registration: { dnssec_signed: signed } }).section.registry_dnssec, signed)
    })
  }

  it('and gives its date without a zone designator', () => {
    assert.equal(judged({ registration: {} }).section.registered_at, '2024-11-20T12:00:00')
  })
})

describe('reputation weighs the name', () => {
  for (const [score, strength] of [
    [79, null],
    [80, 1 / 21],
    [90, 11 / 21],
    [100, 1],
  ] as const) {
    it(`at ${score} by ${strength === null ? 'nothing' : `a share of ${strength.toFixed(2)}`}`, () => {
      const found = judged({ score }).signals.find(({ id }) => id === 'suspicious_name')
      assert.equal(found?.strength ?? null, strength)
    })
  }

  for (const [domain, ids] of [
    ['discord.com', []],
    ['www.uniswap.org', []],
    ['user.discord.com', []],
    ['evil.sharepoint.com', ['suspicious_name', 'unvouched_name']],
    ['evil.wordpress.com', ['suspicious_name', 'unvouched_name']],
  ] as const) {
    it(`of ${domain} by ${ids.length === 0 ? 'nothing, for it is a brand’s own' : 'what it looks like'}`, () => {
      assert.deepEqual(idsOf({ domain, score: 97 }), ids)
    })
  }

  for (const [domain, registrable, registered] of [
    ['user.pages.lab', 'user.pages.lab', 'pages.lab'],
    ['user.weebly.com', 'user.weebly.com', 'weebly.com'],
  ] as const) {
    it(`of ${domain}, a platform’s tenant, as of others`, () => {
      const target = { ...OF_DOMAIN(domain), registrable, registered } as Target
      assert.equal(judged({ target, score: 100 }).signals[0]?.strength, 1)
    })
  }

  for (const [score, class_score, found] of [
    [94, 60, false],
    [94, 70, true],
    [70, 100, false],
    [79, 90, false],
  ] as const) {
    it(`of ${score}, and ${class_score} among names under the same kind of suffix, by ${found ? 'its score' : 'nothing'}`, () => {
      const strengths = judged({ score, class_score }).signals.map(({ strength }) => strength)
      assert.deepEqual(strengths, found ? [15 / 21] : [])
    })
  }

  const DAY = 86_400_000
  const registeredFor = (days: number) => ({ registered_at: new Date(NOW.getTime() - days * DAY).toISOString() })
  const tenant = { ...OF_DOMAIN('user.github.io'), registrable: 'user.github.io', registered: 'github.io' } as Target
  const reviews: readonly (readonly [title: string, given: Given, found: boolean])[] = [
    ['of unknown age', {}, true],
    ['that was registered 89 days ago', { registration: registeredFor(89) }, true],
    ['that was registered 90 days ago', { registration: registeredFor(90) }, false],
    ['that is popular', { rank: 500_000 }, false],
    ['that is popular and new', { rank: 500_000, registration: registeredFor(3) }, true],
    [
      'of a platform’s tenant, however old the platform is',
      { target: tenant, registration: registeredFor(5_000) },
      true,
    ],
    ['that scores 89', { score: 89, class_score: 95 }, false],
    ['that scores 89 among names under the same kind of suffix', { class_score: 89 }, false],
    ['below a brand’s own domain', { domain: 'user.discord.com' }, false],
  ]
  for (const [title, given, found] of reviews) {
    it(`and ${found ? 'asks for a review' : 'asks for none'} of a name ${title}`, () => {
      assert.equal(idsOf({ score: 90, ...given }).includes('unvouched_name'), found)
    })
  }

  const namesakes: readonly (readonly [title: string, given: Given, brand: string | null])[] = [
    ['of unknown age', {}, 'PayPal'],
    ['that was registered 1824 days ago', { registration: registeredFor(1_824) }, 'PayPal'],
    ['that was registered 1825 days ago', { registration: registeredFor(1_825) }, null],
    ['that is popular', { rank: 500_000 }, null],
    ['that no list ranks', { rank: 500_001 }, 'PayPal'],
  ]
  for (const [title, given, brand] of namesakes) {
    it(`and says that a brand’s word under another suffix, ${title}, imitates ${brand ?? 'nobody'}`, () => {
      const { section, signals } = judged({ domain: 'paypal.org', ...given })
      assert.equal(section.lookalike_of, brand)
      assert.deepEqual(
        signals.filter(({ id }) => id === 'lookalike_domain').map(({ strength }) => strength),
        brand === null ? [] : [0.2],
      )
    })
  }

  it('and says that an altered name imitates a brand, however old and popular it is', () => {
    const { section } = judged({ domain: 'paypa1.com', registration: registeredFor(5_000), rank: 1 })
    assert.equal(section.lookalike_of, 'PayPal')
  })

  it('and names the imitated brand', () => {
    const domain = 'secure-paypal-login.com'
    assert.equal(judged({ domain }).section.lookalike_of, 'PayPal')
    assert.deepEqual(idsOf({ domain }), ['lookalike_domain'])
  })

  it('and does not report a brand’s own name', () => {
    assert.equal(judged({ domain: 'paypal.com' }).section.lookalike_of, null)
  })
})

describe('reputation reports missing sources', () => {
  it('nothing when all answered', () => assert.equal(judged({}).unknown, null))

  it('that all lists were silent', () => assert.equal(judged({ lists: [SILENT] }).unknown, 'no_list_answered'))

  it('that no feed is loaded', () => {
    const unloaded: Partial<FeedListing> = { status: 'unknown', reason: 'not_loaded' }
    assert.equal(judged({ lists: [{}], feeds: [unloaded] }).unknown, 'no_feed_loaded')
    assert.equal(judged({ lists: [{}], feeds: [unloaded, {}] }).unknown, 'some_feeds_silent')
  })

  it('that the registry publishes no date, which leaves the result complete', () => {
    assert.equal(judged({ lists: [{}], registration: { registered_at: null } }).unknown, 'no_registration_date')
    assert.equal(blameOf('no_registration_date'), 'nobody')
    assert.equal(judged({ lists: [{}], registration: { registered: false, registered_at: null } }).unknown, null)
    const future = { registered_at: null, registered_in_future: true }
    assert.equal(judged({ lists: [{}], registration: future }).unknown, null)
  })

  it('that a name of the address was not looked up in turn', () => {
    const names = [{ name: 'mail.example.com', confirmed: null }]
    const ip = '198.51.101.7'
    assert.equal(judged({ ip, reverse: { ip, names, total: 1 } }).unknown, 'reverse_names_dns_unavailable')
  })

  it('that no list of popular domains is loaded', () => {
    assert.equal(judged({ lists: [{}], rank: 'not_loaded' }).unknown, 'no_popularity_loaded')
  })

  const partly: readonly (readonly [reasons: readonly string[], unknown: string | null])[] = [
    ...['timeout', 'cancelled', 'too_many_queries', 'servfail'].map(
      reason => [[reason], 'some_lists_unanswered'] as const,
    ),
    ...['list_paused', 'list_unhealthy', 'allowance_spent', 'public_resolver', 'list_error'].map(
      reason => [[reason], 'some_lists_silent'] as const,
    ),
    [['list_paused', 'timeout'], 'some_lists_unanswered'],
    [['name_too_long', 'addresses_unknown'], null],
  ]
  for (const [reasons, unknown] of partly) {
    it(`${unknown ?? 'nothing'} when the reasons of single lists are ${reasons.join(' and ')}`, () => {
      assert.equal(judged({ lists: [...reasons.map(reason => ({ ...SILENT, reason })), {}] }).unknown, unknown)
    })
  }

  it('that some feeds are out of date, but not before an answer that the next check may get', () => {
    const unloaded: Partial<FeedListing> = { status: 'unknown', reason: 'stale' }
    const late: Partial<Listing> = { ...SILENT, reason: 'timeout' }
    const missing = { registration: { status: 'unavailable', reason: 'rdap_timeout' } } as const
    assert.equal(judged({ lists: [{}], feeds: [unloaded, {}] }).unknown, 'some_feeds_silent')
    assert.equal(judged({ lists: [late, {}], feeds: [unloaded, {}] }).unknown, 'some_lists_unanswered')
    assert.equal(judged({ lists: [{}], feeds: [unloaded, {}], missing }).unknown, 'registration_rdap_timeout')
  })

  it('nothing of evidence that is not configured or does not apply', () => {
    const missing = {
      registration: { status: 'unavailable', reason: 'not_configured' },
      ip_network: { status: 'not_applicable', reason: 'domain_target' },
    } as const
    assert.equal(judged({ lists: [{}], missing }).unknown, null)
  })
})

describe('reputation reports the network of an address', () => {
  const network: Evidence['ip_network'] = {
    ip: '193.0.14.115',
    registered: true,
    start_address: '193.0.14.0',
    end_address: '193.0.15.255',
    name: 'HARBOUR-NET',
    holder: 'Harbour Archive',
    country: 'NL',
    registered_at: '2026-11-19T00:00:00Z',
    abuse_email: 'abuse@harbour-archive.lab',
  }

  it('with its holder and without points, however new it is', () => {
    const { section, signals } = judged({ ip: network.ip, network, lists: [{}] })
    const { ip: _, ...shown } = network
    assert.deepEqual([section.ip_network, signals], [shown, []])
    assert.deepEqual([section.age_days, section.registered_at], [null, null])
  })

  it('as null when it is unknown', () => assert.equal(judged({ ip: network.ip }).section.ip_network, null))
})
