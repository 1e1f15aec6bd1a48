// The places on a page that show a brand, and whether the page is on one of the brand's own domains.
import { type Brand, brands, type Document, indexOwners, type OwnersOf } from '../../src/engine/plugin.ts'
import { isHttp, resolveUrl } from './text.ts'

/** Letters of other scripts that look Latin. Phishing pages use them so that people can read them and filters cannot. */
const LOOK_ALIKES: Readonly<Record<string, string>> = Object.fromEntries(
  'аa вb сc ԁd еe ցg һh іi јj кk мm пn оo рp ԛq ѕs тt уy хx ԝw ѵv αa βb εe ιi κk νv οo ρp τt υu ιi ıi ɡg'
    .split(' ')
    .map(([other = '', latin = '']) => [other, latin]),
)

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

interface Phrases {
  /** By first word: the phrase between spaces, and its brand. */
  readonly byWord: ReadonlyMap<string, readonly (readonly [phrase: string, brand: Brand])[]>
  /** Phrases in scripts without spaces between words. */
  readonly unparted: readonly (readonly [phrase: string, brand: Brand])[]
}

const UNPARTED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u

function indexed(list: readonly Brand[]): Phrases {
  const all = list
    .filter(({ family }) => !family)
    .flatMap(brand => brand.phrases.map(one => [words(one), brand] as const))
  const byWord = new Map<string, (readonly [string, Brand])[]>()
  for (const entry of all.filter(([phrase]) => !UNPARTED.test(phrase))) {
    const first = entry[0].slice(1, entry[0].indexOf(' ', 1))
    byWord.set(first, [...(byWord.get(first) ?? []), entry])
  }
  return {
    byWord,
    unparted: all.filter(([phrase]) => UNPARTED.test(phrase)).map(([phrase, brand]) => [phrase.trim(), brand]),
  }
}

interface Index {
  readonly phrases: Phrases
  readonly ownersOf: OwnersOf
}

const indexes = new WeakMap<readonly Brand[], Index>()

/** The phrases of these brands, and the owners among them and the known ones. Indexed for the first page. */
function indexFor(list: readonly Brand[]): Index {
  const index = indexes.get(list) ?? {
    phrases: indexed(list),
    ownersOf: indexOwners(list === brands ? brands : [...list, ...brands]),
  }
  indexes.set(list, index)
  return index
}

/** The brands that a text names, each once, in text order. `said` is the output of `words`. */
function namedIn(said: string, { byWord, unparted }: Phrases): Brand[] {
  const found = new Set<Brand>()
  for (let at = 0; at < said.length - 1; ) {
    const end = said.indexOf(' ', at + 1)
    if (end < 0) break
    const entries = byWord.get(said.slice(at + 1, end))
    if (entries !== undefined) for (const [phrase, brand] of entries) if (said.startsWith(phrase, at)) found.add(brand)
    at = end
  }
  for (const [phrase, brand] of unparted) if (said.includes(phrase)) found.add(brand)
  return [...found]
}

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
export type Place = (typeof PLACES)[number]

export interface BrandSight {
  readonly brand: Brand
  readonly places: ReadonlySet<Place>
  /** Mentions in visible text. */
  readonly mentions: number
}

export interface Sights {
  /** The brand that the page shows in most places, unless the page is on a domain of a brand that it shows; or null. */
  readonly foreign: BrandSight | null
  /** The page is on a domain of a known brand. */
  readonly atHome: boolean
}

/** Places that present a brand as the page's own, as opposed to mentions. */
const WORTH: Readonly<Record<Place, number>> = {
  ...{ title: 4, heading: 2, text: 1, image: 2, resource: 3, link: 1, address: 4, copyright: 3, button: 2 },
}

const worth = ({ places }: BrandSight): number => [...places].reduce((sum, place) => sum + WORTH[place], 0)

/** `others`: an operator's own brands, beside the known ones. */
export function seeBrands(document: Document, page: URL, others: readonly Brand[]): Sights {
  const known = indexFor(brands)
  const own = others.length === 0 ? null : indexFor(others)
  const { ownersOf } = own ?? known
  const seen = new Map<Brand, Set<Place>>()
  const add = (brand: Brand, place: Place) => {
    const places = seen.get(brand)
    if (places) places.add(place)
    else seen.set(brand, new Set([place]))
  }
  const read = (text: string, place: Place, length?: number) => {
    const said = words(text, length)
    if (said === '  ') return
    for (const brand of [...(own ? namedIn(said, own.phrases) : []), ...namedIn(said, known.phrases)]) add(brand, place)
  }
  const origin = `${page.origin}/`
  const host = (address: string, place: Place) => {
    // Most links lead to the page's own host: to read each as a URL would cost as much as the rest.
    if (address.startsWith(origin)) return
    const url = resolveUrl(address, page.href)
    if (url === null || !isHttp(url) || url.hostname === page.hostname) return
    const brand = ownersOf(url.hostname).find(({ family }) => !family)
    if (brand) add(brand, place)
  }
  const { look } = document
  const shown = look?.shown ?? document.text
  read(document.title ?? '', 'title')
  for (const { text } of document.headings.slice(0, 20)) read(text, 'heading')
  read(shown, 'text', TEXT_LENGTH)
  for (const line of shown.match(/(?:©|\(c\)|copyright)[^.|]{0,80}/gi)?.slice(0, 4) ?? []) read(line, 'copyright')
  for (const { src, alt } of look?.images.slice(0, 40) ?? []) {
    read(alt, 'image')
    read(fileWords(src), 'image')
    host(src, 'resource')
  }
  for (const text of look?.buttons.slice(0, 16) ?? []) read(text, 'button')
  for (const { href, rel } of document.links.slice(0, 60)) {
    if (rel.includes('canonical')) host(href, 'address')
    else if (rel.some(one => one === 'stylesheet' || one === 'icon' || one === 'shortcut')) host(href, 'resource')
  }
  for (const { src } of document.scripts.slice(0, 60)) if (src !== null) host(src, 'resource')
  for (const { href } of document.anchors.slice(0, 100)) host(href, 'link')
  for (const { name, content } of document.metas) {
    if (name === 'og:url') host(content, 'address')
    if (name === 'og:site_name' || name === 'application-name' || name === 'author') read(content, 'address')
    if (name === 'description' || name === 'og:title') read(content, 'copyright')
  }
  const sights = [...seen].map(([brand, places]) => ({ brand, places, mentions: 0 }))
  const atHome = ownersOf(page.hostname).length > 0
  // Files of public services do not show which brand a page uses.
  const shownAs = sights.filter(({ places }) => [...places].some(place => place !== 'link' && place !== 'resource'))
  if (atHome || shownAs.length === 0) return { foreign: null, atHome }
  const [most] = shownAs.sort((one, other) => worth(other) - worth(one))
  return { foreign: most ?? null, atHome }
}

/** The words of a picture's file name: `img/paypal_logo.svg`. */
function fileWords(src: string): string {
  const path = src.split(/[?#]/, 1)[0] ?? ''
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.[a-z]{2,5}$/i, '')
}
