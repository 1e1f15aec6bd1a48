// Is there a word for everything that the service may say?
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { labelsOf } from '../../../src/base/labels.ts'
import { reasonWords, statusWords, unseenSections } from '../../../src/engine/report/reasons.ts'
import { SERIOUS, severityOf } from '../../../src/engine/scoring/severity.ts'
import { describeSection, presentations, registry } from './shipped.ts'

const RESULTS = resolve(import.meta.dirname, '../../golden/results')
const shipped = [...registry.analyzers, ...registry.offered]
const enabled = registry.analyzers.filter(one => one.enabled).map(({ analyzer }) => analyzer.name)
/** A copy with another value at the path. */
function withValue(value: unknown, [first = '', ...rest]: readonly string[], to: unknown): Record<string, unknown> {
  const given = value as Record<string, unknown>
  return { ...given, [first]: rest.length === 0 ? to : withValue(given[first], rest, to) }
}

/** Paths of all lists in an object, but for those in lists. */
function listsIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (Array.isArray(value)) return [path]
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([name, one]) => listsIn(one, [...path, name]))
}

const results = readdirSync(RESULTS).map(file => ({
  file,
  result: JSON.parse(readFileSync(join(RESULTS, file), 'utf8')) as Record<string, unknown>,
}))

const shop = results.find(({ file }) => file === 'shop.json')?.result ?? {}

const definitions = [
  ...shipped.flatMap(({ signals }) => Object.entries(signals)),
  ...Object.entries(registry.composites).map(([id, one]) => [id, { ...one, severity: severityOf(one) }] as const),
]

/** Groups for which the report says what settles a review. */
const settled = new Set(['reputation', 'content', 'transport', 'network', 'identity'])

describe('the words of plugins', () => {
  it('give advice for every built-in signal and composite, or say that there is none', () => {
    const without = definitions.filter(([, { advice }]) => advice === undefined).map(([id]) => id)
    assert.deepEqual(without, [])
  })

  it('warn only about signals that count for the recommendation', () => {
    const warned = definitions.filter(([, { warning }]) => warning !== undefined)
    assert.ok(warned.length > 60, `only ${warned.length} warnings`)
    const idle = warned.filter(([, { severity }]) => severity === 'low' || severity === 'info').map(([id]) => id)
    assert.deepEqual(idle, [])
  })

  it('give a warning, or what settles the review of its group, for every signal that asks for a person', () => {
    const silent = definitions
      .filter(
        ([, { severity, warning, group }]) => SERIOUS.has(severity) && warning === undefined && !settled.has(group),
      )
      .map(([id]) => id)
    assert.deepEqual(silent, [])
  })

  it('address advice to the owner, who alone can follow it', () => {
    const others = definitions.filter(([, { advice }]) => typeof advice === 'string' && !/^If .*\byours\b/.test(advice))
    assert.deepEqual(
      others.map(([id]) => id),
      [],
    )
  })

  it('keep every warning apart from the advice, so that the recommendation can suppress it', () => {
    const warning =
      /\b(?:do not|don’t|never) (?:open|enter|follow|fill|visit|click|go)\b|\benter nothing\b|\bblock it\b/i
    const stray = definitions.filter(([, { advice }]) => warning.test(advice ?? '')).map(([id]) => id)
    assert.deepEqual(stray, [])
  })

  it('give every section a title, what is checked, and a place of its own', () => {
    const places = shipped.map(({ analyzer }) => analyzer.presentation?.order)
    assert.deepEqual(
      places.filter((place, at) => place === undefined || places.indexOf(place) !== at),
      [],
    )
    for (const { analyzer } of shipped) {
      const { title, looks } = presentations.section(analyzer.name)
      assert.match(title, /^\p{Lu}.{2,30}[^.]$/u)
      assert.match(looks, /^\S.+[^.]$/)
    }
  })

  it('give every field a label in words', () => {
    for (const { analyzer } of shipped) {
      for (const [name, label] of Object.entries(labelsOf(analyzer.schema as { properties?: object } as never)))
        assert.match(label, /^\S[^_]*$/, `${analyzer.name}.${name}`)
    }
  })

  for (const name of enabled) {
    it(`describe ${name} for any findings`, () => {
      for (const { file, result } of results) {
        if (result[name] == null) continue
        const { summary, facts } = describeSection(name, result[name])
        const text = summary.map(part => (typeof part === 'string' ? part : part.text)).join('')
        assert.match(text, /\.$/, file)
        assert.doesNotMatch(text, /undefined|null|NaN|\[object/, file)
        assert.ok(
          facts.every(([label, value]) => label !== '' && value !== undefined),
          file,
        )
      }
    })
  }

  for (const name of enabled) {
    it(`describe ${name} when any of its lists is unknown`, () => {
      for (const { file, result } of results) {
        for (const path of listsIn(result[name] ?? null)) {
          const { summary, facts } = describeSection(name, withValue(result[name], path, null), { reason: 'x' })
          const text = summary.map(part => (typeof part === 'string' ? part : part.text)).join('')
          assert.doesNotMatch(text, /undefined|null|NaN|\[object/, `${file}: ${path.join('.')}`)
          assert.ok(facts.every(([, value]) => value !== undefined))
        }
      }
    })
  }

  const lists: readonly (readonly [section: string, path: string, label: string])[] = [
    ['dns_security', 'mx.hosts', 'Mail servers'],
    ['dns_security', 'name_servers', 'Name servers'],
    ['ssl_info', 'subject_alternative_names', 'Names'],
    ['content_analysis', 'redirects', 'Redirects'],
    ['content_analysis', 'emails', 'E-mail'],
    ['content_analysis', 'phones', 'Telephone'],
    ['content_analysis', 'social_links', 'Profiles'],
    ['cookies', 'items', 'Cookies'],
    ['seo_health', 'sitemaps', 'Sitemap'],
    ['security_headers', 'leaks', 'Software disclosed'],
    ['reputation', 'lists', 'Listed by'],
    ['reputation', 'lists', 'Not listed by'],
    ['reputation', 'lists', 'No answer from'],
  ]
  for (const [section, path, label] of lists) {
    it(`distinguish an unknown ${section}.${path} from an empty one`, () => {
      const factOf = (value: unknown) =>
        describeSection(section, withValue(shop[section], path.split('.'), value)).facts.find(
          ([name]) => name === label,
        )?.[1]
      assert.deepEqual([factOf(null), factOf([])], [null, []])
    })
  }

  const absent: readonly (readonly [section: string, field: string, label: string])[] = [
    ['content_analysis', 'description', 'Description'],
    ['content_analysis', 'language', 'Language'],
    ['seo_health', 'lang', 'Language'],
    ['tech_stack', 'server', 'Server'],
  ]
  for (const [section, field, label] of absent) {
    it(`say that there is no ${section}.${field} only if the complete page was seen`, () => {
      const without = withValue(shop[section], [field], null)
      const factIn = (reason: string | null) =>
        describeSection(section, without, { reason }).facts.find(([name]) => name === label)?.[1]
      assert.deepEqual([factIn(null), factIn('page_withheld')], [[], null])
    })
  }

  const unknown: readonly (readonly [what: string, section: string, fields: object, label: string, value: unknown])[] =
    [
      [
        'mail that nobody could ask for',
        'dns_security',
        { mx: { status: 'unknown', hosts: [] } },
        'Mail servers',
        null,
      ],
      ['a robots.txt that could not be read', 'seo_health', { robots_txt: { status: 'unknown' } }, 'robots.txt', null],
      ['a robots.txt that is missing', 'seo_health', { robots_txt: { status: 'missing' } }, 'robots.txt', []],
      ['lists that are silent', 'reputation', { blacklist_hits: null }, 'Listed by', null],
      ['a certificate that was not shown', 'ssl_info', { status: 'failed', not_before: null }, 'Names', null],
      ['a framework that was looked for', 'tech_stack', { framework: null }, 'Framework', 'none that we recognise'],
      [
        'a policy that may stand in markup nobody could read',
        'security_headers',
        { csp: null },
        'Content-Security-Policy',
        null,
      ],
      [
        'forms of a page of which only the beginning was read',
        'content_analysis',
        { forms: { total: null } },
        'Forms',
        null,
      ],
      [
        'forms that ask for a password, as far as the page was read',
        'content_analysis',
        { forms: { total: 2, with_password: null } },
        'Forms',
        '2; whether others ask for a password is unknown',
      ],
      [
        'a description that may follow',
        'content_analysis',
        { description: null, truncated: true },
        'Description',
        null,
      ],
      ['cookies of a page that was withheld', 'cookies', { total: null, items: [] }, 'Cookies', null],
    ]
  for (const [what, section, fields, label, value] of unknown) {
    it(`distinguish ${what}`, () => {
      const { facts } = describeSection(section, { ...(shop[section] as object), ...fields }, { reason: null })
      assert.deepEqual(facts.find(([name]) => name === label)?.[1], value)
    })
  }

  it('do not say that search engines may list a page whose robots.txt is unknown', () => {
    const { summary } = describeSection(
      'seo_health',
      { ...(shop['seo_health'] as object), indexable: null },
      { reason: null },
    )
    assert.match(String(summary[0]), /^It is unknown whether search engines may index the page;/)
  })

  it('do not read a built-in object property as a section or a reason', () => {
    assert.equal(presentations.section('constructor').title, 'Constructor')
    assert.equal(reasonWords({ reason: 'toString' }), 'toString')
  })
})

describe('an unknown part', () => {
  const one = (status: 'completed' | 'not_applicable' | 'unavailable' | 'failed', reason: string | null) => ({
    status,
    reason,
    duration_ms: 0,
  })

  for (const [reason, words] of [
    ['servfail', 'the domain’s name servers returned an error'],
    ['mail_records_servfail', 'mail records: the domain’s name servers returned an error'],
    ['registration_rate_limited', 'registration: the source limits our requests'],
    ['robots_txt_status_503', 'robots.txt: the server answered with status 503'],
    ['status_404', 'the server answered with status 404'],
    ['rdap_429', 'RDAP: the server answered with status 429'],
    ['sitemap_redirect_loop', 'sitemap: its redirects form a loop'],
    ['plain_http_timeout', 'plain HTTP: no answer came in time'],
    ['other_host_reset', 'the name with or without www: the connection was reset'],
    ['parked_page', 'the name is parked or for sale, or its site is not set up'],
  ] as const) {
    it(`has words for ${reason}`, () => assert.equal(reasonWords({ reason }), words))
  }

  it('comes first if it leaves something unknown', () => {
    const sections = {
      a: one('not_applicable', 'ip_target'),
      b: one('completed', null),
      c: one('unavailable', 'connect_timeout'),
      d: one('completed', 'no_list_answered'),
    }
    assert.deepEqual(
      unseenSections(sections).map(([name]) => name),
      ['c', 'd', 'a'],
    )
  })

  it('is never called good', () => {
    const told = [
      one('unavailable', 'servfail'),
      one('failed', 'threw'),
      one('not_applicable', null),
      one('completed', 'x_y'),
      one('completed', 'security_txt_timeout'),
      one('unavailable', 'rdap_rate_limited'),
      one('not_applicable', 'not_public'),
    ]
    assert.deepEqual(told.map(statusWords), [
      'Could not be seen',
      'Missing because of a fault in this service',
      'Nothing to look at',
      'Seen in part',
      'Seen in part',
      'Could not be seen',
      'Nothing to look at',
    ])
    assert.deepEqual(told.map(reasonWords), [
      'the domain’s name servers returned an error',
      'a plugin of this service failed',
      null,
      'x y',
      'security.txt: no answer came in time',
      'RDAP: the source limits our requests',
      'the address is not public',
    ])
  })
})
