// How much of the evidence that decides about a target was seen. Pure.
import type { SignalDetail } from './scored.ts'
import { CONDEMNED_FROM } from './verdict.ts'

/** Best first. */
export const CONFIDENCES = ['high', 'medium', 'low'] as const

export type Confidence = (typeof CONFIDENCES)[number]

/** A kind of deciding evidence, for one kind of target. */
export interface Deciding {
  readonly kind: 'page' | 'certificate' | 'dns' | 'registration' | 'lists'
  /** Names of the evidence that shows it. */
  readonly evidence: readonly string[]
  /** How several become one: the least seen of them counts, or their mean. */
  readonly by: 'least' | 'mean'
  /** Its part of the whole; those of a kind of target add up to 100. */
  readonly weight: number
  /** What is said when none of it was seen, or only a part; without a full stop. */
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
 * What decides about a target. An attack shows itself on the page, so a name whose page was not seen at all stays `low`
 * whatever else is known. Most addresses have no site and are judged by what lists and registries say of them, so one
 * whose ports stay silent can still reach `medium`. Mail records, headers, cookies, crawl files, place and technology
 * decide nothing.
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

/** How much of one evidence was seen, from 0 to 1. A negative answer is seen. */
export interface Part {
  readonly seen: number
  /** Why the rest was not, in plain words that follow a colon; null when nothing is missing. */
  readonly why: string | null
}

/** The same of a kind of deciding evidence. */
export interface Sighting extends Part {
  readonly deciding: Deciding
}

/**
 * `partOf` answers null for evidence that does not count: nobody asked for it, it does not apply to the target, or this
 * installation has no source of it. A kind of which nothing counts is not there.
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
    const seen = parts.reduce((sum, part) => sum + part.seen, 0) / parts.length
    // Sources that are silent for different reasons have no one reason.
    return { seen, why: missing.length === 1 ? (missing[0]?.why ?? null) : null }
  },
}

/** Percent from which confidence is high: a few silent lists may be missing, no whole kind of evidence. */
const HIGH_FROM = 95
/** Percent below which it is low: more than a third is missing, as when a name's page was not seen at all. */
const LOW_BELOW = 67

/**
 * By the share of the deciding evidence that was seen. A confirmed listing settles the verdict, whatever else might be
 * seen could neither raise nor lower it, so nothing that decides is missing then. Where nothing decides, it is low: an
 * installation that looks at nothing knows nothing.
 */
export function confidence(seen: readonly Sighting[], details: readonly Pick<SignalDetail, 'floor'>[]): Confidence {
  if (details.some(({ floor }) => (floor ?? 0) >= CONDEMNED_FROM)) return 'high'
  const whole = seen.reduce((sum, { deciding }) => sum + deciding.weight, 0)
  if (whole === 0) return 'low'
  const percent = Math.round((seen.reduce((sum, one) => sum + one.seen * one.deciding.weight, 0) / whole) * 100)
  if (percent >= HIGH_FROM) return 'high'
  return percent < LOW_BELOW ? 'low' : 'medium'
}

/** What was not seen or only in part, by how much of the whole is missing. */
export const gaps = (seen: readonly Sighting[]): Sighting[] =>
  seen.filter(one => one.seen < 1).sort((a, b) => missing(b) - missing(a))

const missing = ({ deciding, seen }: Sighting): number => deciding.weight * (1 - seen)

/** A gap as a sentence: `The page could not be seen: the connection timed out.` */
export const gapSentence = ({ deciding, seen, why }: Sighting): string =>
  `${seen === 0 ? deciding.unseen : deciding.partly}${why === null ? '' : `: ${why}`}.`
