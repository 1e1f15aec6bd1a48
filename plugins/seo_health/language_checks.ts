// Checks of the page's language and of its versions in other languages.
import type { SeoCheck } from './check.ts'
import { resolve, type SeoFacts, samePage } from './facts.ts'
import { isHreflang, isLang } from './language_code.ts'

const badCodes = ({ alternates }: SeoFacts): string[] =>
  alternates.map(({ hreflang }) => hreflang?.trim() ?? '').filter(code => !isHreflang(code))

function lacksSelf({ alternates, canonicals, url }: SeoFacts): boolean {
  const selves = [url, ...canonicals]
  const referenced = alternates.map(({ href }) => resolve(href, url))
  return alternates.length > 0 && !referenced.some(to => to && selves.some(self => self && samePage(to, self)))
}

export const languageChecks: readonly SeoCheck[] = [
  {
    code: 'missing_lang',
    severity: 'warning',
    impact: 4,
    message: 'The page does not declare its language.',
    absence: true,
    test: ({ document }) => !document.lang?.trim(),
  },
  {
    code: 'invalid_lang',
    severity: 'warning',
    impact: 2,
    message: 'The page declares an invalid language.',
    test: ({ document }) => {
      const lang = document.lang?.trim() ?? ''
      return lang !== '' && !isLang(lang) && lang
    },
  },
  {
    code: 'invalid_hreflang',
    severity: 'warning',
    impact: 3,
    message: 'An hreflang value is not a valid language or country.',
    test: facts => badCodes(facts)[0] ?? false,
  },
  {
    code: 'hreflang_without_self',
    severity: 'warning',
    impact: 2,
    message: 'The hreflang alternates do not include the page itself, so search engines ignore them.',
    test: facts => !facts.document.truncated && lacksSelf(facts),
  },
]
