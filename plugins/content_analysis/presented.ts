// Whose page a page says it is: a brand's, or its own. To talk about a brand is not to pose as it.
import type { Brand, Document } from '../../src/engine/plugin.ts'
import { type BrandSight, type Sights, words } from './brand_sights.ts'
import { isLogInOf, logInOf } from './log_in.ts'
import { holdersOf, isHome, type OwnName, ownNameOf, PICTURES, segmentsOf } from './own_name.ts'
import type { PageFacts } from './page_model/facts.ts'
import { productOf } from './products.ts'
import { MAKERS, MEANS } from './roles.ts'
import { fileWords, isBrandsOwn, namesAsOwn } from './said.ts'

/** Ways in which a page presents a brand as its own. */
export const MARKS = {
  login: 'log-in',
  title: 'title',
  heading: 'heading',
  logo: 'logo',
  copyright: 'copyright line',
  files: 'icon or pictures from the brand’s hosts',
  address: 'stated address',
} as const
export type Mark = keyof typeof MARKS

/** The brand as which a page presents itself, and how. */
export interface PresentedBrand {
  readonly brand: Brand
  readonly marks: readonly Mark[]
  /** The name that the page gives itself besides. */
  readonly own: OwnName | null
}

/** What a page says of itself, read once for all brands. Texts are as `words` writes them. */
type PageStatements = ReturnType<typeof statementsOf>

const statementsOf = (document: Document) => ({
  logIn: logInOf(document),
  holders: holdersOf(document),
  titles: [document.title ?? '', ...segmentsOf(document.title ?? '')].map(text => words(text)),
  heading: words(document.headings.find(({ text }) => text !== '')?.text ?? ''),
})

/** The places of pictures that are the brand's logo. */
function logosOf({ look }: Document, sight: BrandSight, page: URL): number[] {
  return (look?.images.slice(0, PICTURES) ?? []).flatMap(({ src, alt, link, at = 0 }) => {
    // A picture that leads to a log-in or a profile at the brand.
    if (MEANS.has(sight.brand.name) && link !== undefined && !isHome(link, page)) return []
    return [words(alt), fileWords(src)].some(text => isBrandsOwn(text, sight)) ? [at] : []
  })
}

function marksOf(
  document: Document,
  page: URL,
  { logIn, holders, titles, heading }: PageStatements,
  sight: BrandSight,
): Mark[] {
  const isMeant = MEANS.has(sight.brand.name)
  const logos = logosOf(document, sight, page)
  const isInside = (at: number) => logIn !== null && at >= logIn.from && at < logIn.to
  const marks: Readonly<Record<Mark, boolean>> = {
    login: logIn !== null && (isLogInOf(logIn, sight) || (!isMeant && logos.some(isInside))),
    title: titles.some(text => isBrandsOwn(text, sight)),
    heading: isBrandsOwn(heading, sight),
    logo: logos.some(at => logIn === null || at < logIn.from || (isInside(at) && !isMeant)),
    copyright: holders.some(text => namesAsOwn(text, sight)),
    files: sight.hasFiles,
    address: sight.places.has('address'),
  }
  return (Object.keys(MARKS) as Mark[]).filter(mark => marks[mark])
}

/** Words and links of a page that has something to read beside its log-in, and of one that has much. */
const MUCH_TO_READ = 150
const OWN_LINKS = 12
const FEW_LINKS = 6
const PORTAL = { words: 500, links: 20 } as const

const ABOUT_SOMETHING = /"@type"\s{0,3}:\s{0,3}"(?:\w{0,20}Article|JobPosting|Review|Product|FAQPage|HowTo)"/

const isReading = ({ document, words, anchors, elements, metas }: PageFacts): boolean =>
  words >= MUCH_TO_READ ||
  anchors.ownTargets >= OWN_LINKS ||
  (elements['time'] ?? 0) > 0 ||
  /article|profile|product/.test(metas.get('og:type') ?? '') ||
  document.json_ld.some(text => ABOUT_SOMETHING.test(text))

/** A paper or portal with much of its own to read and to follow: a log-in among it is its own, a brand in it is news. */
const isPortal = ({ words, anchors }: PageFacts): boolean => words >= PORTAL.words && anchors.ownTargets >= PORTAL.links

/** A page that has little but its log-in. */
const isBare = ({ words, anchors }: PageFacts): boolean => words < MUCH_TO_READ && anchors.ownTargets < FEW_LINKS

/** Marks that no page bears which only talks about a brand. */
const BORROWED_MARKS: ReadonlySet<Mark> = new Set(['copyright', 'files', 'address'])

/** Visitors see the name, and the page gives it in more than one way. */
const isNamed = (own: OwnName | null): boolean => own?.isDrawn === true && own.ways >= 2

/** The page has an identity of its own, and the brand's log-in is not on it. A name that does not fit the host costs nothing. */
function isOwn(facts: PageFacts, own: OwnName | null, marks: readonly Mark[]): boolean {
  if (marks.includes('login') || own === null) return false
  if (own.fitsHost)
    return own.isDrawn || isReading(facts) || !marks.some(mark => mark === 'logo' || mark === 'copyright')
  return isNamed(own) && isReading(facts) && marks.length <= 1 && !marks.some(mark => BORROWED_MARKS.has(mark))
}

/** Enough alone, where nothing else says whose page it is. */
const isTelling = (mark: Mark, { name }: Brand): boolean =>
  mark === 'copyright' || mark === 'files' ? !MAKERS.has(name) : true

/** The page gives a name of its own, not a brand's, that its host's name shares: few kits are made for one host. */
export const fitsItsHost = (document: Document, page: URL, { shown }: Sights): boolean =>
  ownNameOf(document, page, { phrases: shown.flatMap(({ phrases }) => phrases) })?.fitsHost === true

/** Brands that are tried, the one in most places first. */
const BRANDS = 4

/** The brand as which the page presents itself; null if it presents itself as something else, or as nothing. */
export function presentedBrand(facts: PageFacts, page: URL, { shown }: Sights): PresentedBrand | null {
  if (shown.length === 0) return null
  const { document } = facts
  const makers = productOf(document, page)?.makers ?? []
  const statements = statementsOf(document)
  for (const sight of shown.slice(0, BRANDS)) {
    const { brand, places } = sight
    if (makers.includes(brand.name)) continue
    const marks = marksOf(document, page, statements, sight)
    const own = ownNameOf(document, page, sight)
    if (isOwn(facts, own, marks)) continue
    if (!marks.includes('login') && isPortal(facts)) continue
    // A page with much on it has a name, unless it was made to pass as another's.
    const isAlone = isBare(facts) ? own?.fitsHost !== true : own === null && sight.hasIcon
    const telling = marks.filter(mark => isTelling(mark, brand) && (!isNamed(own) || BORROWED_MARKS.has(mark)))
    const enough = marks.length + Number(places.has('title')) >= 2 || (isAlone && telling.length > 0)
    if (marks.includes('title') || (marks.length > 0 && enough)) return { brand, marks, own }
  }
  return null
}
