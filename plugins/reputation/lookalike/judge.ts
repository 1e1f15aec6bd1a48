// Judges whether a name imitates a brand: which brand, how, and with what confidence.
import {
  type Brand,
  dataFile,
  type HostIdentity,
  identify,
  isAbusedSuffix,
  brands as knownBrands,
  TextList,
} from '../../../src/engine/plugin.ts'
import data from '../data/places.json' with { type: 'json' }
import { type BrandIndex, type IndexedWord, indexBrands } from './brand_index.ts'
import { type BrandMatch, explain, matchBrand } from './brand_match.ts'
import { strengthOf } from './strength.ts'
import { strongLures } from './words.ts'

// Suffixes and domains where a brand name has a different meaning.
export const PlacesFile = dataFile({ own_pages: TextList, carriers: TextList })

/** Platforms where brands publish their own pages: code, manuals and shops. */
export const ownPages: ReadonlySet<string> = new Set(data.own_pages)

/** CDNs that carry customer sites under the customer's whole name, and sites that describe domain names. */
export const carriers: ReadonlySet<string> = new Set(data.carriers)

/**
 * `tld_swap` is the brand's word under a suffix that costs next to nothing, `other_suffix` under an ordinary one: most of those are
 * the owner's, or of an older firm of that name.
 */
export type LookalikeKind =
  | 'homograph'
  | 'lookalike_letters'
  | 'typo'
  | 'brand_word'
  | 'brand_subdomain'
  | 'tld_swap'
  | 'other_suffix'

/** How a name imitates a brand. */
export interface BrandLookalike {
  readonly brand: string
  /** The main domain of the brand. */
  readonly domain: string
  readonly kind: LookalikeKind
  /** A sentence. */
  readonly detail: string
  /** 0 to 1: confidence that the name is made to deceive. */
  readonly strength: number
}

/** Settings of the operator. */
export interface LookalikeOptions {
  /** Additional brands of the operator. They are indexed once per list object. */
  readonly brands?: readonly Brand[]
}

/** Shorter words are initials that others share, so they are weaker evidence. */
const SHORT = 4
/** Maximum labels of a name that are read, closest to the registrable domain: limits the cost of long names. */
const LABELS = 12

/** `name` and `registrable` are in lower case and A-labels, as in a target. Null if the name imitates no brand. */
export function judgeLookalike(
  name: string,
  registrable: string,
  options: LookalikeOptions = {},
): BrandLookalike | null {
  const index = indexFor(options.brands)
  if (isOwnOrCarrier(index, name)) return null
  const place = identify(registrable)
  const below = name.slice(0, -registrable.length).split('.').slice(0, -1).slice(-LABELS)
  const own = registrable.slice(0, `${registrable}.`.indexOf('.'))
  const matches = [domainWithin(index, [...below, own], registrable), ofRegistrable(index, own, registrable, place)]
  const inside = below.map(label => ofSubdomain(index, label, [...below, own], registrable))
  return [...matches, ...inside].reduce(stronger, null)
}

/** Whether the name, in lower case and A-labels, is at or below a brand's own domain. */
export const isBrandsOwn = (name: string, own: readonly Brand[] = []): boolean =>
  indexFor(own).ownersOf(name).length > 0

const stronger = (one: BrandLookalike | null, other: BrandLookalike | null): BrandLookalike | null =>
  other !== null && other.strength > (one?.strength ?? 0) ? other : one

const indexes = new WeakMap<readonly Brand[], BrandIndex>()

/** Indexed for the first name, not at every start of a command. */
function indexFor(own: readonly Brand[] = []): BrandIndex {
  const key = own.length === 0 ? knownBrands : own
  const index = indexes.get(key) ?? indexBrands([...own, ...knownBrands])
  indexes.set(key, index)
  return index
}

/** `paypal.com.evil.example`, `amazon.co.jp.evil.example`, `paypal.com-login.example`: a brand domain as a prefix. */
function domainWithin(
  { byDomain, byWord }: BrandIndex,
  labels: readonly string[],
  registrable: string,
): BrandLookalike | null {
  for (const [at, label] of labels.slice(0, -1).entries()) {
    const [next = '', afterNext = ''] = labels.slice(at + 1, at + 3)
    const [suffix = ''] = next.split('-')
    const spellings = [`${label}.${next}`, `${label}.${next}.${afterNext}`, `${label}.${suffix}`]
    const domain = spellings.find(candidate => byDomain.has(candidate)) ?? `${label}.${suffix}`
    const brand = byDomain.get(domain) ?? (looksLikeSuffix(suffix) ? distinct(byWord.get(label)) : undefined)
    if (brand) {
      return accuse(
        brand,
        'brand_subdomain',
        `"${domain}" is a prefix of ${registrable}, a domain the brand does not own.`,
        0.95,
      )
    }
  }
  return null
}

const looksLikeSuffix = (label: string): boolean => label === 'com' || label === 'co' || label === 'net'
const distinct = (entry: IndexedWord | undefined): Brand | undefined => (entry?.distinctive ? entry.brand : undefined)

function ofRegistrable(index: BrandIndex, label: string, registrable: string, place: HostPlace): BrandLookalike | null {
  const match = matchBrand(index, label)
  if (!match) return null
  if (match.alone && match.disguise === null) return namesake(match, registrable, place)
  return index.ownLabels.has(label) && isNational(registrable) ? null : accusation(match, label, 1)
}

/** Below a country code: large brands register their name in most countries. */
const isNational = (registrable: string): boolean => /\.[a-z]{2}$/.test(registrable) && !isAbusedSuffix(registrable)

/** The brand's plain name under another suffix. Most belong to the brand, or to an older company of that name. */
function namesake(
  { brand, word, distinctive }: BrandMatch,
  registrable: string,
  { suffix, tenant }: HostPlace,
): BrandLookalike | null {
  if (!distinctive || (word.length < SHORT && !isAbusedSuffix(registrable))) return null
  if (tenant && !/^(?:com|co|net|org)\./.test(suffix)) {
    if (ownPages.has(suffix)) return null
    return accuse(
      brand,
      'brand_subdomain',
      `"${word}" is a customer name on ${suffix}, which anyone can register.`,
      0.4,
    )
  }
  const detail = `"${word}" is registered under .${suffix}; the brand uses ${brand.domains[0]}.`
  if (isAbusedSuffix(registrable)) return accuse(brand, 'tld_swap', detail, underCheap(word))
  return isGeneric(suffix) ? accuse(brand, 'other_suffix', detail, UNDER_ORDINARY) : null
}

/** A sight that asks for a look, and decides nothing together with a page. */
const UNDER_ORDINARY = 0.2

/** Country codes that firms everywhere use. Under others, large brands and their namesakes have their national sites. */
const OPEN_COUNTRIES: ReadonlySet<string> = new Set(['ai', 'co', 'io', 'me', 'tv'])

/** Nearly every distinctive word under `.com` is its owner's. */
const isGeneric = (suffix: string): boolean =>
  suffix !== 'com' && (/^[a-z]{3,}$/.test(suffix) || OPEN_COUNTRIES.has(suffix))

type HostPlace = Pick<HostIdentity, 'suffix' | 'tenant'>

/** A brand as a subdomain of another domain is common and innocent, unless a lure appears in the name too. */
function ofSubdomain(
  index: BrandIndex,
  label: string,
  labels: readonly string[],
  registrable: string,
): BrandLookalike | null {
  const match = matchBrand(index, label)
  if (!match || isSlip(match)) return null
  if (!match.alone || match.disguise !== null) return accusation(match, label, 0.9)
  const lure = labels.flatMap(other => (other === label ? [] : other.split('-'))).find(part => strongLures.has(part))
  if (!match.distinctive) return null
  if (lure === undefined) return beforeCheap(match, label, registrable)
  if (match.word.length < SHORT) return null
  return accuse(
    match.brand,
    'brand_subdomain',
    `"${label}" appears with "${lure}" in a domain the brand does not own.`,
    0.5,
  )
}

/** `t-mobile.rtybh.one`: few partners and customers of a brand are under suffixes that cost next to nothing. */
function beforeCheap({ brand, word }: BrandMatch, label: string, registrable: string): BrandLookalike | null {
  if (!isAbusedSuffix(registrable)) return null
  return accuse(
    brand,
    'brand_subdomain',
    `"${label}" is placed before ${registrable}, under a very cheap suffix.`,
    underCheap(word),
  )
}

/** Short words are initials that others share. */
const underCheap = (word: string): number => (word.length < SHORT ? 0.4 : 0.5)

const slips: ReadonlySet<BrandMatch['disguise']> = new Set(['swapped', 'replaced', 'missing', 'added'])
const isSlip = ({ disguise }: BrandMatch): boolean => slips.has(disguise)

function accusation(match: BrandMatch, label: string, share: number): BrandLookalike | null {
  const strength = strengthOf(match)
  if (strength === null) return null
  return accuse(match.brand, kindOf(match), explain(match, label), Number((strength * share).toFixed(2)))
}

function kindOf({ disguise }: BrandMatch): LookalikeKind {
  if (disguise === 'scripts' || disguise === 'accents') return 'homograph'
  if (disguise === 'digits' || disguise === 'letters') return 'lookalike_letters'
  return disguise === null ? 'brand_word' : 'typo'
}

const accuse = (brand: Brand, kind: LookalikeKind, detail: string, strength: number): BrandLookalike => ({
  brand: brand.name,
  domain: brand.domains[0] ?? '',
  kind,
  detail,
  strength,
})

/** Maximum number of parents of a name that are looked up, shortest first: no carrier has more labels. */
const PARENTS = 6

/** At or below a brand's domain or top-level domain, or below a CDN that carries brand sites. */
function isOwnOrCarrier({ ownersOf }: BrandIndex, name: string): boolean {
  if (ownersOf(name).length > 0) return true
  const labels = name.split('.').slice(-PARENTS)
  return labels.some((_, at) => carriers.has(labels.slice(at).join('.')))
}
