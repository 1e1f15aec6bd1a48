// A result as an event of MISP (draft-dulaunoy-misp-core-format), as `POST /events/add` takes it: identifiers that the receiving
// instance assigns are left out.
import { truncate } from '../../base/printable.ts'
import { identify } from '../../targets/identity.ts'
import {
  type ExchangeOptions,
  type Finding,
  listingText,
  PICTURE_TYPE,
  type Screenshot,
  summary,
  titleOf,
} from './finding.ts'

export interface MispAttribute {
  readonly uuid: string
  readonly type: string
  readonly category: string
  readonly value: string
  readonly to_ids: boolean
  readonly distribution: string
  readonly timestamp: string
  readonly comment: string
  readonly deleted: boolean
  readonly disable_correlation: boolean
  readonly object_relation?: string
  readonly first_seen?: string
  readonly last_seen?: string
}

export interface MispObject {
  readonly uuid: string
  readonly name: string
  readonly 'meta-category': string
  readonly description: string
  readonly template_uuid: string
  readonly template_version: string
  readonly distribution: string
  readonly timestamp: string
  readonly comment: string
  readonly deleted: boolean
  readonly Attribute: readonly MispAttribute[]
}

export interface MispEvent {
  readonly Event: {
    readonly uuid: string
    readonly info: string
    readonly date: string
    readonly timestamp: string
    readonly published: boolean
    readonly publish_timestamp: string
    readonly analysis: string
    readonly threat_level_id: string
    readonly distribution: string
    readonly sharing_group_id: string
    readonly Tag: readonly { readonly name: string }[]
    readonly Attribute: readonly MispAttribute[]
    readonly Object: readonly MispObject[]
  }
}

/** High, Medium, Undefined: MISP has no level for a target that is safe. */
const THREAT_LEVELS = { malicious: '1', suspicious: '2', safe: '4' } as const
/** Stages of the analysis. */
const ANALYSIS = { initial: '0', complete: '2' } as const
/** Only the organisation that imports the event; sharing it is a decision of people. */
const OWN_ORGANISATION = '0'
const AS_THE_EVENT = '5'
/** Longest `info`, and longest text of an attribute, in UTF-16 code units: below the 65,535 bytes of MISP's column. */
const INFO_LENGTH = 256
const TEXT_LENGTH = 16_000

/** Kinds of threat that the Reference Security Incident Taxonomy names exactly. */
const RSIT: ReadonlyMap<string, string> = new Map([
  ['phishing', 'rsit:fraud="phishing"'],
  ['malware', 'rsit:malicious-code="malware-distribution"'],
  ['spam', 'rsit:abusive-content="spam"'],
])

/** Words of the taxonomy `estimative-language`. */
const CERTAINTY = { high: 'high', medium: 'moderate', low: 'low' } as const

/** Templates of MISP's public directory. */
const TEMPLATES = {
  'domain-ip': {
    template_uuid: '43b3b146-77eb-4931-b4cc-b66c60f28734',
    template_version: '11',
    description: 'A domain/hostname and IP address seen as a tuple in a specific time frame.',
  },
  url: {
    template_uuid: '60efb77b-40b5-4c46-871b-ed1ed999fce5',
    template_version: '9',
    description: 'A URL with its host.',
  },
  x509: {
    template_uuid: 'd1ab756a-26b5-4349-9f43-765630f0911c',
    template_version: '12',
    description: 'x509 object describing a X.509 certificate',
  },
} as const

/** A machine tag, whose value cannot end early. */
const tag = (predicate: string, value: string): string => `${predicate}="${value.replaceAll('"', '')}"`

const tagsOf = (finding: Finding, tlp: ExchangeOptions['tlp']): string[] => [
  ...(tlp === null ? [] : [`tlp:${tlp}`]),
  tag('estimative-language:confidence-in-analytic-judgment', CERTAINTY[finding.confidence]),
  tag('assay:verdict', finding.verdict),
  tag('assay:recommendation', finding.recommendation),
  ...finding.threat_types.map(type => tag('assay:threat-type', type)),
  ...finding.threat_types.flatMap(type => RSIT.get(type) ?? []),
]

/** MISP exports `domain` to rules that match names below it too, and `hostname` to rules for this name only. */
const nameType = (domain: string): 'domain' | 'hostname' => (identify(domain).owner === domain ? 'domain' : 'hostname')

type Fact = Pick<MispAttribute, 'type' | 'value'> &
  Partial<Pick<MispAttribute, 'category' | 'comment' | 'object_relation'>> & {
    /** What is judged, instead of a circumstance. */
    readonly isTarget?: boolean
    /** Whether the value is common to unrelated events. */
    readonly isCommon?: boolean
  }

const nameFact = (value: string, isTarget: boolean): Fact => {
  const type = nameType(value)
  return { type, object_relation: type, value, isTarget }
}
const addressFact = (value: string, isTarget: boolean): Fact => ({
  type: 'ip-dst',
  object_relation: 'ip',
  value,
  isTarget,
})
const analysis = (type: 'text' | 'comment', value: string): Fact => ({
  type,
  value,
  category: 'External analysis',
  isCommon: true,
})

export function mispEvent(finding: Finding, { tlp }: Pick<ExchangeOptions, 'tlp'>): MispEvent {
  const { target, domain, ip, url, final_url, verdict, is_threat, idOf, certificate, network, checked, permalink } =
    finding
  const timestamp = String(Math.floor(checked.getTime() / 1_000))
  const seenAt = checked.toISOString().replace('Z', '+00:00')

  const attribute = (part: string, fact: Fact): MispAttribute => {
    const { type, value, category = 'Network activity', comment = '', isTarget = false, isCommon = false } = fact
    return {
      uuid: idOf(part),
      type,
      category,
      value,
      comment,
      timestamp,
      ...(fact.object_relation !== undefined && { object_relation: fact.object_relation }),
      to_ids: isTarget && is_threat && verdict === 'malicious',
      distribution: AS_THE_EVENT,
      deleted: false,
      disable_correlation: isCommon,
      ...(category === 'Network activity' && { first_seen: seenAt, last_seen: seenAt }),
    }
  }
  const object = (name: keyof typeof TEMPLATES, facts: readonly Fact[]): MispObject => ({
    uuid: idOf(name),
    name,
    'meta-category': 'network',
    ...TEMPLATES[name],
    distribution: AS_THE_EVENT,
    timestamp,
    comment: '',
    deleted: false,
    Attribute: facts.map(fact => attribute(`${name}:${fact.object_relation}`, fact)),
  })

  const names = domain === null ? [] : [nameFact(domain, target.kind === 'domain')]
  const addresses = ip === null ? [] : [addressFact(ip, target.kind === 'ip')]
  // The template says that the name leads to the address, which is not known of a pair that the client chose.
  const isTuple = names.length > 0 && addresses.length > 0 && target.kind !== 'pair'
  const single = isTuple ? [] : [...names, ...addresses]
  const attributes: readonly Fact[] = [
    ...single.map(({ object_relation: _, ...fact }) => fact),
    ...(final_url === null ? [] : [{ type: 'url', value: final_url, comment: 'Where the URL leads.' }]),
    ...(network === null
      ? []
      : [{ type: 'AS', value: String(network.asn), comment: network.name ?? '', isCommon: true }]),
    ...finding.listings.map(listing => analysis('text', listingText(listing))),
    ...finding.screenshots.flatMap(pictureFacts),
    analysis('comment', truncate(summary(finding), TEXT_LENGTH)),
    ...(permalink === null ? [] : [{ type: 'link', category: 'Internal reference', value: permalink }]),
  ]
  const objects = [
    ...(isTuple ? [object('domain-ip', [...names, ...addresses])] : []),
    ...(url === null ? [] : [object('url', [{ type: 'url', object_relation: 'url', value: url, isTarget: true }])]),
    ...(certificate === null ? [] : [object('x509', certificateFacts(certificate))]),
  ]
  return {
    Event: {
      uuid: idOf('event'),
      info: truncate(`${titleOf(finding)} (assay, risk score ${finding.risk_score} of 100)`, INFO_LENGTH),
      date: checked.toISOString().slice(0, 10),
      timestamp,
      published: false,
      publish_timestamp: '0',
      analysis: finding.is_complete ? ANALYSIS.complete : ANALYSIS.initial,
      threat_level_id: THREAT_LEVELS[verdict],
      distribution: OWN_ORGANISATION,
      sharing_group_id: '0',
      Tag: tagsOf(finding, tlp).map(name => ({ name })),
      Attribute: attributes.map((fact, i) => attribute(`${fact.type}:${i}`, fact)),
      Object: objects,
    },
  }
}

/** By its hash, which other events with the same picture have too. */
const pictureFacts = ({ kind, sha256, octets, url }: Screenshot): Fact[] => [
  {
    type: 'sha256',
    category: 'External analysis',
    value: sha256,
    comment: `Picture of the page (${kind}, ${PICTURE_TYPE}, ${octets} octets)`,
  },
  ...(url === null ? [] : [{ type: 'link', category: 'Internal reference', value: url, comment: 'The picture.' }]),
]

function certificateFacts(certificate: NonNullable<Finding['certificate']>): Fact[] {
  const { fingerprint, serial, subject, issuer, not_before, not_after } = certificate
  const facts: readonly (readonly [relation: string, type: string, value: string | null])[] = [
    ['x509-fingerprint-sha256', 'x509-fingerprint-sha256', fingerprint],
    ['serial-number', 'text', serial],
    ['subject', 'text', subject],
    ['issuer', 'text', issuer],
    ['validity-not-before', 'datetime', not_before?.toISOString() ?? null],
    ['validity-not-after', 'datetime', not_after?.toISOString() ?? null],
  ]
  return facts.flatMap(([objectRelation, type, value]) =>
    value === null
      ? []
      : [
          {
            object_relation: objectRelation,
            type,
            value,
            category: type === 'x509-fingerprint-sha256' ? 'Network activity' : 'Other',
            isCommon: type !== 'x509-fingerprint-sha256',
          },
        ],
  )
}
