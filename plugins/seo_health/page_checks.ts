// Checks of the page's content.
import type { SeoCheck } from './check.ts'
import { metaOf, type SeoFacts } from './facts.ts'
import { fold, genericTexts } from './phrases.ts'

/** A page with fewer words counts as having no content of its own. */
const FEW_WORDS = 50
/** Minimum share of images without alternative text for an issue. */
const MANY_WITHOUT_ALT = 0.1
/** Length of the longest generic text. Longer texts are not compared; the evidence has its white space folded. */
const GENERIC_LENGTH = Math.max(...[...genericTexts].map(text => text.length))

const count = (number: number, of: number): string | false => number > 0 && `${number} of ${of}`

const headingsOf = ({ document }: SeoFacts, rank: number) => document.headings.filter(({ level }) => level === rank)

const isDrawnByScripts = ({ document: { scripts, word_count } }: SeoFacts): boolean =>
  scripts.length > 0 && word_count < FEW_WORDS

function levelsSkipped({ document: { headings } }: SeoFacts): boolean {
  return headings.some(({ level }, i) => level > (headings[i - 1]?.level ?? level) + 1)
}

/** `width` fits the page to the device; without it phones shrink the desktop layout. */
const fitsDevice = (viewport: string): boolean => /(?:^|[,;\s])(?:width|initial-scale)\s{0,9}=/i.test(viewport)

const isScript = (href: string): boolean => /^javascript:/i.test(href)

export const genericLinks = ({ document: { anchors } }: SeoFacts): number =>
  anchors.filter(({ text }) => text.length <= GENERIC_LENGTH && genericTexts.has(fold(text))).length

export const scriptLinks = ({ document: { anchors } }: SeoFacts): number =>
  anchors.filter(({ href }) => isScript(href)).length

export const pageChecks: readonly SeoCheck[] = [
  {
    code: 'missing_viewport',
    severity: 'warning',
    impact: 8,
    message: 'The page has no viewport, so phones show its desktop layout.',
    absence: true,
    test: ({ document }) => !metaOf(document, 'viewport'),
  },
  {
    code: 'viewport_not_mobile',
    severity: 'warning',
    impact: 5,
    message: 'The viewport sets neither width nor scale.',
    test: ({ document }) => {
      const viewport = metaOf(document, 'viewport')
      return viewport !== null && viewport !== '' && !fitsDevice(viewport)
    },
  },
  {
    code: 'missing_h1',
    severity: 'warning',
    impact: 5,
    message: 'The page has no main heading.',
    absence: true,
    test: facts => headingsOf(facts, 1).length === 0 && (isDrawnByScripts(facts) ? 'before scripts run' : true),
  },
  {
    code: 'empty_h1',
    severity: 'warning',
    impact: 2,
    message: 'The main heading is empty.',
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
    message: 'Heading levels are skipped.',
    test: levelsSkipped,
  },
  {
    code: 'generic_link_text',
    severity: 'info',
    impact: 2,
    message: 'Some links have a generic text.',
    test: facts => count(genericLinks(facts), facts.document.anchors.length),
  },
  {
    code: 'links_not_crawlable',
    severity: 'warning',
    impact: 3,
    message: 'Some links work only by script, so search engines do not follow them.',
    test: facts => count(scriptLinks(facts), facts.document.anchors.length),
  },
  {
    code: 'images_without_alt',
    severity: 'warning',
    impact: 4,
    message: 'Some images have no alternative text.',
    test: ({ document: { images } }) =>
      images.without_alt > images.total * MANY_WITHOUT_ALT && count(images.without_alt, images.total),
  },
  {
    code: 'invalid_structured_data',
    severity: 'warning',
    impact: 4,
    message: 'Structured data (JSON-LD) cannot be parsed.',
    test: ({ structuredData }) => count(structuredData.invalid, structuredData.blocks),
  },
  {
    code: 'meaningless_structured_data',
    severity: 'warning',
    impact: 2,
    message: 'Structured data (JSON-LD) lacks the context of schema.org or a type, so search engines ignore it.',
    test: ({ structuredData }) => count(structuredData.meaningless, structuredData.blocks),
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
