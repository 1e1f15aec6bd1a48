// Results to exchange: the golden ones, those of hostile sites and plugins, and how the schemas are checked.
import assert from 'node:assert/strict'
import { isIPv4, isIPv6 } from 'node:net'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { type ExchangeFormat, type ExchangeOptions, exchangeText } from '../../../src/results/exchange/formats.ts'
import { anyText, anyUrl } from '../../any_text.ts'
import { readResult } from '../../golden/files.ts'

export type Plain = Readonly<Record<string, unknown>>

export const OPTIONS: ExchangeOptions = { tlp: 'amber', public_url: 'https://checks.example.net' }

export const RESULT_ID = 'aBcDeFgHiJkLmNoPqRsTuV'

/** A golden result of a phishing site, with the changes. */
export const phishing = (changes: Plain = {}): Plain => ({
  ...readResult('phishing'),
  result_id: RESULT_ID,
  ...changes,
})

/** Of a result that was rendered. */
export const PICTURES = {
  screenshots: [
    { kind: 'desktop', width: 1280, height: 800, media_type: 'image/webp', sha256: 'a'.repeat(64), octets: 9_000 },
    { kind: 'phone', width: 390, height: 844, media_type: 'image/webp', sha256: 'b'.repeat(64), octets: 4_000 },
  ],
}

export const exchange = (format: ExchangeFormat, result: Plain, options: Partial<ExchangeOptions> = {}): unknown =>
  JSON.parse(exchangeText(format, result, { ...OPTIONS, ...options }))

/** RFC 3986: brackets only around an address. */
const uri =
  /^[a-z][a-z0-9+.-]*:\/\/(?:\[[0-9a-f:.]+\]|[\w.~!$&'()*+,;=-])+(?::\d+)?(?:[\w.~:/?#@!$&'()*+,;=-]|%[0-9a-f]{2})*$/i
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

export function validator(schema: object): (value: unknown) => void {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  ajv
    .addFormat('uri', uri)
    .addFormat('uuid', uuid)
    .addFormat('date', /^\d{4}-\d\d-\d\d$/)
  ajv.addFormat('ipv4', isIPv4).addFormat('ipv6', isIPv6)
  const validate = ajv.compile(schema)
  return value => assert.ok(validate(value), JSON.stringify(validate.errors?.slice(0, 3)))
}

const odd = () => fc.oneof(fc.constantFrom(null, undefined, 7, true, '', [], {}), anyText({ maxLength: 40 }))
const orOdd = <T>(one: fc.Arbitrary<T>) => fc.oneof({ weight: 4, arbitrary: one as fc.Arbitrary<unknown> }, odd())
/** Ends a string, a pattern, a tag or a line, if anything does. */
const hostile = () =>
  fc.oneof(
    anyText({ maxLength: 60 }),
    fc.constantFrom(
      "' OR url:value = '",
      "\\'] OR [",
      '"=\\',
      '\\',
      'a\nb\r\u2028',
      '\ud800',
      '"><script>',
      '/* */ //',
      'valueOf',
    ),
  )
const times = () => fc.constantFrom('2026-11-25T12:00:00Z', '2026-11-25T12:00:00', '9999-12-31T23:59:59', 'never')

const signal = () =>
  fc.record({ id: hostile(), severity: hostile(), title: orOdd(hostile()), detail: orOdd(hostile()) })
const listing = () =>
  fc.record({ name: orOdd(hostile()), asked: orOdd(hostile()), listed: fc.boolean(), category: orOdd(hostile()) })
const certificate = () =>
  fc.record({
    status: fc.constantFrom('handshake', 'refused'),
    fingerprint_sha256: orOdd(fc.constant('1987679BBCACB8F45AAA72B502C168A2C731A1AD0F94E02FCFB662BEBF010253')),
    serial: orOdd(hostile()),
    subject: orOdd(hostile()),
    issuer: orOdd(hostile()),
    is_self_signed: orOdd(fc.boolean()),
    signature_algorithm: orOdd(hostile()),
    not_before: orOdd(times()),
    expires_at: orOdd(times()),
  })

const screenshot = () =>
  fc.record({
    kind: orOdd(fc.constantFrom('desktop', 'phone')),
    sha256: orOdd(fc.constantFrom('a'.repeat(64), 'b'.repeat(64))),
    octets: orOdd(fc.nat()),
  })

/** Of sites that write what they like into every text, and of plugins that write what they like into every section. */
export const anyResult = (): fc.Arbitrary<Plain> =>
  fc.record({
    result_id: fc.constantFrom(null, RESULT_ID),
    domain: fc.oneof(
      fc.domain(),
      hostile().filter(text => /\p{L}/u.test(text)),
    ),
    ip: fc.constantFrom(null, '192.0.2.7', '2001:db8::7'),
    url: fc.oneof(fc.constant(null), anyUrl()),
    final_url: orOdd(anyUrl()),
    verdict: fc.constantFrom('safe', 'suspicious', 'malicious', 'unheard-of'),
    recommendation: orOdd(fc.constantFrom('allow', 'review', 'block')),
    recommendation_reason: orOdd(hostile()),
    risk_score: orOdd(fc.integer({ min: 0, max: 100 })),
    confidence: orOdd(fc.constantFrom('high', 'medium', 'low')),
    threat_types: orOdd(fc.array(hostile(), { maxLength: 4 })),
    signal_details: orOdd(fc.array(orOdd(signal()), { maxLength: 6 })),
    reputation: orOdd(fc.record({ lists: orOdd(fc.array(orOdd(listing()), { maxLength: 6 })) })),
    ssl_info: orOdd(certificate()),
    geo_location: orOdd(fc.record({ asn: orOdd(fc.integer({ min: 0, max: 2 ** 32 - 1 })), isp: orOdd(hostile()) })),
    content_analysis: orOdd(fc.record({ status_code: fc.constantFrom(null, 200) })),
    rendered: orOdd(fc.record({ screenshots: orOdd(fc.array(orOdd(screenshot()), { maxLength: 3 })) })),
    coverage: orOdd(fc.record({ complete: fc.boolean() })),
    checked_at: fc.constantFrom('2026-11-25T12:00:00Z', '2026-11-25T12:00:00.123Z'),
  }) as fc.Arbitrary<Plain>
