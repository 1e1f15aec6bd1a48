import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import plugin from '../../plugins/security_headers/index.ts'
import { sectionAjv } from '../../src/engine/json_schema.ts'
import { documentOf, pageOf } from '../../src/testing/page_of.ts'
import { anyText, parts } from '../any_text.ts'
import { assertCheap } from '../cpu.ts'
import { find, sectionOf } from './web_section.ts'

const scoreOf = (headers: readonly string[], url = 'https://example.com/') =>
  sectionOf(find(plugin.analyze, pageOf({ url, headers }))).score ?? Number.NaN

const line = (name: string) => (value: string) => [`${name}: ${value}`]
const ladder = (name: string, ...values: string[]) => [[], ...values.map(line(name))]

/** Settings of one header from worse to better; the first is its absence or what is as bad. */
const ladders: readonly (readonly (readonly string[])[])[] = [
  ladder(
    'strict-transport-security',
    'max-age=0',
    'max-age=60',
    'max-age=2592000',
    'max-age=15552000',
    'max-age=31536000',
    'max-age=31536000; includeSubDomains',
  ),
  ladder(
    'content-security-policy',
    '*',
    "script-src * 'unsafe-inline'",
    "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
    "script-src 'self' 'unsafe-inline'",
    "script-src 'self' 'unsafe-inline'; object-src 'none'",
    "script-src 'self' ajax.googleapis.com; object-src 'none'",
    "script-src 'self'; object-src 'none'",
    "script-src 'self'; object-src 'none'; base-uri 'none'",
  ),
  [
    ...ladder('x-frame-options', 'ALLOWALL', 'DENY, SAMEORIGIN', 'SAMEORIGIN', 'DENY'),
    line('content-security-policy')("frame-ancestors 'none'"),
  ],
  ladder('x-content-type-options', 'sniff', 'nosniff'),
  [
    line('referrer-policy')('unsafe-url'),
    line('referrer-policy')('no-referrer-when-downgrade'),
    [],
    ...['origin', 'strict-origin'].map(line('referrer-policy')),
  ],
  ladder('permissions-policy', 'camera=*', 'camera=(self)', 'camera=()'),
  ladder('cross-origin-opener-policy', 'unsafe-none', 'same-origin-allow-popups', 'same-origin'),
  ladder('cross-origin-embedder-policy', 'unsafe-none', 'require-corp'),
  ladder('cross-origin-resource-policy', 'cross-origin', 'same-origin'),
  [
    ['access-control-allow-origin: *', 'access-control-allow-credentials: true'],
    ['access-control-allow-origin: *'],
    [],
  ],
  [['server: nginx/1.25', 'x-powered-by: PHP/8.3'], ['x-powered-by: PHP'], ['server: nginx'], []],
]

describe('a better configuration', () => {
  const rungs = fc.tuple(...ladders.map(steps => fc.nat(steps.length - 1)))
  const headersAt = (at: readonly number[]) => at.flatMap((step, which) => ladders[which]?.[step] ?? [])

  it('never scores lower', () => {
    fc.assert(
      fc.property(rungs, fc.nat(ladders.length - 1), (at, which) => {
        const steps = ladders[which]?.length ?? 0
        const better = at.map((step, ladder) => (ladder === which ? Math.min(step + 1, steps - 1) : step))
        assert.ok(scoreOf(headersAt(better)) >= scoreOf(headersAt(at)))
      }),
      { numRuns: 300 },
    )
  })

  it('scores higher over HTTPS', () => {
    fc.assert(
      fc.property(rungs, at => {
        assert.ok(scoreOf(headersAt(at)) > scoreOf(headersAt(at), 'http://example.com/'))
      }),
    )
  })
})

describe('one more policy', () => {
  const source = fc.constantFrom(
    "'self'",
    "'unsafe-inline'",
    "'unsafe-eval'",
    '*',
    'https:',
    "'nonce-2726c7f26c'",
    "'strict-dynamic'",
    'ajax.googleapis.com',
  )
  const directive = fc.tuple(
    fc.constantFrom('script-src', 'default-src', 'object-src', 'base-uri', 'img-src', '*'),
    fc.array(source, { maxLength: 3 }),
  )
  const policy = fc
    .array(directive, { minLength: 1, maxLength: 3 })
    .map(list => `content-security-policy: ${list.map(([name, sources]) => [name, ...sources].join(' ')).join('; ')}`)

  it('never makes the page less safe', () => {
    fc.assert(
      fc.property(fc.array(policy, { maxLength: 2 }), policy, (policies, another) => {
        assert.ok(scoreOf([...policies, another]) >= scoreOf(policies))
      }),
      { numRuns: 500 },
    )
  })
})

const NAMES = parts(`
    strict-transport-security content-security-policy content-security-policy-report-only x-frame-options
    x-content-type-options referrer-policy permissions-policy cross-origin-opener-policy
    cross-origin-embedder-policy cross-origin-resource-policy access-control-allow-origin server x-powered-by
  `)
const validate = sectionAjv().compile(plugin.schema)

describe('hostile headers', () => {
  const piece = fc.constantFrom(
    ...parts(
      `max-age = ; , " 1 'self' * script-src __proto__ constructor ( ) @ : https://[ %"`,
      '\\',
      ' ',
      '\ud800',
      'é',
    ),
  )
  const value = fc.oneof(
    fc.array(piece, { maxLength: 12 }).map(pieces => pieces.join('')),
    anyText({ maxLength: 40 }),
  )

  it('give a section that matches its schema', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...NAMES), value), { maxLength: 8 }), value, (fields, meta) => {
        const page = pageOf({ headers: fields.map(([name, text]) => `${name}:${text}`) })
        const metas = ['content-security-policy', 'referrer'].map(name => ({ name, content: meta }))
        const section = sectionOf(find(plugin.analyze, page, documentOf({ metas })))
        assert.ok(validate(section), JSON.stringify(validate.errors))
        assert.ok(Buffer.byteLength(JSON.stringify(section)) < 128 * 1024)
      }),
      { numRuns: 500 },
    )
  })

  const size = 2 * 1024 * 1024
  const numbered = (unit: (n: number) => string) =>
    Array.from({ length: size / 16 }, (_, n) => unit(n))
      .join('')
      .slice(0, size)
  const fillings: readonly (readonly [string, string])[] = [
    ...[' ', ';', ',', '"', 'a', 'a=', 'a;', 'a,', '\\"', '(', 'a=(', '1', '*', "script-src '", ':', '?1;'].map(
      unit => [JSON.stringify(unit), unit.repeat(size / unit.length)] as const,
    ),
    ['sources', `script-src 'strict-dynamic' ${numbered(n => `h${n}.example `)}`],
    ['directives', numbered(n => `d${n} 'self';`)],
    ['policies', numbered(n => `script-src h${n},`)],
    ['features', numbered(n => `f${n}=(),`)],
  ]
  for (const [title, text] of fillings) {
    it(`of two mebibytes of ${title} are judged in 250 ms of CPU`, () => {
      const page = pageOf({ headers: NAMES.map(name => `${name}:${text.slice(0, size / NAMES.length)}`) })
      const document = documentOf({ metas: [{ name: 'content-security-policy', content: text }] })
      assertCheap(() => find(plugin.analyze, page, document))
    })
  }
})
