import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findOwner, type NameEvidence, OWN_NAME_SERVERS, OWN_NETWORKS } from '../../../src/engine/ownership/owner.ts'
import type { Registration } from '../../../src/evidence/registration/facts.ts'
import type { Tls } from '../../../src/evidence/tls/facts.ts'
import { brands } from '../../../src/knowledge/brands/brands.ts'
import { indexOwners } from '../../../src/knowledge/brands/owners.ts'
import healthy from '../../../src/testing/healthy_site.json' with { type: 'json' }
import { addressesOf } from '../../../src/testing/page_of.ts'
import { locationOf } from '../../evidence_of.ts'

const ownersOf = indexOwners(brands)
const NAME = 'dhlexpress-parcels.net'

const unseen: NameEvidence = { tls: null, addresses: null, location: null, registration: null }

const site = healthy.evidence.tls as unknown as Tls
const certificate = (name: string, dns_names: readonly string[], changed: Partial<Tls> = {}): Tls => {
  const [leaf, ...issuers] = site.chain
  if (leaf === undefined) throw new Error('the healthy site has a certificate')
  return { ...site, server_name: name, public_root: true, ...changed, chain: [{ ...leaf, dns_names }, ...issuers] }
}

const at = (...networks: readonly (readonly [address: string, asn: number | null])[]) => ({
  addresses: addressesOf(...networks.map(([address]) => address)),
  location: { ...locationOf(), networks: networks.map(([address, asn]) => ({ address, asn })) },
})

const delegated = (domain: string, ...name_servers: readonly string[]): Registration => ({
  source: 'rdap',
  domain,
  registered: true,
  registered_at: '2026-11-20T00:00:00Z',
  registered_in_future: false,
  expires_at: null,
  updated_at: null,
  registrar: 'MarkMonitor Inc.',
  status: [],
  dnssec_signed: null,
  name_servers,
})

const elsewhere = addressesOf('192.0.2.7')

describe('the owner of a name that the brand table does not know', () => {
  const proved: readonly (readonly [
    says: string,
    name: string,
    seen: Partial<NameEvidence>,
    brand: string,
    proof: string,
  ])[] = [
    [
      'is the brand whose names share the certificate',
      NAME,
      { tls: certificate(NAME, [NAME, `www.${NAME}`, 'dhl.de', '*.dhl.com']) },
      'DHL',
      'certificate',
    ],
    [
      'is the brand in whose network every address is',
      NAME,
      at(['192.0.2.1', 17012], ['192.0.2.2', 17012]),
      'PayPal',
      'networks',
    ],
    [
      'is the brand to whose name servers the registry delegates',
      NAME,
      { registration: delegated(NAME, 'ns1.dhl.com', 'ns2.dhl.com'), addresses: elsewhere },
      'DHL',
      'name_servers',
    ],
  ]
  for (const [says, name, seen, brand, proof] of proved) {
    it(says, () => {
      const owner = findOwner(name, ownersOf, { ...unseen, ...seen })
      assert.deepEqual([owner?.brand.name, owner?.proof], [brand, proof])
      assert.match(owner?.detail ?? '', /\.$/)
      assert.notDeepEqual(owner?.evidence, {})
    })
  }

  const forged: readonly (readonly [says: string, seen: Partial<NameEvidence>, name?: string])[] = [
    ['a certificate for the name alone', { tls: certificate(NAME, [NAME, `www.${NAME}`]) }],
    ['a certificate that names a stranger too', { tls: certificate(NAME, [NAME, 'dhl.com', 'stranger.org']) }],
    ['a certificate of two brands', { tls: certificate(NAME, [NAME, 'dhl.com', 'paypal.com']) }],
    ['a certificate that is not valid for the name', { tls: certificate(NAME, ['dhl.com', 'www.dhl.com']) }],
    [
      'a wildcard that stops a label short',
      { tls: certificate(`a.b.${NAME}`, [`*.${NAME}`, 'dhl.com']) },
      `a.b.${NAME}`,
    ],
    [
      'a certificate that did not verify',
      { tls: certificate(NAME, [NAME, 'dhl.com'], { verify_error: 'CERT_HAS_EXPIRED' }) },
    ],
    ['a certificate of an authority of its own', { tls: certificate(NAME, [NAME, 'dhl.com'], { anchored: false }) }],
    [
      'a certificate of an authority that only this machine trusts',
      { tls: certificate(NAME, [NAME, 'dhl.com'], { public_root: false }) },
    ],
    ['a certificate that was sent for another name', { tls: certificate('dhl.com', [NAME, 'dhl.com']) }],
    [
      'a certificate for a host that customers of a brand have',
      { tls: certificate(NAME, [NAME, 'x.azurewebsites.net']) },
    ],
    [
      'a certificate for hosts of a brand, but for no domain of its',
      { tls: certificate(NAME, [NAME, 'vm7.customers.microsoft.com']) },
    ],
    ['an address in a cloud of a brand’s', at(['192.0.2.1', 16509])],
    ['one address of two in the owner’s network', at(['192.0.2.1', 17012], ['192.0.2.2', 64500])],
    ['addresses in networks of two owners', at(['192.0.2.1', 17012], ['192.0.2.2', 32934])],
    ['an address whose network is not known', at(['192.0.2.1', null])],
    [
      'no address',
      { registration: delegated(NAME, 'ns1.dhl.com'), addresses: { ...elsewhere, status: 'not_found', answers: [] } },
    ],
    [
      'name servers of a brand and others',
      { registration: delegated(NAME, 'ns1.dhl.com', 'ns1.stranger.org'), addresses: elsewhere },
    ],
    [
      'name servers of two brands',
      { registration: delegated(NAME, 'ns1.dhl.com', 'ns1.paypal.com'), addresses: elsewhere },
    ],
    [
      'name servers that a brand rents to others',
      { registration: delegated(NAME, 'ns1.orange.fr', 'ns2.orange.fr'), addresses: elsewhere },
    ],
    ['name servers of a cloud', { registration: delegated(NAME, 'ns-1.awsdns-1.com'), addresses: elsewhere }],
    ['name servers that only the zone itself gives', { registration: delegated(NAME), addresses: elsewhere }],
    ['the delegation of another name', { registration: delegated('other.net', 'ns1.dhl.com'), addresses: elsewhere }],
    [
      'a registrar that only serves companies',
      { registration: delegated(NAME, 'ns1.stranger.org'), addresses: elsewhere },
    ],
    [
      'the records of a tenant, which are the platform’s',
      {
        tls: certificate('x.github.io', ['x.github.io', 'dhl.com']),
        registration: delegated('github.io', 'ns1.dhl.com'),
        addresses: elsewhere,
      },
      'x.github.io',
    ],
  ]
  for (const [says, seen, name = NAME] of forged) {
    it(`is not proved by ${says}`, () => {
      assert.equal(findOwner(name, ownersOf, { ...unseen, ...seen }), null)
    })
  }

  it('is looked up among domains of the brand table only', () => {
    for (const domain of [...Object.keys(OWN_NETWORKS), ...OWN_NAME_SERVERS])
      assert.notDeepEqual(ownersOf(domain), [], domain)
  })

  it('gives no number of a network to two owners', () => {
    const numbers = Object.values(OWN_NETWORKS).flat()
    assert.equal(new Set(numbers).size, numbers.length)
  })
})
