// All labelled names of a training, with what splitting and weighing them needs.

import { type NameParts, ownerOf } from '../evidence/name_score/facts.ts'
import { hashText } from '../evidence/name_score/hash.ts'
import type { Kind, LabelledName } from './lists.ts'

export interface Corpus {
  readonly names: readonly LabelledName[]
  /** By name: the hash of its owner. */
  readonly owners: Uint32Array
}

export function corpusOf(names: readonly LabelledName[]): Corpus {
  return { names, owners: Uint32Array.from(names, ({ parts }) => hashText(ownerOf(parts))) }
}

export const isBenign = ({ kind }: LabelledName): boolean => kind === 'benign'

/** Lists overlap in name and differ in class: `tweetfeed` has phishing and malware. */
export const listOf = ({ kind, source }: { readonly kind: Kind; readonly source: string }): string =>
  `${kind} ${source}`

export interface Division {
  /** Indices of names. */
  readonly training: Uint32Array
  readonly reserve: Uint32Array
  /** Names of sources that are not trained on. */
  readonly held: Uint32Array
}

const reserveSeed = hashText('reserve')
const reserveShare = 10

/**
 * Holds back whole sources, and one owner in ten of the others. An owner that is held back anywhere is trained on
 * nowhere.
 */
export function divide({ names, owners }: Corpus, heldSources: ReadonlySet<string>): Division {
  const inReserve = (index: number) => ((owners[index] ?? 0) ^ reserveSeed) % reserveShare === 0
  const heldOwners = new Set<number>()
  names.forEach(({ source }, index) => {
    if (heldSources.has(source)) heldOwners.add(owners[index] ?? 0)
  })
  const training: number[] = []
  const reserve: number[] = []
  const held: number[] = []
  names.forEach(({ source }, index) => {
    if (heldSources.has(source)) held.push(index)
    else if (inReserve(index)) reserve.push(index)
    else if (!heldOwners.has(owners[index] ?? 0)) training.push(index)
  })
  return { training: Uint32Array.from(training), reserve: Uint32Array.from(reserve), held: Uint32Array.from(held) }
}

/** Names of which whole lists are held back when nobody says which: about one source in five, by hash. */
export function sourcesToHold(names: readonly LabelledName[]): Set<string> {
  const sources = new Set(names.map(({ source }) => source))
  return new Set([...sources].filter(source => source !== '' && sources.size >= 5 && hashText(source) % 5 === 0))
}

/** How often benign and malicious domains are given a subdomain more than their lists have. */
const moreSubdomains = { benign: 0.3, malicious: 0.05 }

/**
 * Lists of benign names have mostly registrable domains, those of malicious ones do not: so that a subdomain alone says
 * nothing, some names are taken a second time with a subdomain that a benign name has.
 */
export function withSubdomains(names: readonly LabelledName[], random: () => number): LabelledName[] {
  const hasOne = ({ parts }: LabelledName) => parts.subdomain !== ''
  const subdomains = names.filter(name => isBenign(name) && !name.parts.tenant && hasOne(name))
  if (subdomains.length === 0) return [...names]
  const another = (parts: NameParts): NameParts => ({
    ...parts,
    subdomain: subdomains[Math.floor(random() * subdomains.length)]?.parts.subdomain ?? '',
  })
  const more = names.filter(
    name => !hasOne(name) && !name.parts.tenant && random() < moreSubdomains[isBenign(name) ? 'benign' : 'malicious'],
  )
  return [...names, ...more.map(name => ({ ...name, parts: another(name.parts) }))]
}

/** Benign tenants that a platform has at least, after `withTenants`, for each malicious one. */
const tenantsForEach = 0.03

/**
 * Lists of benign names have next to no tenants of platforms, lists of malicious ones have many: a model of both accuses
 * the platform. So benign tenants are made up for each platform, with labels that honest tenants of other platforms or
 * honest owners elsewhere chose.
 */
export function withTenants(names: readonly LabelledName[], random: () => number): LabelledName[] {
  return [...names, ...madeUpTenants(names, names, random, tenantsForEach)]
}

/** Under the platforms of `tenants`, `forEach` for each malicious one. Their labels are those of benign `names`. */
export function madeUpTenants(
  names: readonly LabelledName[],
  tenants: readonly LabelledName[],
  random: () => number,
  forEach: number,
): LabelledName[] {
  const lacking = new Map<string, number>()
  for (const { parts, kind } of tenants) {
    if (!parts.tenant) continue
    lacking.set(parts.suffix, (lacking.get(parts.suffix) ?? 0) + (kind === 'benign' ? -1 : forEach))
  }
  const labelOf = honestLabels(names, random)
  if (labelOf === null) return []
  return [...lacking].flatMap(([suffix, count]) =>
    Array.from({ length: Math.max(0, Math.round(count)) }, (): LabelledName => {
      return {
        parts: { subdomain: '', label: labelOf(), suffix, tenant: true },
        kind: 'benign',
        source: 'made-up tenants',
      }
    }),
  )
}

/** Draws from the labels of benign tenants, all platforms equally often, and of other benign names, half and half. */
function honestLabels(names: readonly LabelledName[], random: () => number): (() => string) | null {
  const byPlatform = new Map<string, string[]>()
  const others: string[] = []
  for (const { parts, kind } of names) {
    if (kind !== 'benign') continue
    if (!parts.tenant) others.push(parts.label)
    else byPlatform.set(parts.suffix, [...(byPlatform.get(parts.suffix) ?? []), parts.label])
  }
  const platforms = [...byPlatform.values()]
  const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)]
  if (others.length === 0 && platforms.length === 0) return null
  return () => (random() < 0.5 ? pick(pick(platforms) ?? []) : undefined) ?? pick(others) ?? 'example'
}

/** Names of a list beyond which more of them count for less: no list shall speak for all. */
const fullyCounted = 60_000

/** By name: the share of times that it is looked at. */
export function sharesOf(names: readonly LabelledName[]): Float32Array {
  const sizes = new Map<string, number>()
  for (const name of names) sizes.set(listOf(name), (sizes.get(listOf(name)) ?? 0) + 1)
  return Float32Array.from(names, name => Math.min(1, Math.sqrt(fullyCounted / (sizes.get(listOf(name)) ?? 1))))
}
