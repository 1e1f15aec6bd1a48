// Whether the owner of a brand owns a name too. Only what the owner's side says counts: mail, name server, text and address records,
// registrant and page of a name can be written by whoever registered it.

import { Type } from 'typebox'
import { dataFile, TextList } from '../../base/data_file.ts'
import type { Addresses } from '../../evidence/addresses/facts.ts'
import type { Location } from '../../evidence/location/facts.ts'
import type { Registration } from '../../evidence/registration/facts.ts'
import type { Tls } from '../../evidence/tls/facts.ts'
import type { Brand } from '../../knowledge/brands/brand.ts'
import type { OwnersOf } from '../../knowledge/brands/owners.ts'
import { identify } from '../../targets/identity.ts'
import data from './own_networks.json' with { type: 'json' }

// Networks and name servers that serve only their owner, by the owner's main domain in the brand table.
export const OwnNetworksFile = dataFile({
  networks: Type.Record(Type.String(), Type.Array(Type.Integer({ minimum: 1 }), { minItems: 1, uniqueItems: true })),
  name_servers: TextList,
})

/**
 * Numbers of autonomous systems that announce only their owner's own services. An owner that also sells hosting or access is left
 * out, or only the number of its own services is here: a cloud's address proves nothing.
 */
export const OWN_NETWORKS: Readonly<Record<string, readonly number[]>> = data.networks

/**
 * Owners with name servers, under their own domains, that serve no third-party zones: banks, carriers, shops and authorities that sell
 * neither domains nor hosting nor access. Whoever can add a zone to these servers works for the owner.
 */
export const OWN_NAME_SERVERS: ReadonlySet<string> = new Set(data.name_servers)

/** What is known of a name; null where it was not seen. */
export interface NameEvidence {
  readonly tls: Tls | null
  readonly addresses: Addresses | null
  readonly location: Location | null
  readonly registration: Registration | null
}

export interface ProvenOwner {
  readonly brand: Brand
  readonly proof: 'certificate' | 'networks' | 'name_servers'
  /** A sentence. */
  readonly detail: string
  readonly evidence: Readonly<Record<string, unknown>>
}

/** Names or numbers in `evidence`. */
const MAX_EVIDENCE = 5

/** `name` in lower case and A-labels. Null if nothing proves an owner, and for a tenant of a platform, because the records are the platform's. */
export function findOwner(name: string, ownersOf: OwnersOf, evidence: NameEvidence): ProvenOwner | null {
  const { tenant, shared } = identify(name)
  if (tenant || shared) return null
  return (
    byCertificate(name, ownersOf, evidence) ?? byNetworks(ownersOf, evidence) ?? byNameServers(name, ownersOf, evidence)
  )
}

const ownerOf = (ownersOf: OwnersOf, host: string): Brand | undefined => ownersOf(host).find(({ family }) => !family)

/** The one owner of all hosts; undefined if one of them has another owner, or none. */
function commonOwner(ownersOf: OwnersOf, hosts: readonly string[]): Brand | undefined {
  const [first, ...others] = hosts
  const brand = first === undefined ? undefined : ownerOf(ownersOf, first)
  return brand !== undefined && others.every(host => ownersOf(host).includes(brand)) ? brand : undefined
}

/** An authority has checked that whoever holds the key controls every name of a certificate. */
function byCertificate(name: string, ownersOf: OwnersOf, { tls }: NameEvidence): ProvenOwner | null {
  const leaf = tls?.chain[0]
  if (tls?.status !== 'handshake' || tls.server_name !== name || leaf === undefined) return null
  if (tls.verify_error !== null || tls.anchored !== true || tls.public_root === false) return null
  if (!leaf.dns_names.some(one => covers(one, name))) return null
  const own = identify(name).owner
  const others = leaf.dns_names.map(one => one.replace(/^\*\./, '')).filter(one => identify(one).owner !== own)
  const brand = commonOwner(ownersOf, others)
  // A customer can have a certificate for a host of a brand's, but not for a domain of its.
  if (brand === undefined || !others.some(one => brand.domains.includes(one.replace(/^www\./, '')))) return null
  return {
    brand,
    proof: 'certificate',
    detail: `The certificate is valid for ${name} and otherwise only for names of ${brand.name}.`,
    evidence: { names: others.slice(0, MAX_EVIDENCE) },
  }
}

/** A wildcard stands for exactly one label. */
const covers = (pattern: string, name: string): boolean =>
  pattern === name || (pattern.startsWith('*.') && pattern.slice(1) === name.slice(name.indexOf('.')))

/** What answers at the owner's own addresses is the owner's, whoever registered the name. */
function byNetworks(ownersOf: OwnersOf, { addresses, location }: NameEvidence): ProvenOwner | null {
  if (addresses?.status !== 'found' || addresses.answers.length === 0) return null
  const networks = new Map(location?.networks?.map(({ address, asn }) => [address, asn]))
  const numbers = addresses.answers.map(({ address }) => networks.get(address) ?? null)
  const match = Object.entries(OWN_NETWORKS).find(([, own]) => numbers.every(one => one !== null && own.includes(one)))
  const brand = match === undefined ? undefined : ownerOf(ownersOf, match[0])
  if (brand === undefined) return null
  const asns = [...new Set(numbers)].slice(0, MAX_EVIDENCE)
  return {
    brand,
    proof: 'networks',
    detail: `Every address of the name is in a network that only ${brand.name} uses (${asns.map(asn => `AS${asn}`).join(', ')}).`,
    evidence: { asns },
  }
}

/** Anybody can delegate a name to servers of others, but they answer only for zones that their owner has added. */
function byNameServers(
  name: string,
  ownersOf: OwnersOf,
  { registration, addresses }: NameEvidence,
): ProvenOwner | null {
  const servers = registration?.name_servers ?? []
  if (registration?.registered !== true || registration.domain !== identify(name).owner) return null
  if (addresses?.status !== 'found' || addresses.answers.length === 0) return null
  const brand = commonOwner(ownersOf, servers)
  if (brand === undefined || !brand.domains.some(domain => OWN_NAME_SERVERS.has(domain))) return null
  return {
    brand,
    proof: 'name_servers',
    detail: `The registry delegates ${registration.domain} to name servers of ${brand.name} only, and they answer for it.`,
    evidence: { name_servers: servers.slice(0, MAX_EVIDENCE) },
  }
}
