// What both formats say of a result: its target, the judgement, and the facts. A section that is missing, or that another
// plugin made, contributes nothing.
import { printable } from '../../base/printable.ts'
import type { Tlp } from '../../config/schema.ts'
import { CONFIDENCES, type Confidence } from '../../engine/scoring/confidence.ts'
import { canonicalJson, OWN_NAMESPACE, uuid5 } from './identifiers.ts'

/** A result as JSON. */
export type Result = Readonly<Record<string, unknown>>

export interface ExchangeOptions {
  /** Null for no marking. */
  readonly tlp: Tlp | null
  /** Where clients reach this installation; null when not known. */
  readonly public_url: string | null
  /** The client chose the address along with the name. */
  readonly is_pair?: boolean
}

export interface Target {
  /** A pair is a name at an address that the client chose: what was found there says nothing about either alone. */
  readonly kind: 'domain' | 'ip' | 'url' | 'pair'
  readonly value: string
}

export interface Certificate {
  /** SHA-256 in hexadecimal digits. */
  readonly fingerprint: string
  readonly serial: string | null
  readonly subject: string | null
  readonly issuer: string | null
  readonly is_self_signed: boolean | null
  readonly signature_algorithm: string | null
  readonly not_before: Date | null
  readonly not_after: Date | null
}

export interface SignalLine {
  readonly severity: string
  readonly title: string
  readonly detail: string
}

export interface Listing {
  readonly list: string
  /** The name or address that is listed. */
  readonly asked: string
  readonly category: string | null
}

/** A picture of the page. */
export interface Screenshot {
  readonly kind: string
  /** SHA-256 in hexadecimal digits. */
  readonly sha256: string
  readonly octets: number
  /** Opens it; null when it is not kept or this installation does not know its URL. */
  readonly url: string | null
}

export interface Finding {
  /** What was asked for, and is judged. */
  readonly target: Target
  readonly domain: string | null
  readonly ip: string | null
  readonly url: string | null
  /** Where the URL leads; null unless that is another URL. */
  readonly final_url: string | null
  readonly verdict: 'safe' | 'suspicious' | 'malicious'
  /**
   * Whether the target is worth looking for elsewhere. A name that cannot be resolved is suspicious, too, and whoever chooses a pair
   * would choose the name or address that is accused.
   */
  readonly is_threat: boolean
  readonly recommendation: string
  readonly reason: string
  readonly risk_score: number
  readonly confidence: Confidence
  readonly threat_types: readonly string[]
  readonly checked: Date
  readonly is_complete: boolean
  /** Whether the target's site itself answered. */
  readonly has_answered: boolean
  readonly signals: readonly SignalLine[]
  readonly listings: readonly Listing[]
  readonly certificate: Certificate | null
  /** Each picture once. */
  readonly screenshots: readonly Screenshot[]
  readonly network: { readonly asn: number; readonly name: string | null } | null
  /** Null when the result is not kept. */
  readonly result_id: string | null
  /** Opens the result; null when it is not kept or this installation does not know its URL. */
  readonly permalink: string | null
  /** A UUID for a part of this result, the same whenever the result is exchanged. */
  idOf(part: string): string
}

/** Lines and texts in an exchanged object: a result has fewer, unless plugins or lists are hostile. */
const SIGNALS = 100
const LISTINGS = 100
const TEXT_LENGTH = 2_000

const text = (value: unknown): string | null => {
  const cleanText = typeof value === 'string' ? printable(value, TEXT_LENGTH) : ''
  return cleanText === '' ? null : cleanText
}
const objectOf = (value: unknown): Result => (typeof value === 'object' && value !== null ? (value as Result) : {})
const listOf = (value: unknown, most: number): readonly Result[] =>
  Array.isArray(value) ? value.slice(0, most).map(objectOf) : []
const texts = (value: unknown, most: number): readonly string[] =>
  Array.isArray(value) ? [...new Set(value.slice(0, most).flatMap(one => text(one) ?? []))] : []

/** Times of a result are in UTC, with or without a Z. */
function time(value: unknown): Date | null {
  if (typeof value !== 'string') return null
  const date = new Date(/Z$/.test(value) ? value : `${value}Z`)
  const year = date.getUTCFullYear()
  return Number.isNaN(year) || year < 0 || year > 9_999 ? null : date
}

/** Null for an object that names no target, such as the result of a program that is not ours. */
export function findingOf(result: Result, options: Omit<ExchangeOptions, 'tlp'>): Finding | null {
  const { public_url, is_pair = false } = options
  const [domain, ip, url] = [text(result['domain']), text(result['ip']), uriOf(result['url'])]
  const target = targetOf({ domain, ip, url, is_pair })
  const checkTime = time(result['checked_at'])
  if (target === null || checkTime === null) return null
  const resultId = text(result['result_id'])
  const finalUrl = uriOf(result['final_url'])
  const { asn, isp } = objectOf(result['geo_location'])
  const seed =
    resultId ?? canonicalJson({ domain, ip, url, at: checkTime.toISOString(), policy: text(result['scoring_policy']) })
  const verdict = verdictOf(result)
  const threatTypes = texts(result['threat_types'], SIGNALS)
  return {
    target,
    domain,
    ip,
    url,
    checked: checkTime,
    result_id: resultId,
    final_url: finalUrl === url ? null : finalUrl,
    verdict,
    threat_types: threatTypes,
    is_threat:
      target.kind !== 'pair' && (verdict === 'malicious' || (verdict === 'suspicious' && threatTypes.length > 0)),
    recommendation: text(result['recommendation']) ?? 'review',
    reason: text(result['recommendation_reason']) ?? '',
    risk_score: typeof result['risk_score'] === 'number' ? result['risk_score'] : 0,
    confidence: CONFIDENCES.find(one => one === result['confidence']) ?? 'low',
    is_complete: objectOf(result['coverage'])['complete'] === true,
    has_answered: hasAnswered(result),
    signals: listOf(result['signal_details'], SIGNALS).flatMap(signalOf),
    listings: listingsOf(objectOf(result['reputation'])['lists']),
    certificate: certificateOf(objectOf(result['ssl_info'])),
    screenshots: screenshotsOf(objectOf(result['rendered']), resultId === null ? null : public_url, resultId),
    network: Number.isSafeInteger(asn) && (asn as number) >= 0 ? { asn: asn as number, name: text(isp) } : null,
    permalink: resultId === null || public_url === null ? null : `${baseOf(public_url)}/#result=${resultId}`,
    idOf: part => uuid5(OWN_NAMESPACE, `${part}:${seed}`),
  }
}

const verdictOf = ({ verdict }: Result): Finding['verdict'] =>
  verdict === 'malicious' || verdict === 'suspicious' ? verdict : 'safe'

type FindingTarget = Pick<Finding, 'domain' | 'ip' | 'url'> & { readonly is_pair: boolean }

function targetOf({ domain, ip, url, is_pair }: FindingTarget): Target | null {
  if (url !== null) return { kind: 'url', value: url }
  if (is_pair && domain !== null && ip !== null) return { kind: 'pair', value: `${domain} at ${ip}` }
  if (domain !== null) return { kind: 'domain', value: domain }
  return ip === null ? null : { kind: 'ip', value: ip }
}

/** Browsers send characters in a path or query that a URI must not contain (RFC 3986 section 2). */
function uriOf(value: unknown): string | null {
  if (typeof value !== 'string' || !URL.canParse(value)) return null
  const [start = '', rest = ''] = split(value.toWellFormed())
  const encodedRest = rest.replace(/%(?![0-9A-Fa-f]{2})|[^\w\-.~:/?#@!$&'()*+,;=%]/gu, encodeURIComponent)
  return start + encodedRest
}

/** The scheme with the authority, whose brackets are those of an address, and the rest. */
function split(url: string): readonly string[] {
  const slash = url.indexOf('/', url.indexOf('//') + 2)
  return slash === -1 ? [url] : [url.slice(0, slash), url.slice(slash)]
}

function hasAnswered(result: Result): boolean {
  const page = objectOf(result['content_analysis'])['status_code']
  return typeof page === 'number' || objectOf(result['ssl_info'])['status'] === 'handshake'
}

function signalOf({ severity, title, detail }: Result): SignalLine[] {
  const shownTitle = text(title)
  return shownTitle === null
    ? []
    : [{ severity: text(severity) ?? 'info', title: shownTitle, detail: text(detail) ?? '' }]
}

/** Each once. */
const listingsOf = (lists: unknown): readonly Listing[] => [
  ...new Map(
    listOf(lists, LISTINGS)
      .flatMap(listingOf)
      .map(one => [listingText(one), one]),
  ).values(),
]

function listingOf({ name, asked, listed, category }: Result): Listing[] {
  const [list, subject] = [text(name), text(asked)]
  if (listed !== true || list === null || subject === null) return []
  return [{ list, asked: subject, category: text(category) }]
}

function certificateOf(section: Result): Certificate | null {
  const { fingerprint_sha256: fingerprint, is_self_signed } = section
  if (typeof fingerprint !== 'string' || !/^[0-9a-f]{64}$/i.test(fingerprint)) return null
  return {
    fingerprint: fingerprint.toLowerCase(),
    serial: text(section['serial']),
    subject: text(section['subject']),
    issuer: text(section['issuer_common_name']) ?? text(section['issuer']),
    is_self_signed: typeof is_self_signed === 'boolean' ? is_self_signed : null,
    signature_algorithm: text(section['signature_algorithm']),
    not_before: time(section['not_before']),
    not_after: time(section['expires_at']),
  }
}

const baseOf = (publicUrl: string): string => publicUrl.replace(/\/+$/, '')

const SCREENS: ReadonlySet<unknown> = new Set(['desktop', 'phone'])
/** Of every picture. */
export const PICTURE_TYPE = 'image/webp'

function screenshotsOf({ screenshots }: Result, publicUrl: string | null, id: string | null): readonly Screenshot[] {
  const all = listOf(screenshots, SCREENS.size).flatMap(({ kind, sha256, octets }): Screenshot[] => {
    const isPicture = SCREENS.has(kind) && typeof sha256 === 'string' && /^[0-9a-f]{64}$/.test(sha256)
    if (!isPicture || !Number.isSafeInteger(octets) || (octets as number) < 0) return []
    const url = publicUrl === null ? null : `${baseOf(publicUrl)}/api/v1/results/${id}/screenshots/${kind}`
    return [{ kind: String(kind), sha256, octets: octets as number, url }]
  })
  return [...new Map(all.map(one => [one.sha256, one])).values()]
}

const KINDS = { domain: 'domain name', ip: 'IP address', url: 'URL', pair: 'pair of name and address' } as const

/** `Malicious domain name example.com` */
export const titleOf = ({ target, verdict }: Finding): string =>
  `${verdict[0]?.toUpperCase()}${verdict.slice(1)} ${KINDS[target.kind]} ${target.value}`

/** The judgement in a sentence, and the reason for it. */
export const judgement = ({ verdict, risk_score, confidence, recommendation, reason }: Finding): string =>
  `Verdict ${verdict}, risk score ${risk_score} of 100, confidence ${confidence}, recommendation ${recommendation}.` +
  `${reason === '' ? '' : ` ${reason}`}`

/** `NordSpam domains lists example.com for spam.` */
export const listingText = ({ list, asked, category }: Listing): string =>
  `${list} lists ${asked}${category === null ? '' : ` for ${category}`}.`

/** The judgement and every signal, a line each. */
export const summary = (finding: Finding): string =>
  [
    judgement(finding),
    ...(finding.is_complete ? [] : ['Not everything could be looked up: missing evidence is unknown, not harmless.']),
    ...finding.signals.map(
      ({ severity, title, detail }) => `[${severity}] ${title}${detail === '' ? '' : `: ${detail}`}`,
    ),
  ].join('\n')
