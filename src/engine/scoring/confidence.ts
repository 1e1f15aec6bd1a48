// How much of the deciding evidence was seen. Pure.
import type { MissingSource } from './missing.ts'
import type { SignalDetail } from './scored.ts'
import { CONDEMNED_FROM } from './verdict.ts'

/** Best first. */
export const CONFIDENCES = ['high', 'medium', 'low'] as const

export type Confidence = (typeof CONFIDENCES)[number]

/** A kind of deciding evidence for one kind of target. */
export interface Deciding {
  readonly kind: 'page' | 'certificate' | 'dns' | 'registration' | 'lists'
  /** Names of the evidence that provides it. */
  readonly evidence: readonly string[]
  /** How several pieces of evidence are combined: the minimum, or the mean. */
  readonly by: 'least' | 'mean'
  /** Percent; the weights for one kind of target add up to 100. */
  readonly weight: number
  /** Sentences without a full stop for evidence that was not seen, or seen only in part. */
  readonly unseen: string
  readonly partly: string
}

const page = {
  kind: 'page',
  evidence: ['page', 'served', 'document'],
  by: 'least',
  unseen: 'The page could not be seen',
  partly: 'The page was seen only in part',
} as const

const certificate = {
  kind: 'certificate',
  evidence: ['tls'],
  by: 'least',
  unseen: 'The certificate could not be seen',
  partly: 'The certificate could not be seen',
} as const

const lists = {
  kind: 'lists',
  evidence: ['listings', 'feeds'],
  by: 'mean',
  unseen: 'No blocklist or threat feed answered',
  partly: 'Not all blocklists and threat feeds answered',
} as const

const lookedUp = (subject: string) =>
  ({ by: 'least', unseen: `${subject} could not be looked up`, partly: `${subject} could not be looked up` }) as const

/**
 * The evidence that decides about a target. Attacks are visible on the page, so a name without its page is `low` whatever else
 * is known. Most addresses have no site and are judged by lists and registries, so an address whose ports do not answer can
 * still reach `medium`. Mail records, headers, cookies, crawl files, location and technology decide nothing.
 */
export const DECIDING: Readonly<Record<'domain' | 'ip', readonly Deciding[]>> = {
  domain: [
    { ...page, weight: 40 },
    { ...lists, weight: 20 },
    { kind: 'dns', evidence: ['addresses'], weight: 15, ...lookedUp('The addresses of the name') },
    { kind: 'registration', evidence: ['registration'], weight: 15, ...lookedUp('The registration of the domain') },
    { ...certificate, weight: 10 },
  ],
  ip: [
    { ...lists, weight: 55 },
    { kind: 'dns', evidence: ['reverse_names'], weight: 15, ...lookedUp('The reverse names of the address') },
    { kind: 'registration', evidence: ['ip_network'], weight: 15, ...lookedUp('The registration of the network') },
    { ...page, weight: 10 },
    { ...certificate, weight: 5 },
  ],
}

/** How much of one piece of evidence was seen, from 0 to 1. A negative answer counts as seen. */
export interface Part {
  readonly seen: number
  /** Why the rest was not seen, in words that follow a colon; null if nothing is missing. */
  readonly why: string | null
}

/** How much of a kind of deciding evidence was seen. */
export interface Sighting extends Part {
  readonly deciding: Deciding
}

/**
 * `partOf` returns null for evidence that does not count: no plugin reads it, it does not apply to the target, or it is not
 * configured. Kinds without any evidence that counts are omitted.
 */
export const sightings = (target: 'domain' | 'ip', partOf: (evidence: string) => Part | null): Sighting[] =>
  DECIDING[target].flatMap(deciding => {
    const parts = deciding.evidence.flatMap(name => partOf(name) ?? [])
    return parts.length === 0 ? [] : [{ deciding, ...combine[deciding.by](parts) }]
  })

const combine: Readonly<Record<Deciding['by'], (parts: readonly Part[]) => Part>> = {
  least: parts => parts.reduce((least, part) => (part.seen < least.seen ? part : least)),
  mean(parts) {
    const missing = parts.filter(({ seen }) => seen < 1)
    const average = parts.reduce((sum, part) => sum + part.seen, 0) / parts.length
    // Several missing sources have no common reason.
    return { seen: average, why: missing.length === 1 ? (missing[0]?.why ?? null) : null }
  },
}

/** Minimum percentage for high confidence: a few lists may be missing, but no complete kind of evidence. */
const HIGH_FROM = 95
/** Confidence is low below this percentage: more than a third is missing, for example the page of a name. */
const LOW_BELOW = 67

/**
 * Confidence by the share of the deciding evidence that was seen. It is at most medium while an expected source is missing, and
 * if the page was seen only in part, even where the page weighs little. A confirmed listing decides the verdict alone, so nothing
 * that decides is unseen. If no evidence counts, confidence is low.
 */
export function confidence(
  sightings: readonly Sighting[],
  details: readonly Pick<SignalDetail, 'floor'>[],
  missing: readonly MissingSource[] = [],
): Confidence {
  const level = byShare(sightings, details)
  return level === 'high' && missing.length > 0 ? 'medium' : level
}

function byShare(sightings: readonly Sighting[], details: readonly Pick<SignalDetail, 'floor'>[]): Confidence {
  if (details.some(({ floor }) => (floor ?? 0) >= CONDEMNED_FROM)) return 'high'
  const whole = sightings.reduce((sum, { deciding }) => sum + deciding.weight, 0)
  if (whole === 0) return 'low'
  const percent = Math.round((sightings.reduce((sum, one) => sum + one.seen * one.deciding.weight, 0) / whole) * 100)
  const isPagePartial = sightings.some(one => one.deciding.kind === 'page' && one.seen < 1)
  if (percent >= HIGH_FROM) return isPagePartial ? 'medium' : 'high'
  return percent < LOW_BELOW ? 'low' : 'medium'
}

/** The evidence that was not seen completely, largest gap first. */
export const gaps = (sightings: readonly Sighting[]): Sighting[] =>
  sightings.filter(one => one.seen < 1).sort((a, b) => missing(b) - missing(a))

const missing = ({ deciding, seen }: Sighting): number => deciding.weight * (1 - seen)

/** A gap as a sentence: `The page could not be seen: the connection timed out.` */
export const gapSentence = ({ deciding, seen, why }: Sighting): string =>
  `${seen === 0 ? deciding.unseen : deciding.partly}${why === null ? '' : `: ${why}`}.`
