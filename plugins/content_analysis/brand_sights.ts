// The places on a page that show a brand, and whether the page is on one of the brand's own domains.
import {
  type Brand,
  brands,
  type Document,
  findOwner,
  identify,
  indexOwners,
  isDistinctive,
  type NameEvidence,
  type OwnersOf,
  type ProvenOwner,
} from '../../src/engine/plugin.ts'
import { isHttp, resolveUrl } from './text.ts'

/** Letters of other scripts that look Latin. Phishing pages use them so that people can read them and filters cannot. */
const LOOK_ALIKES: Readonly<Record<string, string>> = Object.fromEntries(
  'аa вb сc ԁd еe ցg һh іi јj кk мm пn оo рp ԛq ѕs тt уy хx ԝw ѵv αa βb εe ιi κk νv οo ρp τt υu ιi ıi ɡg'
    .split(' ')
    .map(([other = '', latin = '']) => [other, latin]),
)

const ICON: ReadonlySet<string> = new Set([
  'icon',
  'shortcut',
  'apple-touch-icon',
  'apple-touch-icon-precomposed',
  'mask-icon',
  'fluid-icon',
])

const NAME_LENGTH = 512
/** Characters of visible text that are searched for brands. */
const TEXT_LENGTH = 8_192

/** Lower-case words without accents, look-alikes replaced by Latin letters, each word between single spaces. */
export function words(text: string, length = NAME_LENGTH): string {
  const plain = text
    .slice(0, length)
    // A capital I or a digit within a word in lower case is read as the letter it looks like: `PayPaI`, `g00gle`.
    .replace(/(?<=[a-z])I(?![a-z])|(?<=[a-z])1(?=[a-z])/g, 'l')
    .replace(/(?<=[a-zA-Z]0?)0(?=0?[a-z])/g, 'o')
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\p{M}\u200b-\u200d\u2060\ufeff\u00ad]+/gu, '')
    .replace(/[^\x00-\x7f]/g, letter => LOOK_ALIKES[letter] ?? letter)
  return ` ${plain.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()} `
}

interface PhraseIndex {
  /** By first word: the phrase between spaces, and its brand. */
  readonly byWord: ReadonlyMap<string, readonly (readonly [phrase: string, brand: Brand])[]>
  /** Phrases in scripts without spaces between words. */
  readonly spaceless: readonly (readonly [phrase: string, brand: Brand])[]
}

const SPACELESS_SCRIPT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u

/** A phrase as it stands in a text: between spaces, but in scripts without any. */
const foldPhrase = (phrase: string): string => (SPACELESS_SCRIPT.test(phrase) ? words(phrase).trim() : words(phrase))

/** Words that mean the brand only beside another sight of it: words of a language, names of people. */
const doubtful = ({ brandWords }: Brand): string[] =>
  brandWords.filter(word => word.in !== 'names' && !isDistinctive(word)).map(({ text }) => text)

function indexPhrases(list: readonly Brand[], phrasesOf: (brand: Brand) => readonly string[]): PhraseIndex {
  const all = list
    .filter(({ family }) => !family)
    .flatMap(brand => phrasesOf(brand).map(one => [words(one), brand] as const))
  const byWord = new Map<string, (readonly [string, Brand])[]>()
  for (const entry of all.filter(([phrase]) => !SPACELESS_SCRIPT.test(phrase))) {
    const first = entry[0].slice(1, entry[0].indexOf(' ', 1))
    byWord.set(first, [...(byWord.get(first) ?? []), entry])
  }
  return {
    byWord,
    spaceless: all.filter(([phrase]) => SPACELESS_SCRIPT.test(phrase)).map(([phrase, brand]) => [phrase.trim(), brand]),
  }
}

interface Index {
  readonly phrases: PhraseIndex
  readonly doubtful: PhraseIndex
  readonly ownersOf: OwnersOf
}

const indexes = new WeakMap<readonly Brand[], Index>()

/** The phrases of these brands, and the owners among them and the known ones. Indexed for the first page. */
function indexFor(list: readonly Brand[]): Index {
  const index = indexes.get(list) ?? {
    phrases: indexPhrases(list, ({ phrases }) => phrases),
    doubtful: indexPhrases(list, doubtful),
    ownersOf: indexOwners(list === brands ? brands : [...list, ...brands]),
  }
  indexes.set(list, index)
  return index
}

/** The brands that a text names, each once, in text order. `said` is the output of `words`. */
function namedIn(text: string, { byWord, spaceless }: PhraseIndex): Brand[] {
  const owners = new Set<Brand>()
  for (let at = 0; at < text.length - 1; ) {
    const end = text.indexOf(' ', at + 1)
    if (end < 0) break
    const entries = byWord.get(text.slice(at + 1, end))
    if (entries !== undefined) for (const [phrase, brand] of entries) if (text.startsWith(phrase, at)) owners.add(brand)
    at = end
  }
  for (const [phrase, brand] of spaceless) if (text.includes(phrase)) owners.add(brand)
  return [...owners]
}

/** Where on a page a brand can be seen. */
export const PLACES = [
  'title',
  'heading',
  'text',
  'image',
  'resource',
  'link',
  'address',
  'copyright',
  'button',
] as const
export type SightPlace = (typeof PLACES)[number]

/** A brand that the page shows, and where. */
export interface BrandSight {
  readonly brand: Brand
  /** What means the brand on this page, each as `words` writes it. */
  readonly phrases: readonly string[]
  readonly places: ReadonlySet<SightPlace>
  /** Its icon or a picture comes from one of the brand's own hosts, where nobody else can put one. */
  readonly hasFiles: boolean
  /** The icon that browsers show beside its title does. */
  readonly hasIcon: boolean
  /** Mentions in visible text. */
  readonly mentions: number
}

/** The brands that a page shows. */
export interface Sights {
  /** The brands that the page shows, be it by its icon, the one in most places first; none at a brand's own. Links and other files show none. */
  readonly shown: readonly BrandSight[]
  /** The brand that the page shows in most places, unless the page is on a domain of a brand that it shows; or null. */
  readonly foreign: BrandSight | null
  /** The page is on a domain of a known brand, or on one whose owner is proved. */
  readonly atHome: boolean
  /** Who is proved to own a name that the table does not know; null without proof. */
  readonly owner: ProvenOwner | null
}

/** Places that present a brand as the page's own, as opposed to mentions. */
const WORTH: Readonly<Record<SightPlace, number>> = {
  title: 4,
  heading: 2,
  text: 1,
  image: 2,
  resource: 3,
  link: 1,
  address: 4,
  copyright: 3,
  button: 2,
}

const worth = ({ places }: BrandSight): number => [...places].reduce((sum, place) => sum + WORTH[place], 0)

/** What is known of the target's name, where the page is on it. */
export interface SightedName {
  readonly name: string
  readonly seen: NameEvidence
}

function addTo(sights: Map<Brand, Set<SightPlace>>, brand: Brand, place: SightPlace): void {
  const places = sights.get(brand)
  if (places) places.add(place)
  else sights.set(brand, new Set([place]))
}

/** `others`: an operator's own brands, beside the known ones. */
export function seeBrands(
  document: Document,
  page: URL,
  others: readonly Brand[],
  ownName: SightedName | null = null,
): Sights {
  const index = indexFor(brands)
  const own = others.length === 0 ? null : indexFor(others)
  const { ownersOf } = own ?? index
  const placesOf = new Map<Brand, Set<SightPlace>>()
  const doubtfulPlaces = new Map<Brand, Set<SightPlace>>()
  const add = (brand: Brand, place: SightPlace) => addTo(placesOf, brand, place)
  const lookAt = (text: string, place: SightPlace, length?: number) => {
    const all = words(text, length)
    if (all === '  ') return
    for (const brand of [...(own ? namedIn(all, own.phrases) : []), ...namedIn(all, index.phrases)]) add(brand, place)
    for (const brand of [...(own ? namedIn(all, own.doubtful) : []), ...namedIn(all, index.doubtful)])
      addTo(doubtfulPlaces, brand, place)
  }
  const origin = `${page.origin}/`
  const host = (address: string, place: SightPlace, lentBrands?: Set<Brand>) => {
    // Most links lead to the page's own host: to read each as a URL would cost as much as the rest.
    if (address.startsWith(origin)) return
    const url = resolveUrl(address, page.href)
    if (url === null || !isHttp(url) || url.hostname === page.hostname) return
    const brand = ownersOf(url.hostname).find(({ family }) => !family)
    if (brand === undefined) return
    add(brand, place)
    if (!isUpload(url, brand)) lentBrands?.add(brand)
  }
  const icons = new Set<Brand>()
  const pictures = new Set<Brand>()
  const { look } = document
  const visibleText = look?.shown ?? document.text
  lookAt(document.title ?? '', 'title')
  for (const { text } of document.headings.slice(0, 20)) lookAt(text, 'heading')
  lookAt(visibleText, 'text', TEXT_LENGTH)
  for (const line of visibleText.match(/(?:©|\(c\)|copyright)[^.|]{0,80}/gi)?.slice(0, 4) ?? [])
    lookAt(line, 'copyright')
  for (const { src, alt } of look?.images.slice(0, 40) ?? []) {
    lookAt(alt, 'image')
    lookAt(fileWords(src), 'image')
    host(src, 'resource', pictures)
  }
  for (const text of look?.buttons.slice(0, 16) ?? []) lookAt(text, 'button')
  for (const { href, rel } of document.links.slice(0, 60)) {
    if (rel.includes('canonical')) host(href, 'address')
    else if (rel.some(one => ICON.has(one))) host(href, 'resource', icons)
    else if (rel.includes('stylesheet')) host(href, 'resource')
  }
  for (const { src } of document.scripts.slice(0, 60)) if (src !== null) host(src, 'resource')
  for (const { href } of document.anchors.slice(0, 100)) host(href, 'link')
  for (const { name, content } of document.metas) {
    if (name === 'og:url') host(content, 'address')
    if (name === 'og:site_name' || name === 'application-name' || name === 'author') lookAt(content, 'address')
    if (name === 'description' || name === 'og:title') lookAt(content, 'copyright')
  }
  // A file or link of the brand's own, an address that claims to be its, or words that only it uses confirm a doubtful word.
  for (const [brand, places] of doubtfulPlaces) for (const place of places) if (placesOf.has(brand)) add(brand, place)
  const sights = [...placesOf].map(([brand, places]) => ({
    brand,
    phrases: [...brand.phrases, ...(doubtfulPlaces.has(brand) ? doubtful(brand) : [])].map(foldPhrase),
    places,
    mentions: 0,
    hasFiles: pictures.has(brand) || icons.has(brand),
    hasIcon: icons.has(brand),
  }))
  const isKnown = ownersOf(page.hostname).length > 0
  const isSame = ownName !== null && identify(page.hostname).owner === identify(ownName.name).owner
  const owner = isKnown || !isSame ? null : findOwner(ownName.name, ownersOf, ownName.seen)
  const atHome = isKnown || owner !== null
  // Files of public services do not show which brand a page uses.
  const shownAs = sights.filter(
    ({ places, hasIcon }) => hasIcon || [...places].some(place => place !== 'link' && place !== 'resource'),
  )
  if (atHome || shownAs.length === 0) return { shown: [], foreign: null, atHome, owner }
  const byWorth = shownAs.sort((one, other) => worth(other) - worth(one))
  return { shown: byWorth, foreign: byWorth[0] ?? null, atHome, owner }
}

/**
 * A file of somebody else on a brand's host. `scontent-fra3-1.xx.fbcdn.net` has pictures of Facebook's users,
 * `www.google.com/s2/favicons` icons of any site.
 */
const isUpload = ({ hostname, pathname }: URL, { uploads }: Brand): boolean =>
  hostname.startsWith('scontent') ||
  pathname.startsWith('/s2/favicons') ||
  uploads.some(domain => hostname === domain || hostname.endsWith(`.${domain}`))

/** The words of a picture's file name: `img/paypal_logo.svg`. */
function fileWords(src: string): string {
  const path = src.split(/[?#]/, 1)[0] ?? ''
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.[a-z]{2,5}$/i, '')
}
