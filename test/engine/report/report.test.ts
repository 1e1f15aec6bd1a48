// The model of the report: order, each fact once, and a shape that its schema describes.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sectionAjv } from '../../../src/engine/json_schema.ts'
import { analyzer, type Plugin, Type } from '../../../src/engine/plugin.ts'
import { createRegistry } from '../../../src/engine/registry.ts'
import { presentationsOf } from '../../../src/engine/report/presentations.ts'
import { ReportSchema } from '../../../src/engine/report/schema.ts'
import { DEFAULT_GROUPS } from '../../../src/engine/scoring/groups.ts'
import { kindsIn, readResult } from '../../golden/files.ts'
import { reportOf } from './shipped.ts'

const validate = sectionAjv().compile(ReportSchema)

describe('the report', () => {
  for (const kind of kindsIn('results')) {
    it(`of ${kind} matches its schema, and tells each thing once`, () => {
      const report = reportOf(readResult(kind))
      assert.ok(validate(JSON.parse(JSON.stringify(report))), JSON.stringify(validate.errors?.[0]))
      const texts = [...report.before, ...report.fixes].map(({ text }) => text)
      assert.deepEqual(texts, [...new Set(texts)])
      const told = [report.reason, ...report.findings.flatMap(({ detail }) => detail ?? [])]
      const again = report.sections.flatMap(({ remarks }) => remarks.filter(({ text }) => told.includes(text)))
      assert.deepEqual(again, [])
      assert.equal(told.indexOf(report.reason, 1), -1)
      assert.equal(report.steps.at(-1)?.to ?? 0, report.score)
    })
  }

  for (const kind of kindsIn('results')) {
    it(`of ${kind} shows nothing as unknown where everything was seen`, () => {
      const result = readResult(kind)
      const shown = reportOf(result).sections.flatMap(({ name, summary, facts, tables }) => {
        const { reason } = result.coverage.sections[name] ?? {}
        if (reason !== null && reason !== 'parked_page') return []
        const cells = tables.flatMap(({ title, rows }) => rows.flat().map(value => [title, value] as const))
        const unknown = [...facts, ...cells].flatMap(([label, value]) => (value === null ? [`${name}: ${label}`] : []))
        const said = summary.filter(part => reason === null && typeof part === 'string' && /unknown/i.test(part))
        return [...unknown, ...said]
      })
      assert.deepEqual(shown, [])
    })
  }

  it('shows a fact as unknown where something was not seen', () => {
    const result = readResult('shop')
    const sections = {
      ...result.coverage.sections,
      dns_security: { status: 'completed', reason: 'timeout' },
    }
    const dns = { ...(result['dns_security'] as object), soa: null, caa: null }
    const report = reportOf({ ...result, dns_security: dns, coverage: { complete: false, ratio: 0.9, sections } })
    const facts = new Map(report.sections.find(({ name }) => name === 'dns_security')?.facts)
    assert.deepEqual([facts.get('Start of authority'), facts.get('CAA')], [null, null])
  })

  it('begins with reputation and what the target shows of its identity', () => {
    const names = reportOf(readResult('shop')).sections.map(({ name }) => name)
    assert.deepEqual(names, [
      'reputation',
      'content_analysis',
      'dns_security',
      'ssl_info',
      'security_headers',
      'cookies',
      'tech_stack',
      'geo_location',
      'security_txt',
      'seo_health',
      'carbon_footprint',
    ])
  })

  it('names those whom the target depends on, by what they do for it', () => {
    assert.deepEqual(reportOf(readResult('shop')).dependencies, [
      { role: 'Registered with', parties: ['Lab Registrar'] },
      { role: 'Mail by', parties: ['google.com'] },
      { role: 'Certified by', parties: ['Lab Trust Services'] },
      { role: 'Hosted by', parties: ['Lab Hosting Cooperative'] },
    ])
  })

  it('names no party for a certificate that its subject signed, and none for a null MX', () => {
    const shop = readResult('shop')
    const ssl_info = { ...(shop['ssl_info'] as object), is_self_signed: true, issuer: 'shop.lab' }
    const mx = { status: 'null_mx', total: 1, hosts: [{ preference: 0, exchange: '', addresses: null }] }
    const dns_security = { ...(shop['dns_security'] as object), mx }
    const report = reportOf({ ...shop, ssl_info, dns_security })
    assert.deepEqual(report.dependencies, [
      { role: 'Registered with', parties: ['Lab Registrar'] },
      { role: 'Hosted by', parties: ['Lab Hosting Cooperative'] },
    ])
    const dns = report.sections.find(({ name }) => name === 'dns_security')
    assert.deepEqual(
      dns?.tables.map(({ title }) => title).filter(title => title === 'Mail servers'),
      [],
    )
    assert.equal(new Map(dns?.facts).get('Mail servers'), 'none: a null MX record says that no mail is received')
  })

  it('names a blocklist once, however many addresses it was asked about', () => {
    const shop = readResult('shop')
    const reputation = shop['reputation'] as { lists: readonly object[] }
    const twice = { ...reputation, lists: [...reputation.lists, ...reputation.lists] }
    const factsOf = (result: object) =>
      new Map(reportOf(result).sections.find(({ name }) => name === 'reputation')?.facts).get('Not listed by')
    assert.deepEqual(factsOf({ ...shop, reputation: twice }), factsOf(shop))
  })

  it('says when each section was complete, the quickest first, and leaves out what does not apply', () => {
    const result = readResult('shop')
    const sections = Object.fromEntries(
      Object.entries({ link: 1, ssl_info: 30, cookies: 20 }).map(([name, duration_ms]) => {
        const status = name === 'link' ? 'not_applicable' : 'completed'
        return [name, { status, reason: null, duration_ms }]
      }),
    )
    const { durations } = reportOf({ ...result, coverage: { complete: true, ratio: 1, sections } })
    assert.deepEqual(durations, [
      { title: 'Cookies', milliseconds: 20 },
      { title: 'Encryption and certificate', milliseconds: 30 },
    ])
  })

  it('begins with what the site says of itself, then how long it is known', () => {
    const { card } = reportOf(readResult('shop'))
    assert.deepEqual(card[0], ['Title', { text: (readResult('shop')['content_analysis'] as { title: string }).title }])
    assert.deepEqual(
      card.slice(1).map(([label]) => label),
      ['Registered', 'Language'],
    )
  })

  it('has the life of certificate and registration with the time of the check, and redirects as a chain', () => {
    const result = readResult('shop')
    const spans = reportOf(result).sections.flatMap(({ spans = [] }) => spans)
    assert.deepEqual(
      spans.map(({ label, at }) => [label, at]),
      [
        ['Registration', result['checked_at']],
        ['Certificate', result['checked_at']],
      ],
    )
    const hops = reportOf(readResult('redirecting')).sections.flatMap(({ hops = [] }) => hops)
    assert.ok(hops.length > 0 && hops.every(({ url, by }) => url.startsWith('http') && by !== ''), 'it redirects')
  })

  it('has the most serious findings first, and the changes that gain most', () => {
    const { findings, fixes } = reportOf(readResult('phishing'))
    const rank = (severity: string) => ['critical', 'high', 'medium', 'low', 'info'].indexOf(severity)
    const ranks = findings.map(({ severity }) => rank(severity))
    assert.deepEqual(ranks, ranks.toSorted())
    const points = fixes.map(fix => fix.points)
    assert.deepEqual(
      points,
      points.toSorted((a, b) => b - a),
    )
    assert.ok(fixes.length > 3, 'the phishing page has more than three changes')
  })

  it('of a name that does not exist says so once, in one line for all sections', () => {
    const { sections, unseen, findings, reason } = reportOf(readResult('nxdomain'))
    assert.equal(reason, 'no-such-name.lab does not exist in DNS.')
    assert.deepEqual(
      sections.map(({ name }) => name),
      ['reputation'],
    )
    assert.equal(findings[0]?.detail, null)
    assert.deepEqual(
      unseen.map(({ reason, sections }) => [reason, sections.length]),
      [
        ['the name does not exist', 10],
        ['this applies to links only', 1],
      ],
    )
  })

  it('of an old result says when it was made', () => {
    const report = reportOf({ ...readResult('shop'), stale: true })
    assert.equal(report.stale_since, '2026-11-22T12:00:00Z')
  })
})

const own = (presentation: object | undefined): Plugin =>
  analyzer({
    name: 'own_section',
    description: 'A section of a plugin of somebody else.',
    targets: ['domain'],
    needs: [],
    schema: Type.Object({ size_bytes: Type.Integer({ title: 'Size' }) }, { additionalProperties: false }),
    signals: { own_signal: { weight: 1, group: 'hygiene', title: 'Own', advice: 'Do it.' } },
    analyze: () => ({ section: { size_bytes: 2048 }, signals: [] }),
    ...(presentation && { presentation: presentation as never }),
  }) as unknown as Plugin

const registryOf = (presentation: object | undefined) =>
  createRegistry([{ plugin: own(presentation), origin: './own.mjs' }], { plugins: {}, groups: DEFAULT_GROUPS })

describe('the section of another plugin', () => {
  const shown = (presentation: object | undefined) => {
    const defects: string[] = []
    const { section, signal } = presentationsOf(registryOf(presentation).registry, (plugin, error) =>
      defects.push(`${plugin}: ${error}`),
    )
    const { describe, title, order } = section('own_section')
    const description = describe({ size_bytes: 2048 }, { isWhole: true, domain: null })
    return { title, order, description, defects, advice: signal('own_signal').advice }
  }
  const bySchema = { summary: [], facts: [['Size', '2 KiB']] }

  it('is shown by its schema when it declares nothing', () => {
    assert.deepEqual(shown(undefined), {
      title: 'Own section',
      order: 100,
      description: bySchema,
      defects: [],
      advice: 'Do it.',
    })
  })

  it('is shown as it declares', () => {
    const description = { summary: ['It has a size.'], facts: [] }
    const presentation = { title: 'Sizes', looks: 'sizes', order: 12, describe: () => description }
    assert.deepEqual(shown(presentation), {
      title: 'Sizes',
      order: 12,
      description,
      defects: [],
      advice: 'Do it.',
    })
  })

  for (const [what, describe, defect] of [
    [
      'throws',
      () => {
        throw new Error('broken')
      },
      'own_section: Error: broken',
    ],
    [
      'returns another shape',
      () => ({ summary: 'x' }),
      'own_section: WrongShape: describe returned a summary that is not an array',
    ],
    [
      'returns a promise',
      async () => ({ summary: [], facts: [] }),
      'own_section: WrongShape: describe returned a summary that is not an array',
    ],
  ] as const) {
    it(`is shown by its schema when its description ${what}, which is told`, () => {
      const { description, defects, title } = shown({ title: 'Sizes', looks: 'sizes', describe })
      assert.deepEqual([title, description, defects], ['Sizes', bySchema, [defect]])
    })
  }
})

describe('a presentation that is declared wrongly', () => {
  const cases: readonly (readonly [what: string, presentation: object, message: string])[] = [
    [
      'with a misspelt field',
      { title: 'Sizes', looks: 'sizes', descripe: () => ({}) },
      '"presentation" has an unknown field "descripe"; did you mean "describe"?',
    ],
    ['without a title', { looks: 'sizes' }, '"presentation.title" must be a string of 1 to 80 characters'],
    ['with a place in words', { title: 'S', looks: 's', order: 'first' }, '"presentation.order" must be a number'],
    [
      'with a text to describe',
      { title: 'S', looks: 's', describe: 'x' },
      '"presentation.describe" must be a function',
    ],
  ]
  for (const [what, presentation, message] of cases) {
    it(`is told at start: ${what}`, () => {
      const { faults } = registryOf(presentation)
      assert.deepEqual(
        faults.map(fault => fault.message),
        [message],
      )
    })
  }
})
