// Has the page words for everything the service may say?
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { builtInPlugins } from '../../plugins/index.ts'
import { createRegistry } from '../../src/engine/registry.ts'
import { DEFAULT_COMPOSITES } from '../../src/scoring/composites.ts'
import { DEFAULT_GROUPS } from '../../src/scoring/groups.ts'
import { severityOf } from '../../src/scoring/severity.ts'
import { advice, stepsFor, warnings } from '../../src/web/advice.js'
import { reasonWords, statusWords, unseen } from '../../src/web/reasons.js'
import { describeSection, sectionOf } from '../../src/web/sections/index.js'
import { serious } from '../../src/web/severity.js'

const RESULTS = resolve(import.meta.dirname, '../golden/results')
const { registry } = createRegistry(builtInPlugins, { plugins: {}, groups: DEFAULT_GROUPS })
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

describe('the page’s words', () => {
  it('give advice for every built-in signal', () => {
    const ids = shipped.flatMap(({ analyzer }) => Object.keys(analyzer.signals))
    const without = ids.filter(id => !Object.hasOwn(advice, id))
    assert.deepEqual(without, [])
  })

  it('warn only about signals that prevent an allow', () => {
    const severities = new Map(
      shipped.flatMap(({ signals }) => Object.entries(signals).map(([id, one]) => [id, one.severity])),
    )
    const ofPlugins = shipped.flatMap(({ analyzer }) => Object.entries(analyzer.composites ?? {}))
    for (const [id, composite] of [...Object.entries(DEFAULT_COMPOSITES), ...ofPlugins]) {
      severities.set(id, severityOf(composite))
    }
    const idle = Object.keys(warnings).filter(id => !serious.includes(severities.get(id) ?? ''))
    assert.deepEqual(idle, [])
  })

  it('keep every warning in the table of warnings, which the recommendation can suppress', () => {
    const warning =
      /\b(?:do not|don’t|never) (?:open|enter|follow|fill|visit|click|go)\b|\benter nothing\b|\bblock it\b/i
    const stray = Object.entries(advice).filter(([, text]) => warning.test(text ?? ''))
    assert.deepEqual(stray, [])
  })

  for (const name of enabled) {
    it(`describe ${name} for any findings`, () => {
      const section = sectionOf(name)
      assert.notEqual(section.looks, sectionOf('a_plugin_of_ones_own').looks)
      for (const { file, result } of results) {
        if (result[name] == null) continue
        const { summary, facts } = section.describe(result[name], true)
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
          const { summary, facts } = sectionOf(name).describe(withValue(result[name], path, null), false)
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
        sectionOf(section)
          .describe(withValue(shop[section], path.split('.'), value), true)
          .facts.find(([name]) => name === label)?.[1]
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

  it('describe an unknown section field by field', () => {
    const { title, describe: describeOwn } = sectionOf('own_section')
    assert.equal(title, 'Own section')
    const facts = [
      ['A field', { text: 'x' }],
      ['Many', ['a', '{"b":1}']],
      ['None', null],
      ['Deep', { text: '{"c":true}' }],
    ]
    assert.deepEqual(
      describeOwn({ a_field: 'x', many: ['a', { b: 1 }], none: null, deep: { c: true } }, true).facts,
      facts,
    )
  })

  it('describe a section of an unexpected shape field by field', () => {
    assert.deepEqual(describeSection('ssl_info', { own_field: 1 }, { reason: null }).facts, [['Own field', 1]])
  })

  it('do not read a built-in object property as a section or a reason', () => {
    assert.equal(sectionOf('constructor').title, 'Constructor')
    assert.equal(reasonWords({ reason: 'toString' }), 'toString')
  })
})

describe('what to do', () => {
  const signal = (id: string, severity: 'high' | 'low', section = 'dns_security') => ({
    id,
    section,
    severity,
    group: 'network',
    points: 1,
    floor: null,
    title: id,
    detail: null,
  })
  const found = [
    signal('weak_dmarc_policy', 'low'),
    signal('resolves_to_private_address', 'high'),
    signal('expired_certificate', 'high', 'ssl_info'),
  ]

  it('begins with the warning of the most serious signal of the section', () => {
    assert.deepEqual(stepsFor('dns_security', { signal_details: found, recommendation: 'review' }), [
      warnings['resolves_to_private_address'],
      advice['resolves_to_private_address'],
      advice['weak_dmarc_policy'],
    ])
  })

  it('warns of nothing that is allowed, for example if an operator lowers a severity', () => {
    const allowed = {
      signal_details: found.map(one => ({ ...one, severity: 'low' as const })),
      recommendation: 'allow',
    }
    for (const section of ['dns_security', 'ssl_info']) {
      const steps = stepsFor(section, allowed as Parameters<typeof stepsFor>[1])
      assert.ok(steps.length > 0)
      assert.deepEqual(
        steps.filter(step => Object.values(warnings).includes(step)),
        [],
      )
    }
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
    ['rdap_429', 'rdap 429'],
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
      unseen(sections).map(([name]) => name),
      ['c', 'd', 'a'],
    )
  })

  it('is never called good', () => {
    const told = [
      one('unavailable', 'servfail'),
      one('failed', 'threw'),
      one('not_applicable', null),
      one('completed', 'x_y'),
    ]
    assert.deepEqual(told.map(statusWords), [
      'Could not be seen',
      'Missing because of a fault in this service',
      'Nothing to look at',
      'Seen in part',
    ])
    assert.deepEqual(told.map(reasonWords), [
      'the domain’s name servers returned an error',
      'a plugin of this service failed',
      null,
      'x y',
    ])
  })
})
