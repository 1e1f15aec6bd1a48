// Checks of the title and description that search results show.
import type { SeoCheck } from './check.ts'
import { metaOf, type SeoFacts } from './facts.ts'
import { fold, placeholderTitles } from './phrases.ts'

/** Title width in letters: shorter ones say little; longer ones are cut off in results (about 600 pixels). */
const TITLE = { min: 10, max: 70 }
/** Description width in letters: shorter ones are replaced, longer ones cut off (about 960 pixels). */
const DESCRIPTION = { min: 50, max: 170 }

/** Texts are measured up to this many characters. */
export const lengthOf = (text: string): number => [...text.slice(0, 2_048)].length

const titleOf = ({ document }: SeoFacts): string => document.title?.trim() ?? ''
/** The different ones: repeating one text harms nobody. */
export const descriptionsOf = ({ document }: SeoFacts): readonly string[] => [
  ...new Set(document.metas.flatMap(({ name, content }) => (name === 'description' ? [content.trim()] : []))),
]
const descriptionOf = ({ document }: SeoFacts): string => metaOf(document, 'description') ?? ''

/** East Asian characters are twice as wide as Latin letters and carry more meaning (Unicode Standard Annex 11). */
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff01-\uff60]/gu

const wideIn = (text: string): number => text.slice(0, 2_048).match(WIDE)?.length ?? 0
const widthOf = (text: string): number => lengthOf(text) + wideIn(text)

const sizeOf = (text: string): string =>
  wideIn(text) > 0
    ? `${lengthOf(text)} characters, as wide as ${widthOf(text)} letters`
    : `${lengthOf(text)} characters`

const tooShort = (text: string, { min }: { min: number }): string | false =>
  text !== '' && widthOf(text) < min && sizeOf(text)
const tooLong = (text: string, { max }: { max: number }): string | false => widthOf(text) > max && sizeOf(text)

export const snippetChecks: readonly SeoCheck[] = [
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
    message: 'The title is a default of the site’s software.',
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
    message: `The title has more than ${TITLE.max} characters, so results cut it off.`,
    test: facts => tooLong(titleOf(facts), TITLE),
  },
  {
    code: 'several_titles',
    severity: 'warning',
    impact: 2,
    message: 'The page has more than one title; search engines read the first.',
    test: ({ document: { titles = 1 } }) => titles > 1 && `${titles} of them`,
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
    message: `The meta description has more than ${DESCRIPTION.max} characters, so results cut it off.`,
    test: facts => tooLong(descriptionOf(facts), DESCRIPTION),
  },
  {
    code: 'several_descriptions',
    severity: 'warning',
    impact: 2,
    message: 'The page has several different meta descriptions.',
    test: facts => descriptionsOf(facts).length > 1 && `${descriptionsOf(facts).length} of them`,
  },
  {
    code: 'description_repeats_title',
    severity: 'info',
    impact: 2,
    message: 'The meta description repeats the title.',
    test: facts => titleOf(facts) !== '' && fold(titleOf(facts)) === fold(descriptionOf(facts)),
  },
]
