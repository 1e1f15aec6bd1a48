import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Reader } from 'maxmind'
import type { Addresses } from '../../src/evidence/addresses/facts.ts'
import type { GatherContext } from '../../src/evidence/evidence.ts'
import { NotApplicable, Unavailable } from '../../src/evidence/facts.ts'
import createLocationGatherer, { locate } from '../../src/evidence/location/gather.ts'
import type { Target } from '../../src/targets/target.ts'
import { type MmdbValue, writeMmdb } from '../../src/testing/lab_mmdb.ts'
import { domainTarget, ipTarget } from '../evidence_of.ts'

const database = (networks: Record<string, MmdbValue>, type = 'Lab') => {
  const reader = new Reader(writeMmdb(networks))
  return { type, lookup: (address: string): unknown => reader.get(address) }
}

const city = database({
  '93.184.216.0/24': {
    country: { iso_code: 'US' },
    subdivisions: [{ names: { en: 'Massachusetts' } }],
    city: { names: { en: 'Norwell' } },
    location: { latitude: 42.1596, longitude: -70.8217 },
  },
  '2606:2800::/32': { country: { iso_code: 'US' } },
})
const asn = database(
  {
    '93.184.216.0/24': { autonomous_system_number: 15133, autonomous_system_organization: 'Edgecast Inc.' },
    '198.51.100.0/24': { country_code: 'NL', asn: 'AS64500', as_name: 'Example' },
  },
  'DBIP-ASN-Lite',
)
const all = { databases: [city, asn] }

const norwell = {
  ip: '93.184.216.34',
  country: 'US',
  country_name: 'United States',
  region: 'Massachusetts',
  city: 'Norwell',
  latitude: 42.1596,
  longitude: -70.8217,
  asn: 15133,
  organization: 'Edgecast Inc.',
  databases: ['Lab', 'DBIP-ASN-Lite'],
}
const unknown = {
  country: null,
  country_name: null,
  region: null,
  city: null,
  latitude: null,
  longitude: null,
  asn: null,
  organization: null,
  databases: [],
}

describe('the location of an address', () => {
  it('combines the places and the networks', () => {
    assert.deepEqual(locate('93.184.216.34', all.databases), norwell)
  })

  const rows: readonly [string, string, object][] = [
    [
      'is known in part when one dataset knows it',
      '2606:2800::1',
      { ...unknown, country: 'US', country_name: 'United States', databases: ['Lab'] },
    ],
    [
      'is read whole from the next dataset when the first has nothing',
      '198.51.100.1',
      {
        ...unknown,
        country: 'NL',
        country_name: 'Netherlands',
        asn: 64500,
        organization: 'Example',
        databases: ['DBIP-ASN-Lite'],
      },
    ],
    ['is unknown when no dataset has it', '203.0.113.1', unknown],
  ]
  for (const [title, ip, expected] of rows) {
    it(title, () => assert.deepEqual(locate(ip, all.databases), { ip, ...expected }))
  }

  it('has no name for an unknown country', () => {
    const { country, country_name } = locate('192.0.2.1', [database({ '192.0.2.0/24': { country_code: 'QX' } })])
    assert.deepEqual([country, country_name], ['QX', null])
  })
})

const domain = (ip: string | null) => ({ ...domainTarget('example.com'), ip }) as Target

const resolved = (parts: Partial<Addresses>): Addresses => ({
  status: 'found',
  answers: [],
  dialable: [],
  cnames: [],
  ttl: 60,
  authenticated: false,
  ...parts,
})
const at = (address: string, refused: string | null = null) => ({ address, family: 4, refused }) as const

/** The gatherer's result with the given evidence of addresses; null forbids requesting it. */
async function gather(target: Target, addresses: Addresses | null, datasets = all): Promise<unknown> {
  const context = {
    target,
    gather: async () => {
      assert.ok(addresses !== null, 'asked for addresses')
      return addresses
    },
  } as unknown as GatherContext
  return createLocationGatherer({ geo: () => datasets.databases })(context).catch((error: unknown) => error)
}

const network = (address: string, asn: number | null) => ({ address, asn })

describe('gathering the location', () => {
  it('takes the given address without asking DNS', async () => {
    assert.deepEqual(await gather(ipTarget('93.184.216.34'), null), {
      ...norwell,
      networks: [network('93.184.216.34', 15133)],
    })
    // What DNS answers is not asked, so that nothing is known of it.
    assert.deepEqual(await gather(domain('93.184.216.34'), null), { ...norwell, networks: [] })
  })

  it('takes the first dialable address', async () => {
    const answers = [at('10.0.0.1', 'private_use'), at('93.184.216.34')]
    const found = await gather(domain(null), resolved({ answers, dialable: [at('93.184.216.34')] }))
    assert.deepEqual(found, { ...norwell, networks: [network('10.0.0.1', null), network('93.184.216.34', 15133)] })
  })

  const rows: readonly [string, Partial<Addresses>, string][] = [
    ['the name does not exist', { status: 'not_found' }, 'domain_not_found'],
    ['the name has no address', { status: 'no_data' }, 'no_address'],
    ['no address is public', { answers: [at('10.0.0.1', 'private_use')] }, 'not_public'],
  ]
  for (const [title, addresses, reason] of rows) {
    it(`does not apply when ${title}`, async () => {
      assert.deepEqual(await gather(domain(null), resolved(addresses)), new NotApplicable(reason))
    })
  }

  it('is unavailable without datasets', async () => {
    assert.deepEqual(
      await gather(ipTarget('93.184.216.34'), null, { databases: [] }),
      new Unavailable('not_configured'),
    )
  })

  it('is unavailable when the record is damaged', async () => {
    const bytes = writeMmdb({ '93.184.216.0/24': { country: { iso_code: 'US' } } })
    const separator = bytes.indexOf(Buffer.alloc(16))
    bytes.fill(0xff, separator + 16, separator + 20)
    const reader = new Reader(bytes)
    const damaged = { databases: [{ type: 'Lab', lookup: (ip: string): unknown => reader.get(ip) }] }
    assert.deepEqual(await gather(ipTarget('93.184.216.34'), null, damaged), new Unavailable('damaged_geo_data'))
  })
})
