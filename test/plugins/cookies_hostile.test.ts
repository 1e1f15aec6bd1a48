import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import plugin from '../../plugins/cookies/index.ts'
import { sectionAjv } from '../../src/engine/json_schema.ts'
import type { Page } from '../../src/evidence/page/facts.ts'
import { redactSetCookie } from '../../src/network/set_cookie.ts'
import { pageOf } from '../../src/testing/page_of.ts'
import { anyText, parts } from '../any_text.ts'
import { assertCheap } from '../cpu.ts'
import { find, sectionOf } from './web_section.ts'

const pageWith = (fields: readonly string[]): Page => {
  const [exchange] = pageOf({}).exchanges
  assert.ok(exchange)
  return { ...pageOf(), exchanges: [{ ...exchange, headers: fields.map(field => ['set-cookie', field] as const) }] }
}
const findWith = (fields: readonly string[]) => find(plugin.analyze, pageWith(fields))
const validate = sectionAjv().compile(plugin.schema)

const piece = fc.constantFrom(
  ...parts(
    `
    a sid = ; , " __Host- __proto__ Path / Domain com example.com Max-Age 1 - SameSite None Secure Partitioned
  `,
    ' ',
    '\t',
    '\u0000',
    '\ud800',
    'é',
    '<9 control>',
  ),
)
const field = fc.array(piece, { maxLength: 16 }).map(pieces => pieces.join(''))

describe('hostile cookies', () => {
  it('give a section that matches its schema', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(field, anyText()), { maxLength: 5 }), fields => {
        assert.ok(validate(sectionOf(findWith(fields))), JSON.stringify(validate.errors))
      }),
      { numRuns: 500 },
    )
  })

  it('are judged the same after their values are removed', () => {
    fc.assert(
      fc.property(field, text => assert.deepEqual(findWith([redactSetCookie(text)]), findWith([text]))),
      { numRuns: 1000 },
    )
  })

  it('never show a value', () => {
    const attributes = fc.array(
      fc.constantFrom('Path=/', 'Secure', 'Domain=example.com', 'Path=/, c=S3CR3T', 'x=S3CR3T', 'S3CR3T'),
      { maxLength: 4 },
    )
    const name = fc.constantFrom('a=', '=', '', '__Host-a=', 'a=b=', ' a = ')
    fc.assert(
      fc.property(name, attributes, (start, list) => {
        const finding = findWith([[`${start}S3CR3T`, ...list].join(';')])
        assert.ok(!JSON.stringify(finding).includes('S3CR3T'))
      }),
    )
  })

  const size = 2 * 1024 * 1024
  const lines = (count: number, text: (at: number) => string) => Array.from({ length: count }, (_, at) => text(at))
  const fillings: readonly (readonly [string, readonly string[]])[] = [
    ...['a', '=', ';', ' ', 'a=b;', 'Path=/;', 'Domain=a;', '\u0000', 'Expires=1:', '__Host-'].map(
      unit => [`${JSON.stringify(unit)} in one field`, [`a=b;${unit.repeat(size / unit.length)}`]] as const,
    ),
    ['dates', lines(2_000, at => `c${at}=1; Expires=${'1 '.repeat(500)}`)],
    ['small cookies', lines(10_000, at => `c${at}=${'x'.repeat(190)}; Secure`)],
    ['long names', lines(512, at => `${at}${'x'.repeat(4_000)}=1; Domain=${'a.'.repeat(100)}com`)],
  ]
  for (const [title, fields] of fillings) {
    it(`of two mebibytes, ${title}, are judged in 250 ms of CPU`, () => {
      const page = pageWith(fields)
      assertCheap(() => find(plugin.analyze, page))
    })
  }
})

describe('a better guarded cookie', () => {
  const kind = fc.constantFrom('sid', 'csrftoken', '_ga', 'CookieConsent', 'lang')
  const attributes = fc.subarray(['Secure', 'HttpOnly', 'Path=/'])
  const sameSite = fc.constantFrom('', 'SameSite=x', 'SameSite=None', 'SameSite=Lax')
  const cookie = fc.record({ kind, attributes, sameSite })
  const write = (one: { kind: string; attributes: string[]; sameSite: string }, at: number) =>
    [`${one.kind}${at}=1`, ...one.attributes, one.sameSite].join('; ')

  it('never lowers the score', () => {
    fc.assert(
      fc.property(fc.array(cookie, { maxLength: 4 }), cookie, (others, one) => {
        const scoreOf = (...cookies: (typeof one)[]) => sectionOf(findWith(cookies.map(write))).score ?? Number.NaN
        const score = scoreOf(one, ...others)
        assert.ok(scoreOf({ ...one, attributes: [...one.attributes, 'Secure'] }, ...others) >= score)
        assert.ok(scoreOf({ ...one, attributes: [...one.attributes, 'HttpOnly'] }, ...others) >= score)
        assert.ok(scoreOf({ ...one, sameSite: 'SameSite=Lax' }, ...others) >= score)
        assert.ok(scoreOf(...others) >= score)
      }),
      { numRuns: 500 },
    )
  })
})
