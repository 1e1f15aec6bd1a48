// Finds brands and lures in a path: `/paypal-security/`, `/secure/account-update.php`. Articles about a brand are
// excluded: their slugs have many other words.
import {
  type Brand,
  brands,
  dataFile,
  indexOwners,
  inLabel,
  isDistinctive,
  isInNames,
  type OwnersOf,
  TextList,
} from '../../src/engine/plugin.ts'
import data from './data/path_words.json' with { type: 'json' }
import { isPage, type LinkParts, withoutEnding } from './link_parts.ts'
import { isSubject } from './other_hosts.ts'

export const PathWordsFile = dataFile({
  acts: TextList,
  objects: TextList,
  fillers: TextList,
  names: TextList,
  topics: TextList,
})

/** Words that ask a visitor to act. */
const acts: ReadonlySet<string> = new Set(data.acts)
/** Objects of these words. */
const objects: ReadonlySet<string> = new Set(data.objects)
/** Neutral words beside the others. */
const fillers: ReadonlySet<string> = new Set(data.fillers)
/** Names of scripts that only imitations of a log-in use. */
const names: ReadonlySet<string> = new Set(data.names)
/** Folders in which a brand's name is the subject, a way to sign in, or a product. */
const topics: ReadonlySet<string> = new Set(data.topics)

const LONGEST_SEGMENT = 64
const SLUG = 5
const LONGEST_WORD = 20

/** Words in a path that ask for something. */
export interface PathLure {
  readonly word: string
  readonly strength: number
}

const wordsOf = (segment: string): string[] =>
  withoutEnding(segment)
    .split(/[^a-z0-9]+/)
    .filter(word => word !== '')

const isLure = (word: string): boolean => acts.has(word) || objects.has(word)

/** Splits letters into words: `accountverification` is two; null if they contain anything else. */
function lureWords(text: string): string[] | null {
  if (text.length > LONGEST_SEGMENT) return null
  const reached: (string[] | null)[] = [[]]
  for (let end = 1; end <= text.length; end++) {
    let best: string[] | null = /\d/.test(text.charAt(end - 1)) ? (reached[end - 1] ?? null) : null
    for (let start = Math.max(0, end - LONGEST_WORD); start < end && best === null; start++) {
      const before = reached[start]
      const word = text.slice(start, end)
      if (before && (isLure(word) || fillers.has(word))) best = [...before, word]
    }
    reached[end] = best
  }
  return reached[text.length] ?? null
}

/** The most telling lure of a path: two words of it in one segment, or one word as the name of a page. */
export function lureIn({ segments }: LinkParts): PathLure | null {
  let match: PathLure | null = null
  for (const segment of segments) {
    const lure = lureOf(segment)
    if (lure && lure.strength > (match?.strength ?? 0)) match = lure
  }
  return match
}

function lureOf(segment: string): PathLure | null {
  if (segment.length > LONGEST_SEGMENT) return null
  const name = withoutEnding(segment)
  if (names.has(name)) return { word: name, strength: 1 }
  const pieces = wordsOf(segment)
  if (pieces.length > SLUG) return null
  const words = lureWords(pieces.join(''))
  if (words === null) return null
  const act = words.find(word => acts.has(word))
  const object = words.find(word => objects.has(word))
  if (act !== undefined && object !== undefined)
    return { word: `${act} ${object}`, strength: isPage(segment) ? 1 : 0.7 }
  if (!isPage(segment)) return null
  if (act !== undefined) return { word: act, strength: 0.7 }
  // Every site has `login.php`.
  return object === 'signin' || object === 'signon' ? { word: object, strength: 0.3 } : null
}

/** A brand that a part of the path is named after. */
export interface PathBrand {
  readonly brand: string
  readonly strength: number
}

interface PathWord {
  readonly brand: Brand
  readonly word: string
  /** The word alone means the brand. */
  readonly distinctive: boolean
}

interface BrandWords {
  readonly ownersOf: OwnersOf
  readonly byWord: ReadonlyMap<string, PathWord>
}

const cache = new WeakMap<readonly Brand[], BrandWords>()

/** An index of the brands' words; made once for a list. */
export function brandWords(ownBrands: readonly Brand[]): BrandWords {
  const cachedWords = cache.get(ownBrands)
  if (cachedWords) return cachedWords
  const all = [...ownBrands, ...brands]
  const words = all.flatMap(brand =>
    brand.brandWords
      .filter(isInNames)
      .map(word => ({ brand, word: inLabel(word.text), distinctive: isDistinctive(word) })),
  )
  // The first brand with a word keeps it.
  const index = { ownersOf: indexOwners(all), byWord: new Map(words.reverse().map(entry => [entry.word, entry])) }
  cache.set(ownBrands, index)
  return index
}

const SHORTEST = 3
/** Shorter words occur in others, so they count only between separators. */
const SHORTEST_JOINED = 5

/** Brands in segments of the path, on a host that the brand does not own. */
export function brandsIn({ segments }: LinkParts, host: string | null, { byWord, ownersOf }: BrandWords): PathBrand[] {
  const own = new Set(host === null ? [] : ownersOf(host).map(({ name }) => name))
  const label = (host ?? '').replaceAll(/[^a-z0-9]/g, '')
  const lured = segments.some(segment => wordsOf(segment).some(isLure))
  // Brands have profiles and repositories on the sites of other brands.
  const platform = own.size > 0
  const counts = new Map<string, number>()
  segments.forEach((segment, at) => {
    const brand = brandOf(segment, byWord)
    if (brand === null || own.has(brand.brand.name)) return
    // Excludes shops and fan sites, which have the brand in their host name.
    if (label.includes(brand.word)) return
    const before = segments[at - 1]
    if (isSubject(before)) return
    const subject = platform || topics.has(before ?? '')
    const alone = !brand.distinctive && !brand.lure ? (lured ? 0.5 : 0) : brand.lure ? 1 : 0.5
    const strength = subject && !brand.lure ? 0 : alone
    if (strength > (counts.get(brand.brand.name) ?? 0)) counts.set(brand.brand.name, strength)
  })
  return [...counts].map(([brand, strength]) => ({ brand, strength })).sort((a, b) => b.strength - a.strength)
}

interface SeenBrand extends PathWord {
  readonly lure: boolean
}

/** A segment that is a brand's name, with or without lures and digits around it. */
function brandOf(segment: string, byWord: ReadonlyMap<string, PathWord>): SeenBrand | null {
  if (segment.length > LONGEST_SEGMENT) return null
  const pieces = wordsOf(segment)
  if (pieces.length === 0 || pieces.length > SLUG) return null
  const text = pieces.join('')
  for (const word of [text, text.replace(/\d+$/, '')]) {
    const entry = byWord.get(word)
    if (entry && word.length >= SHORTEST) return { ...entry, lure: false }
  }
  const apart = new Set(pieces)
  for (let start = 0; start < text.length; start++) {
    for (let end = Math.min(text.length, start + LONGEST_WORD); end >= start + SHORTEST; end--) {
      const word = text.slice(start, end)
      const entry = byWord.get(word)
      if (!entry || (word.length < SHORTEST_JOINED && !apart.has(word))) continue
      const rest = [...(lureWords(text.slice(0, start)) ?? ['?']), ...(lureWords(text.slice(end)) ?? ['?'])]
      if (rest.includes('?')) continue
      return { ...entry, lure: rest.some(isLure) }
    }
  }
  return null
}
