// What a result can be found by, as a table: the text in a result, and the values that are stored and asked for.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  conditionsOf,
  FACETS,
  type FacetKind,
  facetsOf,
  networkCondition,
  searchableFacts,
} from '../../src/store/facets.ts'

const HEX = '1987679bbcacb8f45aaa72b502c168a2c731a1ad0f94e02fcfb662bebf010253'

const valuesOf = (kind: FacetKind, text: string) => conditionsOf(kind, text).map(({ first }) => first)

describe('the values of a fact', () => {
  const cases: readonly [FacetKind, string, readonly string[]][] = [
    ['address', '192.0.2.7', ['4.c0000207']],
    ['address', '::ffff:192.0.2.7', ['4.c0000207']],
    ['address', '2001:DB8::1', ['6.20010db8000000000000000000000001']],
    ['address', '192.0.2.300', []],
    ['address', 'example.com', []],
    ['asn', 'AS64497', ['64497']],
    ['asn', '64497', ['64497']],
    ['asn', '0', []],
    ['certificate', HEX.toUpperCase().replace(/..(?=.)/g, '$&:'), [HEX]],
    ['certificate', HEX.slice(1), []],
    ['icon_hash', HEX, [HEX]],
    ['structure_hash', HEX, [HEX]],
    ['name_server', 'NS1.Example.net.', ['ns1.example.net']],
    ['mail_host', 'bücher.example', ['xn--bcher-kva.example']],
    ['mail_host', 'two words', []],
    ['form_target', 'https://Collector.example:8443/drop.php?x=1', ['collector.example']],
    ['form_target', 'collector.example', ['collector.example']],
    ['registrar', ' Example  Registrar, Inc. ', ['example registrar, inc.']],
    ['issuer', 'x'.repeat(300), ['x'.repeat(128)]],
    ['technology', 'WordPress', ['wordpress']],
    ['signal', 'brand_impersonation', ['brand_impersonation']],
    ['signal', 'No such', []],
    ['title', 'Sign in to your  ACCOUNT – sign in!', ['account', 'sign', 'your', 'in', 'to']],
    ['title', '登录账户', ['登录', '账户']],
    ['title', '…', []],
  ]
  for (const [kind, text, values] of cases)
    it(`of ${kind} ${text.slice(0, 40)}: ${values.length === 0 ? 'none' : values.join(' ').slice(0, 40)}`, () => {
      assert.deepEqual(valuesOf(kind, text), values)
    })

  for (const [kind, { example }] of Object.entries(FACETS))
    it(`the example of ${kind} is one`, () => assert.ok(valuesOf(kind as FacetKind, example).length > 0))
})

describe('a network', () => {
  const cases: readonly [string, readonly [string, string] | null][] = [
    ['192.0.2.0/24', ['4.c0000200', '4.c00002ff']],
    ['192.0.2.7/24', ['4.c0000200', '4.c00002ff']],
    ['10.0.0.0/8', ['4.0a000000', '4.0affffff']],
    ['192.0.2.7/32', ['4.c0000207', '4.c0000207']],
    ['2001:db8::/32', ['6.20010db8000000000000000000000000', '6.20010db8ffffffffffffffffffffffff']],
    ['10.0.0.0/7', null],
    ['2001::/18', null],
    ['192.0.2.0/33', null],
    ['192.0.2.0', null],
    ['192.0.2.0/24/8', null],
    ['example.com/24', null],
    ['', null],
  ]
  for (const [text, range] of cases)
    it(`${text || '(empty)'} is ${range === null ? 'none' : `from ${range[0]} to ${range[1]}`}`, () => {
      const condition = networkCondition(text)
      assert.deepEqual(condition && [condition.kind, condition.first, condition.last], range && ['address', ...range])
    })
})

describe('what a result can be found by', () => {
  const result = {
    ip: '192.0.2.7',
    signals: ['missing_mx_records', 'missing_mx_records', 'log_in_form'],
    ssl_info: { fingerprint_sha256: HEX, issuer: 'Lab Trust Services' },
    dns_security: {
      name_servers: ['ns2.example.net', 'ns1.example.net'],
      mx: { hosts: [{ exchange: 'mail.example.net' }] },
    },
    content_analysis: {
      title: 'Sign in',
      forms: {
        items: [
          { action: 'https://collector.example/a', destination: 'other_site' },
          { action: 'https://collector.example/b', destination: 'other_site' },
          { action: 'https://own.example/', destination: 'same_site' },
        ],
      },
    },
    geo_location: { asn: 64_497 },
    reputation: { registrar: null },
    tech_stack: null,
  }

  it('is each fact once, in the order of the table, as the result says it', () => {
    assert.deepEqual(
      searchableFacts(result).map(({ kind, text }) => [kind, text]),
      [
        ['certificate', HEX],
        ['form_target', 'collector.example'],
        ['address', '192.0.2.7'],
        ['name_server', 'ns2.example.net'],
        ['name_server', 'ns1.example.net'],
        ['mail_host', 'mail.example.net'],
        ['title', 'Sign in'],
        ['asn', '64497'],
        ['signal', 'missing_mx_records'],
        ['signal', 'log_in_form'],
        ['issuer', 'Lab Trust Services'],
      ],
    )
  })

  it('is a row for each word of a title', () => {
    const words = facetsOf(result).filter(({ kind }) => kind === 'title')
    assert.deepEqual(words, [
      { kind: 'title', value: 'sign' },
      { kind: 'title', value: 'in' },
    ])
  })

  it('is nothing of a result that saw nothing', () => assert.deepEqual(facetsOf({ ip: null, signals: [] }), []))

  it('is bounded', () => {
    const many = (name: string) => Array.from({ length: 500 }, (_, at) => `${name}${at}`)
    const rows = facetsOf({
      signals: many('signal_'),
      dns_security: { name_servers: many('ns'), mx: { hosts: many('mx').map(exchange => ({ exchange })) } },
      tech_stack: { technologies: many('T').map(name => ({ name })) },
      content_analysis: {
        title: many('word ').join(' '),
        forms: { items: many('f').map(name => ({ destination: 'other_site', action: `https://${name}.example/` })) },
      },
    })
    assert.equal(rows.length, 24 + 8 + 8 + 16 + 8 + 16)
  })
})
