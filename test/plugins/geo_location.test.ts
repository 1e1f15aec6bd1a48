import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import plugin from '../../plugins/geo_location/index.ts'
import { networkKind } from '../../plugins/geo_location/network_kind.ts'
import data from '../../plugins/geo_location/networks.json' with { type: 'json' }
import { sectionAjv } from '../../src/engine/json_schema.ts'
import type { Evidence } from '../../src/engine/plugin.ts'
import { assertCheap } from '../cpu.ts'
import { ipTarget, locationOf } from '../evidence_of.ts'

const target = ipTarget('93.184.216.34')
const norwell = locationOf({
  country: 'US',
  country_name: 'United States',
  city: 'Norwell',
  latitude: 42.1596,
  longitude: -70.8217,
  asn: 15133,
  organization: 'Edgecast Inc.',
})
const home: Partial<Evidence['location']> = { asn: 64500, organization: 'Village Telephone' }
const unheard: Partial<Evidence['location']> = { asn: 64501, organization: 'Springs Utilities' }
const validate = sectionAjv().compile(plugin.schema)

function judge(parts: Partial<Evidence['location']> = {}, hosting_asns: number[] = []) {
  const location = { ...norwell, ...parts }
  const finding = plugin.analyze({ location }, { target, options: { hosting_asns }, missing: {}, now: new Date(0) })
  assert.ok('section' in finding && validate(finding.section), JSON.stringify(validate.errors))
  return finding
}

describe('geo_location', () => {
  it('reports the location and network of the address', () => {
    const { organization, ...place } = norwell
    assert.deepEqual(judge(), {
      section: { ...place, isp: organization, is_hosting: true, network_kind: 'cdn', databases: null },
      signals: [
        {
          id: 'hosting_network',
          detail: '93.184.216.34 is in a hosting network (Edgecast Inc., AS15133).',
          evidence: { asn: 15133, network_kind: 'cdn' },
        },
      ],
    })
  })

  it('raises no signal for an access network', () => {
    const { section, signals } = judge(home)
    assert.deepEqual([section.is_hosting, section.network_kind, signals], [false, 'access', []])
  })

  it('reports an unknown network as unknown', () => {
    const { section, signals } = judge(unheard)
    assert.deepEqual([section.is_hosting, section.network_kind, signals], [false, null, []])
  })

  it('counts the autonomous systems of the options as hosting', () => {
    const { section } = judge(home, [64500])
    assert.deepEqual([section.is_hosting, section.network_kind], [true, 'hosting'])
  })

  it('is complete for an address that no dataset has, with is_hosting false', () => {
    const nothing = { country: null, country_name: null, city: null, latitude: null, longitude: null }
    const { section, signals, ...rest } = judge({ ...nothing, asn: null, organization: null })
    assert.deepEqual([section.is_hosting, section.isp, signals, rest], [false, null, [], {}])
  })

  it('has a closed schema of options with a default for each', () => {
    const options = plugin.options as unknown as { additionalProperties: unknown; properties: object }
    assert.equal(options.additionalProperties, false)
    assert.ok(Object.values(options.properties).every(property => 'default' in property))
  })
})

describe('the kind of a network', () => {
  const rows: readonly [number | null, string | null, string | null][] = [
    [16509, 'AMAZON-02', 'cloud'],
    [24940, null, 'hosting'],
    [13335, 'Cloudflare, Inc.', 'cdn'],
    [null, 'Example Hosting Ltd', 'hosting'],
    [null, 'EXAMPLEWEBHOSTING-AS', 'hosting'],
    [null, 'Alpine Data Centres AG', 'hosting'],
    [null, 'Nordic Datacenter', 'hosting'],
    [null, 'Best-VPS', 'hosting'],
    [null, 'Rapid Servers, LLC', 'hosting'],
    [null, 'Colo AG', 'hosting'],
    [null, 'MyCloud GmbH', 'cloud'],
    [null, 'FastCDN', 'cdn'],
    [null, 'Piccolo Telecom', 'access'],
    [7922, 'COMCAST-7922', 'access'],
    [3320, null, 'access'],
    [null, 'Lakeside Cable & Broadband', 'access'],
    [null, 'Telecom Data Center', 'hosting'],
    [null, 'Cabletron Instruments', null],
    [null, 'Colorado Springs Utilities', null],
    [null, 'The Observer', null],
    [null, 'Big Data Company', null],
    [null, 'constructor', null],
    [64500, 'Village Telephone', 'access'],
    [null, '', null],
    [null, null, null],
  ]
  for (const [asn, organization, kind] of rows) {
    it(`is ${kind} for AS${asn} of ${organization}`, () => assert.equal(networkKind(asn, organization), kind))
  }

  it('is listed once for each autonomous system, by number', () => {
    const numbers = data.networks.map(({ asn }) => asn)
    assert.deepEqual(
      numbers,
      [...new Set(numbers)].sort((a, b) => a - b),
    )
    assert.ok(numbers.length >= 300)
  })

  it('takes no longer for a long name', () => {
    assertCheap(() => assert.equal(networkKind(null, 'data '.repeat(50_000)), null), 5)
  })
})
