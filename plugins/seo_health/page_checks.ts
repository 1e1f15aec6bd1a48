// What a search engine shows of the page, and what it understands of it.
import type { Check } from './check.ts'
import { type Facts, metaOf, resolve, samePage } from './facts.ts'
import { isHreflang, isLang } from './language_code.ts'
import { genericTexts, placeholderTitles } from './phrases.ts'

/** Characters of a title: shorter ones say little, longer ones are cut in results (about 600 pixels). */
const TITLE = { min: 10, max: 70 }
/** Characters of a description: shorter ones are replaced, longer ones cut (about 960 pixels). */
const DESCRIPTION = { min: 50, max: 170 }
/** Words below which a page is said to have no content of its own. */
const FEW_WORDS = 50
/** Share of images without an alternative text from which it is a habit. */
const MANY_WITHOUT_ALT = 0.1

/** In characters; what is far too long is not counted to its end. */
export const lengthOf = (text: string): number => [...text.slice(0, 2_048)].length
const fold = (text: string): string => text.trim().replace(/\s+/g, ' ').toLowerCase()

const titleOf = ({ document }: Facts): string => document.title?.trim() ?? ''
const descriptionOf = ({ document }: Facts): string => metaOf(document, 'description') ?? ''
const count = (number: number, of: number): string | false => number > 0 && `${number} of ${of}`

const tooShort = (text: string, { min }: { min: number }): string | false =>
  text !== '' && lengthOf(text) < min && `${lengthOf(text)} characters`
const tooLong = (text: string, { max }: { max: number }): string | false =>
  lengthOf(text) > max && `${lengthOf(text)} characters`

const headingsOf = ({ document }: Facts, wanted: number) => document.headings.filter(({ level }) => level === wanted)

function levelsSkipped({ document: { headings } }: Facts): boolean {
  return headings.some(({ level }, i) => level > (headings[i - 1]?.level ?? level) + 1)
}

/** `width` makes the page as wide as the device; without it phones show a desktop's page made small. */
const fitsDevice = (viewport: string): boolean => /(?:^|[,;\s])(?:width|initial-scale)\s{0,9}=/i.test(viewport)

const badCodes = ({ alternates }: Facts): string[] =>
  alternates.map(({ hreflang }) => hreflang?.trim() ?? '').filter(code => !isHreflang(code))

function lacksSelf({ alternates, canonicals, url }: Facts): boolean {
  const selves = [url, ...canonicals]
  const referenced = alternates.map(({ href }) => resolve(href, url))
  return alternates.length > 0 && !referenced.some(to => to && selves.some(self => self && samePage(to, self)))
}

const isScript = (href: string): boolean => href.slice(0, 11).toLowerCase() === 'javascript:'

export const genericLinks = ({ document: { anchors } }: Facts): number =>
  anchors.filter(({ text }) => text.length <= 40 && genericTexts.has(fold(text))).length

export const scriptLinks = ({ document: { anchors } }: Facts): number =>
  anchors.filter(({ href }) => isScript(href)).length

export const pageChecks: readonly Check[] = [
  {
    code: 'missing_title',
    severity: 'error',
    impact: 15,
    message: 'The page has no title.',
    absence: true,
    test: facts => titleOf(facts) === '',
  },
  {
    code: 'placeholder_title',
    severity: 'warning',
    impact: 6,
    message: 'The title is the one that a tool leaves.',
    test: facts => placeholderTitles.has(fold(titleOf(facts).slice(0, 40))) && titleOf(facts),
  },
  {
    code: 'title_too_short',
    severity: 'warning',
    impact: 3,
    message: `The title has fewer than ${TITLE.min} characters.`,
    test: facts => tooShort(titleOf(facts), TITLE),
  },
  {
    code: 'title_too_long',
    severity: 'info',
    impact: 2,
    message: `The title has more than ${TITLE.max} characters, and results show it cut.`,
    test: facts => tooLong(titleOf(facts), TITLE),
  },
  {
    code: 'missing_description',
    severity: 'warning',
    impact: 8,
    message: 'The page has no meta description.',
    absence: true,
    test: facts => descriptionOf(facts) === '',
  },
  {
    code: 'description_too_short',
    severity: 'info',
    impact: 2,
    message: `The meta description has fewer than ${DESCRIPTION.min} characters.`,
    test: facts => tooShort(descriptionOf(facts), DESCRIPTION),
  },
  {
    code: 'description_too_long',
    severity: 'info',
    impact: 1,
    message: `The meta description has more than ${DESCRIPTION.max} characters, and results show it cut.`,
    test: facts => tooLong(descriptionOf(facts), DESCRIPTION),
  },
  {
    code: 'description_repeats_title',
    severity: 'info',
    impact: 2,
    message: 'The meta description says what the title says.',
    test: facts => titleOf(facts) !== '' && fold(titleOf(facts)) === fold(descriptionOf(facts)),
  },
  {
    code: 'missing_viewport',
    severity: 'warning',
    impact: 8,
    message: 'The page has no viewport: phones show it as a desktop would.',
    absence: true,
    test: ({ document }) => !metaOf(document, 'viewport'),
  },
  {
    code: 'viewport_not_mobile',
    severity: 'warning',
    impact: 5,
    message: 'The viewport sets neither a width nor a scale.',
    test: ({ document }) => {
      const viewport = metaOf(document, 'viewport')
      return viewport !== null && viewport !== '' && !fitsDevice(viewport)
    },
  },
  {
    code: 'missing_lang',
    severity: 'warning',
    impact: 4,
    message: 'The page does not say which language it is in.',
    absence: true,
    test: ({ document }) => !document.lang?.trim(),
  },
  {
    code: 'invalid_lang',
    severity: 'warning',
    impact: 2,
    message: 'The language that the page names is none.',
    test: ({ document }) => {
      const lang = document.lang?.trim() ?? ''
      return lang !== '' && !isLang(lang) && lang
    },
  },
  {
    code: 'invalid_hreflang',
    severity: 'warning',
    impact: 3,
    message: 'An alternate names no language or country that exists.',
    test: facts => badCodes(facts)[0] ?? false,
  },
  {
    code: 'hreflang_without_self',
    severity: 'warning',
    impact: 2,
    message: 'The alternates do not name the page itself, and search engines pass them over.',
    test: facts => !facts.document.truncated && lacksSelf(facts),
  },
  {
    code: 'missing_h1',
    severity: 'warning',
    impact: 5,
    message: 'The page has no main heading.',
    absence: true,
    test: facts => headingsOf(facts, 1).length === 0,
  },
  {
    code: 'empty_h1',
    severity: 'warning',
    impact: 2,
    message: 'The main heading has no text.',
    test: facts => headingsOf(facts, 1).length > 0 && headingsOf(facts, 1).every(({ text }) => text.trim() === ''),
  },
  {
    code: 'several_h1',
    severity: 'info',
    impact: 1,
    message: 'The page has more than one main heading.',
    test: facts => headingsOf(facts, 1).length > 1 && `${headingsOf(facts, 1).length} of them`,
  },
  {
    code: 'heading_levels_skipped',
    severity: 'info',
    impact: 1,
    message: 'A heading is more than one level below the one before it.',
    test: levelsSkipped,
  },
  {
    code: 'generic_link_text',
    severity: 'info',
    impact: 2,
    message: 'Links say nothing about where they lead.',
    test: facts => count(genericLinks(facts), facts.document.anchors.length),
  },
  {
    code: 'links_not_crawlable',
    severity: 'warning',
    impact: 3,
    message: 'Links are scripts, which search engines do not follow.',
    test: facts => count(scriptLinks(facts), facts.document.anchors.length),
  },
  {
    code: 'images_without_alt',
    severity: 'warning',
    impact: 4,
    message: 'Images have no alternative text.',
    test: ({ document: { images } }) =>
      images.without_alt > images.total * MANY_WITHOUT_ALT && count(images.without_alt, images.total),
  },
  {
    code: 'invalid_structured_data',
    severity: 'warning',
    impact: 4,
    message: 'Structured data (JSON-LD) cannot be parsed.',
    test: ({ structured }) => count(structured.invalid, structured.blocks),
  },
  {
    code: 'little_text',
    severity: 'info',
    impact: 3,
    message: `Without scripts the page has fewer than ${FEW_WORDS} words.`,
    absence: true,
    test: ({ document }) => document.word_count < FEW_WORDS && `${document.word_count} words`,
  },
  {
    code: 'not_utf8',
    severity: 'info',
    impact: 1,
    message: 'The page is not encoded in UTF-8.',
    test: ({ document }) => document.charset.toLowerCase() !== 'utf-8' && document.charset,
  },
]
