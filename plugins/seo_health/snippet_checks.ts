// What search results show of the page: its title and its description.
import type { Check } from './check.ts'
import { type Facts, metaOf } from './facts.ts'
import { fold, placeholderTitles } from './phrases.ts'

/** Characters of a title: shorter ones say little, longer ones are cut in results (about 600 pixels). */
const TITLE = { min: 10, max: 70 }
/** Characters of a description: shorter ones are replaced, longer ones cut (about 960 pixels). */
const DESCRIPTION = { min: 50, max: 170 }

/** In characters; what is far too long is not counted to its end. */
export const lengthOf = (text: string): number => [...text.slice(0, 2_048)].length

const titleOf = ({ document }: Facts): string => document.title?.trim() ?? ''
const descriptionOf = ({ document }: Facts): string => metaOf(document, 'description') ?? ''

const tooShort = (text: string, { min }: { min: number }): string | false =>
  text !== '' && lengthOf(text) < min && `${lengthOf(text)} characters`
const tooLong = (text: string, { max }: { max: number }): string | false =>
  lengthOf(text) > max && `${lengthOf(text)} characters`

export const snippetChecks: readonly Check[] = [
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
]
