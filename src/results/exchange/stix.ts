// A result as a STIX 2.1 bundle (OASIS standard of 10 June 2021). Every result is observed data and a note; only a threat is
// an indicator as well.

import type { Tlp } from '../../config/schema.ts'
import {
  type Certificate,
  type ExchangeOptions,
  type Finding,
  judgement,
  listingText,
  PICTURE_TYPE,
  type Screenshot,
  summary,
  titleOf,
} from './finding.ts'
import { canonicalJson, OWN_NAMESPACE, STIX_NAMESPACE, uuid5 } from './identifiers.ts'

export interface StixObject {
  readonly type: string
  readonly id: string
  readonly [property: string]: unknown
}

export type Bundle = ReturnType<typeof stixBundle>

/** The scale None, Low, Med, High of STIX (appendix A.1). */
const CONFIDENCE = { low: 15, medium: 50, high: 85 } as const

const INDICATOR_TYPES = { suspicious: 'anomalous-activity', malicious: 'malicious-activity' } as const

/** The program that says all this. It is the same object in every installation. */
const IDENTITY: StixObject = {
  type: 'identity',
  spec_version: '2.1',
  id: `identity--${uuid5(OWN_NAMESPACE, 'identity')}`,
  created: '2026-01-01T00:00:00.000Z',
  modified: '2026-01-01T00:00:00.000Z',
  name: 'assay',
  description: 'A service that checks domain names, IP addresses and URLs.',
  identity_class: 'system',
}

/** Markings that STIX predefines (section 7.2.1.4), under their names in TLP 2.0. */
const predefinedMarking = (uuid: string, level: string): StixObject => ({
  type: 'marking-definition',
  spec_version: '2.1',
  id: `marking-definition--${uuid}`,
  created: '2017-01-20T00:00:00.000Z',
  definition_type: 'tlp',
  name: `TLP:${level.toUpperCase()}`,
  definition: { tlp: level },
})

const MARKINGS: Readonly<Record<Tlp, StixObject>> = {
  clear: predefinedMarking('613f2e26-407d-48c7-9eca-b8e91df99dc9', 'white'),
  green: predefinedMarking('34098fce-860f-48ae-8e50-ebd3cc5e41da', 'green'),
  amber: predefinedMarking('f88d31f6-486f-44da-b317-01333bde0b82', 'amber'),
  /** Only TLP 2.0 has it, which is an extension of STIX by OASIS. */
  'amber+strict': {
    type: 'marking-definition',
    spec_version: '2.1',
    id: 'marking-definition--939a9414-2ddd-4d32-a0cd-375ea402b003',
    created: '2022-10-01T00:00:00.000Z',
    name: 'TLP:AMBER+STRICT',
    extensions: {
      'extension-definition--60a3c5c5-0d10-413e-aab3-9e08dde9e88d': {
        extension_type: 'property-extension',
        tlp_2_0: 'amber+strict',
      },
    },
  },
  red: predefinedMarking('5e57c739-391a-4eb3-b6be-7d15ca92d5ed', 'red'),
}

type Properties = Readonly<Record<string, unknown>>
type Contributing = Parameters<typeof canonicalJson>[0]

/** Without what is not known: STIX has neither null nor empty lists (sections 2.12 and 3.1). */
const knownProperties = (properties: Properties): Properties =>
  Object.fromEntries(
    Object.entries(properties).filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0)),
  )

/** An observable, whose identifier follows from the properties that contribute to it (section 2.9). */
const observable = (type: string, contributing: { readonly [name: string]: Contributing }, more: Properties = {}) => ({
  type,
  spec_version: '2.1',
  id: `${type}--${uuid5(STIX_NAMESPACE, canonicalJson(contributing))}`,
  ...contributing,
  ...knownProperties(more),
})

const addressType = (ip: string): string => (ip.includes(':') ? 'ipv6-addr' : 'ipv4-addr')

const certificateObject = ({ fingerprint, serial, not_before, not_after, ...rest }: Certificate): StixObject => {
  const { subject, issuer, is_self_signed, signature_algorithm } = rest
  const contributing = { hashes: { 'SHA-256': fingerprint }, ...(serial !== null && { serial_number: serial }) }
  return observable('x509-certificate', contributing, {
    subject,
    issuer,
    is_self_signed,
    signature_algorithm,
    validity_not_before: not_before?.toISOString() ?? null,
    validity_not_after: not_after?.toISOString() ?? null,
  })
}

/** With a URL an artifact; without, its octets are nowhere, and only a file has no need of them (sections 6.1 and 6.7). */
function pictureObject({ sha256, octets, url }: Screenshot): StixObject {
  const contributing = { hashes: { 'SHA-256': sha256 } }
  return url === null
    ? observable('file', contributing, { size: octets, mime_type: PICTURE_TYPE })
    : observable('artifact', contributing, { mime_type: PICTURE_TYPE, url })
}

interface Observation {
  readonly objects: readonly StixObject[]
  /** What was judged: one object, or both of a pair. */
  readonly target: readonly StixObject[]
  /** Source, type and target of a relationship. */
  readonly links: readonly (readonly [StixObject, string, StixObject])[]
}

function observe({ target, domain, ip, url, final_url, certificate, network, screenshots }: Finding): Observation {
  const name = domain === null ? null : observable('domain-name', { value: domain })
  const address = ip === null ? null : observable(addressType(ip), { value: ip })
  const system =
    address === null || network === null
      ? null
      : observable('autonomous-system', { number: network.asn }, { name: network.name })
  const page = url === null ? null : observable('url', { value: url })
  const landing = final_url === null ? null : observable('url', { value: final_url })
  const certificateObservation = certificate === null ? null : certificateObject(certificate)
  const observedObjects = [name, address, system, page, landing, certificateObservation].filter(one => one !== null)
  const objects = [...observedObjects, ...screenshots.map(pictureObject)]
  const links: Observation['links'][number][] = []
  if (name !== null && address !== null && target.kind !== 'pair') links.push([name, 'resolves-to', address])
  if (address !== null && system !== null) links.push([address, 'belongs-to', system])
  const subjects = { domain: [name], ip: [address], url: [page], pair: [name, address] }[target.kind]
  return { objects, target: subjects.filter(one => one !== null), links }
}

/** A string of the patterning language (section 9.3): only these two characters end or escape. */
const quote = (value: string): string => `'${value.replace(/[\\']/g, '\\$&')}'`

const patternOf = ({ type, value }: StixObject): string => `[${type}:value = ${quote(String(value))}]`

/** The lists that name the target, and the result itself. */
function references({ listings, result_id, permalink }: Finding): readonly Properties[] {
  const listingReferences = listings.map(listing => ({ source_name: listing.list, description: listingText(listing) }))
  if (result_id === null) return listingReferences
  return [...listingReferences, knownProperties({ source_name: 'assay', external_id: result_id, url: permalink })]
}

export function stixBundle(finding: Finding, { tlp }: Pick<ExchangeOptions, 'tlp'>) {
  const { verdict, is_threat, threat_types, idOf, recommendation, has_answered } = finding
  const at = finding.checked.toISOString()
  const confidence = CONFIDENCE[finding.confidence]
  const externalReferences = references(finding)
  const { objects: observables, target, links } = observe(finding)

  const own = (type: string, part: string, properties: Properties): StixObject => ({
    type,
    spec_version: '2.1',
    id: `${type}--${idOf(part)}`,
    created_by_ref: IDENTITY.id,
    created: at,
    modified: at,
    ...knownProperties(properties),
  })

  const relationships = links.map(([source, relationshipType, to]) =>
    own('relationship', relationshipType, {
      relationship_type: relationshipType,
      source_ref: source.id,
      target_ref: to.id,
    }),
  )
  const observedData = own('observed-data', 'observed-data', {
    first_observed: at,
    last_observed: at,
    number_observed: 1,
    object_refs: [...observables, ...relationships].map(({ id }) => id),
  })
  const indicators: StixObject[] = []
  if (verdict !== 'safe' && is_threat) {
    const indicator = own('indicator', 'indicator', {
      name: titleOf(finding),
      description: judgement(finding),
      confidence,
      external_references: externalReferences,
      indicator_types: [INDICATOR_TYPES[verdict]],
      pattern: target.map(patternOf).join(' AND '),
      pattern_type: 'stix',
      pattern_version: '2.1',
      valid_from: at,
      labels: threat_types,
    })
    const basis = { relationship_type: 'based-on', source_ref: indicator.id, target_ref: observedData.id }
    indicators.push(indicator, own('relationship', 'based-on', basis))
    // A name on a list, or one that does not answer, was not seen in use.
    if (has_answered) {
      const sightingTimes = { first_seen: at, last_seen: at, count: 1, where_sighted_refs: [IDENTITY.id] }
      const refs = { sighting_of_ref: indicator.id, observed_data_refs: [observedData.id] }
      indicators.push(own('sighting', 'sighting', { ...sightingTimes, ...refs }))
    }
  }
  const note = own('note', 'note', {
    abstract: titleOf(finding),
    content: summary(finding),
    confidence,
    external_references: externalReferences,
    authors: ['assay'],
    labels: [`verdict:${verdict}`, `recommendation:${recommendation}`],
    object_refs: [...target, observedData, ...indicators.slice(0, 1)].map(({ id }) => id),
  })

  const marking = tlp === null ? null : MARKINGS[tlp]
  const markedObjects = [...observables, ...relationships, observedData, ...indicators, note].map(one =>
    marking === null ? one : { ...one, object_marking_refs: [marking.id] },
  )
  const commonObjects = marking === null ? [IDENTITY] : [IDENTITY, marking]
  return { type: 'bundle', id: `bundle--${idOf('bundle')}`, objects: [...commonObjects, ...markedObjects] }
}
