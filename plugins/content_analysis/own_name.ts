// The name that a page gives itself, where it is not a brand's: in its title and metas, copyright line, logo and links home.
import { type Document, identify } from '../../src/engine/plugin.ts'
import { words } from './brand_sights.ts'
import { GENERIC } from './generic_words.ts'
import { fileWords, names, restOf, type SightPhrases } from './said.ts'
import { isHttp, resolveUrl } from './text.ts'

/** The name that a page gives itself. */
export interface OwnName {
  readonly name: string
  /** Visitors see it: in a copyright line, or as a logo or link to the front page. */
  readonly isDrawn: boolean
  /** The host's name shares its words or initials. */
  readonly fitsHost: boolean
  /** In how many ways the page gives it. */
  readonly ways: number
}

/** Pictures of a page that are read for a logo. */
export const PICTURES = 24
const LINKS = 20
const SEGMENTS = 6
const TITLE = 256
/** Longer texts are no names. */
const WORDS = 12

const separators = /\s[-–—|·•:»«›‹/~]+\s|[|·•»«›‹]|::|:\s|\s-|—|–/u

/** The parts of a title: `Log in – The Tannet Courier`. */
export const segmentsOf = (title: string): string[] =>
  title
    .slice(0, TITLE)
    .split(separators)
    .map(one => one.trim())
    .filter(one => one !== '')
    .slice(0, SEGMENTS)

const LINE = /[©]|\(c\)|copyright/gi
const HOLDER =
  /^(?:©|\(c\)|copyright)\s{0,3}(?:©|\(c\))?\s{0,3}(?:\d{4}\s{0,2}(?:[-–,]\s{0,2}\d{4})?)?[\s,.:–-]{0,4}(?:by )?([^.|©]{1,80})/i
const LINE_LENGTH = 120
const LINES = 4

/** Who owns the rights, as copyright lines say. */
export function holdersOf({ look, text }: Document): string[] {
  const visibleText = look?.shown ?? text
  const holders: string[] = []
  for (const { index } of visibleText.matchAll(LINE)) {
    const holder = HOLDER.exec(visibleText.slice(index, index + LINE_LENGTH))?.[1]?.trim() ?? ''
    if (holder !== '') holders.push(words(holder))
    if (holders.length === LINES) break
  }
  return holders
}

/** Whether a link leads to the front page of the page’s own host. */
export function isHome(href: string, page: URL): boolean {
  const url = resolveUrl(href, page.href)
  if (url === null || !isHttp(url) || url.hostname !== page.hostname || url.hash !== '') return false
  return /^\/(?:index\.\w{3,5})?$/.test(url.pathname)
}

const compact = (text: string): string => text.replaceAll(' ', '')
const tokens = (text: string): string[] => text.split(' ').filter(one => one.length > 2 && !GENERIC.has(one))
const initials = (text: string): string =>
  text
    .trim()
    .split(' ')
    .map(one => one.charAt(0))
    .join('')

/** Letters in which a word of a name and of its host agree: `northern` and `north`. */
const STEM = 5
const SHORTEST = { name: 3, host: 4, word: 4 } as const

/** `label`: the words of the host's own label. */
function fits(text: string, label: string): boolean {
  const own = compact(label)
  const name = compact(text)
  if (name.length >= SHORTEST.name && own.includes(name)) return true
  if (name.length >= SHORTEST.name && own.length >= SHORTEST.host && name.includes(own)) return true
  const letters = initials(text)
  if (letters.length >= SHORTEST.name && (own.startsWith(letters) || own.endsWith(letters))) return true
  const parts = label.split(' ').filter(part => part.length >= STEM)
  return tokens(text).some(
    one => isWithin(one, own) || (one.length >= STEM && parts.some(part => part.startsWith(one.slice(0, STEM)))),
  )
}

const isWithin = (word: string, label: string): boolean => word.length >= SHORTEST.word && label.includes(word)

/** The words of the host's own label: `harbour news` of `www.harbour-news.com`. */
function labelOf(host: string): string {
  const { owner, suffix } = identify(host)
  return words(owner.slice(0, -suffix.length - 1) || owner)
}

interface StatedName {
  readonly way: 'title' | 'site' | 'holder' | 'logo'
  readonly isDrawn: boolean
  readonly said: string
}

/** Names as the page gives them, whosever they are. */
function givenNames(document: Document, page: URL, label: string, brands: SightPhrases): StatedName[] {
  const ofWay = (way: StatedName['way'], isDrawn: boolean) => (text: string) => ({ way, isDrawn, said: text })
  // A script can print the name of whatever host it is on, where nobody reads it.
  const { owner } = identify(page.hostname)
  const without = (text: string): string => words(text.toLowerCase().replaceAll(owner, ' '))
  const segments = segmentsOf(document.title ?? '')
  // Where a title names the brand and the host, as in `Is it on Netflix? Log in to JustWatch`, the host's word is the name.
  const hosts = restOf(without(document.title ?? ''), brands).filter(one => isWithin(one, compact(label)))
  const ends = segments.length < 2 ? [] : [segments.at(-1) ?? '', segments[0] ?? '']
  const metas = document.metas.filter(({ name }) => name === 'og:site_name' || name === 'application-name')
  const logos = (document.look?.images.slice(0, PICTURES) ?? [])
    .filter(({ link }) => link !== undefined && isHome(link, page))
    .map(({ src, alt }) => (alt === '' ? fileWords(src) : words(alt)))
  const visibleText = document.look?.shown ?? document.text
  // A link that a style hides shows nothing.
  const links = document.anchors
    .slice(0, LINKS)
    .filter(({ href, text }) => text !== '' && isHome(href, page) && visibleText.includes(text))
  return [
    ...[...ends, ...hosts].map(text => ofWay('title', false)(without(text))),
    ...metas.map(({ content }) => ofWay('site', false)(without(content))),
    ...holdersOf(document).map(ofWay('holder', true)),
    ...[...logos, ...links.map(({ text }) => words(text))].map(ofWay('logo', true)),
  ]
}

/** The name that the page gives itself in most ways; none of the brands' is. */
export function ownNameOf(document: Document, page: URL, brands: SightPhrases): OwnName | null {
  const host = labelOf(page.hostname)
  // The name of a host that imitates the brand was made for the page.
  const label = brands.phrases.some(phrase => isWithin(compact(phrase), compact(host))) ? '' : host
  const ownNames = givenNames(document, page, label, brands).filter(
    ({ said }) => !names(said, brands) && tokens(said).length > 0 && said.split(' ').length <= WORDS,
  )
  const matches = ownNames.map(({ said }) => {
    const own = new Set(tokens(said))
    const same = ownNames.filter(
      one => tokens(one.said).some(token => own.has(token)) || compact(one.said) === compact(said),
    )
    return {
      name: said.trim(),
      isDrawn: same.some(({ isDrawn }) => isDrawn),
      fitsHost: label !== '' && same.some(one => fits(one.said, label)),
      ways: new Set(same.map(({ way }) => way)).size,
    }
  })
  const worth = ({ isDrawn, fitsHost, ways }: OwnName) => Number(isDrawn) * 2 + Number(fitsHost) * 2 + ways
  return matches.sort((one, other) => worth(other) - worth(one))[0] ?? null
}
