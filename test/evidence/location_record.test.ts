import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readNetworkOwner, readPlace } from '../../src/evidence/location/record.ts'

const nowhere = { country: null, region: null, city: null, latitude: null, longitude: null }

describe('the place in a record', () => {
  const ulm = { country: 'DE', region: 'Baden-Württemberg', city: 'Ulm', latitude: 48.4, longitude: 9.99 }
  const rows: readonly [string, unknown, object][] = [
    [
      'is read from the nested layout',
      {
        continent: { code: 'EU' },
        country: { iso_code: 'DE', names: { de: 'Deutschland', en: 'Germany' } },
        subdivisions: [{ iso_code: 'BW', names: { en: 'Baden-Württemberg' } }],
        city: { names: { en: 'Ulm' } },
        location: { latitude: 48.4, longitude: 9.99, accuracy_radius: 20 },
      },
      ulm,
    ],
    [
      'is read from a flat layout with numbers as text',
      { country: 'DE', region: 'Baden-Württemberg', city: 'Ulm', lat: '48.4', lng: '9.99' },
      ulm,
    ],
    [
      'is read where the country is named beside its code',
      { country: 'Germany', country_code: 'de' },
      { ...nowhere, country: 'DE' },
    ],
    [
      'falls back on the country of registration',
      { registered_country: { iso_code: 'FR' } },
      { ...nowhere, country: 'FR' },
    ],
    ['is unknown for codes that say so', { country_code: 'ZZ' }, nowhere],
    ['is unknown when only a name is given', { country: 'Germany' }, nowhere],
    ['leaves out what is empty or out of range', { city: ' ', latitude: 91, longitude: 'east' }, nowhere],
    ['keeps zeros', { latitude: 0, longitude: 0 }, { ...nowhere, latitude: 0, longitude: 0 }],
    ['has controls replaced, marks of direction dropped', { city: 'U\0l\u202em' }, { ...nowhere, city: 'U lm' }],
    ['is unknown in what is no record', 'DE', nowhere],
    ['is unknown in nothing', null, nowhere],
  ]
  for (const [title, record, expected] of rows) it(title, () => assert.deepEqual(readPlace(record), expected))
})

describe('the network in a record', () => {
  const rows: readonly [string, unknown, object][] = [
    [
      'is read from the usual layout',
      { autonomous_system_number: 24940, autonomous_system_organization: 'Hetzner Online GmbH' },
      { asn: 24940, organization: 'Hetzner Online GmbH' },
    ],
    [
      'is read from a number with its prefix',
      { asn: 'AS15169', as_name: 'Google LLC' },
      { asn: 15169, organization: 'Google LLC' },
    ],
    [
      'is read from GeoIP2-ISP',
      {
        autonomous_system_number: 1221,
        autonomous_system_organization: 'Telstra Pty Ltd',
        isp: 'Telstra Internet',
        organization: 'Telstra Internet',
      },
      { asn: 1221, organization: 'Telstra Pty Ltd' },
    ],
    [
      'is the provider alone in GeoIP2-ISP without a network',
      { isp: 'House Telecom', organization: 'House Ltd' },
      { asn: null, organization: 'House Telecom' },
    ],
    ['is unknown when the number is reserved', { asn: 'AS0' }, { asn: null, organization: null }],
    ['is unknown when the number is too large', { asn: 4_294_967_296 }, { asn: null, organization: null }],
    ['is unknown when the number is none', { asn: 'ASX' }, { asn: null, organization: null }],
  ]
  for (const [title, record, expected] of rows) it(title, () => assert.deepEqual(readNetworkOwner(record), expected))
})
