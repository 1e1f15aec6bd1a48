import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { averageIntensity } from '@tgwf/co2'
import fc from 'fast-check'
import { carbonTxt } from '../../plugins/carbon_footprint/carbon_txt.ts'
import { alpha3 } from '../../plugins/carbon_footprint/country_codes.ts'
import { deliveryNamed, deliveryOf } from '../../plugins/carbon_footprint/delivery.ts'
import { emissionsOf, ratings } from '../../plugins/carbon_footprint/emissions.ts'
import { judgeHosting } from '../../plugins/carbon_footprint/hosting.ts'
import plugin from '../../plugins/carbon_footprint/index.ts'
import { sectionAjv } from '../../src/engine/json_schema.ts'
import type { Evidence } from '../../src/engine/plugin.ts'
import { describeServed } from '../../src/evidence/served/gather.ts'
import { documentOf, exchangeOf, pageOf, type ResponseGiven } from '../../src/testing/page_of.ts'
import { anyText } from '../any_text.ts'
import { EXAMPLE } from '../engine/engine_of.ts'
import { ipTarget, locationOf, zoneOf } from '../evidence_of.ts'

type Green = Evidence['green_hosting']

const norwell = locationOf({
  country: 'US',
  country_name: 'United States',
  asn: 64500,
  organization: 'Village Hosting',
})

interface Given {
  readonly hops?: readonly (ResponseGiven & { bytes?: number; truncated?: string })[]
  readonly location?: Partial<Evidence['location']> | null
  readonly green?: Green | null
  readonly txt?: readonly string[]
}

const dnsWith = (records: readonly string[]) =>
  zoneOf({ txt: { status: 'found', records, ttl: 300, authenticated: false, cnames: [] } })

const isSection = sectionAjv().compile(plugin.schema)

function find({ hops = [{ bytes: 48_211 }], location = {}, green = null, txt = [] }: Given, target = EXAMPLE) {
  const exchanges = hops.map(hop => ({
    ...exchangeOf(hop),
    wire_bytes: hop.bytes ?? 0,
    truncated: hop.truncated ?? null,
  }))
  const page = { ...pageOf(), exchanges }
  const finding = plugin.analyze(
    {
      page,
      served: describeServed(page, documentOf({ text: 'Hello, this is our page.' })),
      location: location === null ? null : { ...norwell, ...location },
      green_hosting: green,
      dns: dnsWith(txt),
    },
    { target, options: {} as never, missing: {}, now: new Date(0) },
  )
  if ('section' in finding) assert.ok(isSection(finding.section), JSON.stringify(isSection.errors))
  return finding
}

function sectionOf(...given: Parameters<typeof find>) {
  const finding = find(...given)
  assert.ok('section' in finding)
  return finding.section
}

const answered = (status: 'green' | 'not_green', hosted_by: string | null = null): Green => ({
  green: status === 'green',
  hosted_by,
})

describe('carbon_footprint', () => {
  it('reports the footprint of a visit and the host of the site', () => {
    assert.deepEqual(find({ green: answered('green', 'Windmill Hosting') }), {
      section: {
        evaluated_url: 'https://example.com/',
        status_code: 200,
        redirects: [],
        served_as: 'page',
        recognised_by: null,
        blocked: false,
        green: true,
        green_status: 'green',
        green_via_cdn: null,
        hosted_by: 'Windmill Hosting',
        cdn: null,
        carbon_txt: null,
        bytes: 48_211,
        bytes_complete: true,
        scope: 'document',
        co2_grams_per_visit: 0.005835,
        rating: 'A+',
        model: 'swd-v4',
        grid_intensity: averageIntensity.data['USA'],
        grid_country: 'US',
      },
      signals: [],
    })
  })

  it('counts all transferred bytes, including redirects, and says if that is not all', () => {
    const { bytes, bytes_complete } = sectionOf({
      hops: [
        { url: 'http://example.com/', status: 301, bytes: 200 },
        { bytes: 1_000, truncated: 'too_large' },
      ],
    })
    assert.deepEqual({ bytes, bytes_complete }, { bytes: 1_200, bytes_complete: false })
  })

  it('uses the world average for an unknown country', () => {
    const unknown = [null, { country: null }, { country: 'AQ' }].map(location => sectionOf({ location }))
    assert.deepEqual(
      unknown.map(({ grid_intensity, grid_country }) => [grid_intensity, grid_country]),
      [
        [494, null],
        [494, null],
        [494, null],
      ],
    )
  })

  it('counts nothing if something stands in place of the page', () => {
    const { blocked, bytes, bytes_complete, co2_grams_per_visit, rating, grid_intensity, cdn } = sectionOf({
      hops: [{ status: 403, headers: ['server: cloudflare', 'cf-mitigated: challenge'], bytes: 900 }],
    })
    assert.deepEqual(
      [blocked, bytes, bytes_complete, co2_grams_per_visit, rating, grid_intensity, cdn],
      [true, null, null, null, null, null, 'Cloudflare'],
    )
  })

  it('does not apply without a response', () => {
    assert.deepEqual(find({ hops: [] }), { notApplicable: 'no_response' })
  })

  it('works for an address too', () => {
    assert.equal(sectionOf({}, ipTarget('93.184.216.34')).bytes, 48_211)
  })
})

describe('the host', () => {
  const cases: readonly [
    title: string,
    answer: Green | null,
    delivery: string | null,
    ReturnType<typeof judgeHosting>[keyof ReturnType<typeof judgeHosting>][],
  ][] = [
    ['is unknown when the directory was not asked, or did not answer', null, null, [null, 'unknown', null, null]],
    ['is green', answered('green', 'Windmill'), null, [true, 'green', null, 'Windmill']],
    ['is green without a name', answered('green'), null, [true, 'green', null, null]],
    ['is not green', answered('not_green'), null, [false, 'not_green', null, null]],
    [
      'is hidden by a green network',
      answered('green', 'Cloudflare'),
      'Cloudflare',
      [null, 'behind_cdn', true, 'Cloudflare'],
    ],
    [
      'is hidden by a network that only the directory sees',
      answered('green', 'Fastly, Inc.'),
      null,
      [null, 'behind_cdn', true, 'Fastly, Inc.'],
    ],
    [
      'is hidden by a network that is not green',
      answered('not_green'),
      'Akamai',
      [null, 'behind_cdn', false, 'Akamai'],
    ],
    [
      'vouches for a site behind a network',
      answered('green', 'Windmill'),
      'Cloudflare',
      [true, 'green', null, 'Windmill'],
    ],
  ]
  for (const [title, answer, delivery, hosting] of cases) {
    it(title, () => {
      const { green, green_status, green_via_cdn, hosted_by, ...rest } = judgeHosting(answer, delivery)
      assert.deepEqual([[green, green_status, green_via_cdn, hosted_by], rest], [hosting, {}])
    })
  }

  it('that is hidden does not count as green', () => {
    const grams = (green: Green | null) => sectionOf({ green }).co2_grams_per_visit
    assert.equal(grams(answered('green', 'Cloudflare')), grams(null))
    assert.ok(Number(grams(answered('green', 'Windmill'))) < Number(grams(null)))
  })
})

describe('the delivery network', () => {
  const cases: readonly [headers: readonly string[], organization: string | null, network: string | null][] = [
    [['cf-ray: 1-FRA'], null, 'Cloudflare'],
    [['server: Cloudflare'], 'Amazon.com, Inc.', 'Cloudflare'],
    [['x-amz-cf-id: x'], 'Amazon.com, Inc.', 'Amazon CloudFront'],
    [['x-served-by: cache-fra-1'], null, 'Fastly'],
    [['x-served-by: web-1'], null, null],
    [[], 'CLOUDFLARENET', 'Cloudflare'],
    [[], 'Akamai Technologies, Inc.', 'Akamai'],
    [[], 'Akamai Connected Cloud', null],
    [[], 'Azion Technologies Ltda.', 'Azion'],
    [[], 'AZION TECNOLOGIA LTDA', 'Azion'],
    [[], 'Fastweb Società per Azioni', null],
    [[], 'Hetzner Online GmbH', null],
    [[], null, null],
  ]
  for (const [headers, organization, network] of cases) {
    it(`is ${network} for ${[...headers, organization].join(', ')}`, () => {
      assert.equal(deliveryOf(exchangeOf({ headers }).headers, organization), network)
    })
  }

  it('is unknown without evidence', () => assert.equal(deliveryNamed(null), null))
})

describe('carbon.txt', () => {
  const url = 'https://example.com/.well-known/carbon.txt'
  const cases: readonly [txt: readonly string[], headers: readonly string[], found: string | null][] = [
    [[`carbon-txt-location=${url}`], [], url],
    [[`carbon-txt=${url} 0a1b2c`], [], url],
    [[], [`via: 1.1 varnish, 1.1 ${url} 0a1b2c`], url],
    [['v=spf1 -all'], ['via: 1.1 varnish'], null],
    [['carbon-txt=javascript:/carbon.txt'], [], null],
    [['carbon-txt=https://example.com/'], [], null],
    [['carbon-txt='], ['via:'], null],
    [[], [], null],
  ]
  for (const [txt, headers, found] of cases) {
    it(`is ${found} by ${[...txt, ...headers].join(', ') || 'nothing'}`, () => {
      assert.equal(carbonTxt(txt, exchangeOf({ headers }).headers), found)
    })
  }

  it('is a short URL or null, for any records', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 2_000 }), text => {
        const found = carbonTxt([`carbon-txt=https://${text}/carbon.txt`, text], [['via', text]])
        return found === null || (found.length <= 512 && /^https?:[\x21-\x7e]+$/.test(found))
      }),
    )
  })
})

describe('the emissions', () => {
  it('grow with the bytes and shrink with green hosting', () => {
    const octets = fc.integer({ min: 0, max: 5_000_000 })
    fc.assert(
      fc.property(octets, octets, fc.constantFrom(null, 'FR', 'PL', 'XX'), (a, b, country) => {
        const [less, more] = [Math.min(a, b), Math.max(a, b)].map(bytes => emissionsOf(bytes, false, country))
        const green = emissionsOf(Math.max(a, b), true, country)
        assert.ok(less && more && less.grams <= more.grams && green.grams <= more.grams)
        assert.ok(ratings.indexOf(less.rating) <= ratings.indexOf(more.rating))
      }),
    )
  })

  it('are zero for nothing', () => {
    const { grams, rating } = emissionsOf(0, false, 'DE')
    assert.deepEqual({ grams, rating }, { grams: 0, rating: 'A+' })
  })

  it('are rated from best to worst', () => {
    const rated = [100_000, 400_000, 800_000, 1_300_000, 1_800_000, 2_200_000, 5_000_000]
    assert.deepEqual(
      rated.map(bytes => emissionsOf(bytes, false, null).rating),
      ratings,
    )
  })

  it('print no warning', t => {
    const warn = t.mock.method(console, 'warn', () => {})
    for (const country of [null, 'CF', 'DE', 'QQ']) emissionsOf(1_000, false, country)
    assert.equal(warn.mock.callCount(), 0)
  })
})

describe('the country codes', () => {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })

  it('are codes of countries', () => {
    assert.deepEqual(
      [...alpha3.keys()].filter(code => names.of(code) === undefined),
      [],
    )
    assert.ok([...alpha3].every(([two, three]) => /^[A-Z]{2}$/.test(two) && /^[A-Z]{3}$/.test(three)))
  })

  it('cover each country with a known grid, once', () => {
    const known = Object.keys(averageIntensity.data).filter(code => /^[A-Z]{3}$/.test(code))
    assert.deepEqual([...alpha3.values()].sort(), known.sort())
  })
})
