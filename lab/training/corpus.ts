// All labelled names of a training, with the data for splitting and weighting them.

import { type NameParts, ownerOf } from '../../src/evidence/name_score/facts.ts'
import { hashText } from '../../src/evidence/name_score/hash.ts'
import type { Kind, LabelledName } from './lists.ts'

export interface Corpus {
  readonly names: readonly LabelledName[]
  /** Hash of each name's owner. */
  readonly owners: Uint32Array
}

export function corpusOf(names: readonly LabelledName[]): Corpus {
  return { names, owners: Uint32Array.from(names, ({ parts }) => hashText(ownerOf(parts))) }
}

export const isBenign = ({ kind }: LabelledName): boolean => kind === 'benign'

/** Lists may share a provider but differ in class: `tweetfeed` has phishing and malware. */
export const listOf = ({ kind, source }: { readonly kind: Kind; readonly source: string }): string =>
  `${kind} ${source}`

const reserveSeed = hashText('reserve')
const reserveShare = 10

/**
 * Holds back whole sources, and one in ten owners of the others. An owner that is held back anywhere is used for
 * training nowhere.
 */
export function divide({ names, owners }: Corpus, heldSources: ReadonlySet<string>) {
  const inReserve = (index: number) => ((owners[index] ?? 0) ^ reserveSeed) % reserveShare === 0
  const heldOwners = new Set<number>()
  names.forEach(({ source }, index) => {
    if (heldSources.has(source)) heldOwners.add(owners[index] ?? 0)
  })
  const training: number[] = []
  const reserve: number[] = []
  const heldRows: number[] = []
  names.forEach(({ source }, index) => {
    if (heldSources.has(source)) heldRows.push(index)
    else if (inReserve(index)) reserve.push(index)
    else if (!heldOwners.has(owners[index] ?? 0)) training.push(index)
  })
  return { training: Uint32Array.from(training), reserve: Uint32Array.from(reserve), held: Uint32Array.from(heldRows) }
}

/** Without a choice, about one source in five is held back, by hash. */
export function sourcesToHold(names: readonly LabelledName[]): Set<string> {
  const sources = new Set(names.map(({ source }) => source))
  return new Set([...sources].filter(source => source !== '' && sources.size >= 5 && hashText(source) % 5 === 0))
}

/** Rate at which benign and malicious domains get an additional subdomain. */
const moreSubdomains = { benign: 0.3, malicious: 0.05 }

/**
 * Benign lists have mostly registrable domains, malicious lists do not. To keep the model from learning that a
 * subdomain is malicious, some names are repeated with a subdomain of a benign name.
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

/** Least number of benign tenants of a platform for each malicious one, after `withTenants`. */
const tenantsForEach = 0.03

/**
 * Benign lists have almost no tenants of platforms and malicious lists have many, so a model trained on both would
 * condemn the platform. Benign tenants are therefore generated for each platform, with labels of honest tenants of
 * other platforms or of honest owners.
 */
export function withTenants(names: readonly LabelledName[], random: () => number): LabelledName[] {
  return [...names, ...madeUpTenants(names, names, random, tenantsForEach)]
}

/** Generates `forEach` names for each malicious one of `tenants`, with labels of benign `names`. */
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

/** Draws half from the labels of benign tenants, all platforms equally often, and half from other benign names. */
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

/** Above this number of names, each name of a list counts for less, so that no list dominates. */
const fullyCounted = 60_000

/** Sampling rate of each name. */
export function sharesOf(names: readonly LabelledName[]): Float32Array {
  const sizes = new Map<string, number>()
  for (const name of names) sizes.set(listOf(name), (sizes.get(listOf(name)) ?? 0) + 1)
  return Float32Array.from(names, name => Math.min(1, Math.sqrt(fullyCounted / (sizes.get(listOf(name)) ?? 1))))
}
