// Checks of the page's language and of its versions in other languages.
import type { SeoCheck } from './check.ts'
import { resolve, type SeoFacts, samePage } from './facts.ts'

const badCodes = ({ alternates }: SeoFacts): string[] =>
  alternates.map(({ hreflang }) => hreflang?.trim() ?? '').filter(code => !isHreflang(code))

function lacksSelf({ alternates, canonicals, url }: SeoFacts): boolean {
  const selves = [url, ...canonicals]
  const alternateUrls = alternates.map(({ href }) => resolve(href, url))
  return alternates.length > 0 && !alternateUrls.some(to => to && selves.some(self => self && samePage(to, self)))
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

// Language codes as search engines accept them: registered, not merely well-formed.
/** Made when it is first needed, because few pages need it and every start would. */
const displayNames: Partial<Record<'language' | 'region', Intl.DisplayNames>> = {}

function isRegistered(type: keyof typeof displayNames, code: string): boolean {
  displayNames[type] ??= new Intl.DisplayNames(['en'], { type, fallback: 'none' })
  return displayNames[type].of(code) !== undefined
}

/** Language, optional script, optional region (the relevant part of BCP 47). */
const TAG = /^([a-z]{2,3})(?:-[a-z]{4})?(?:-([a-z]{2}|[0-9]{3}))?$/i
/** Well-formed and common, but not a country of ISO 3166-1. */
const NO_COUNTRY = new Set(['UK', 'EU', 'UN', 'ZZ', 'XX'])

/** A value of hreflang: `x-default`, a language, or a language with a country. */
export const isHreflang = (code: string): boolean => code.toLowerCase() === 'x-default' || isLanguageTag(code)

export function isLanguageTag(code: string): boolean {
  const [match, language = '', region = ''] = TAG.exec(code) ?? []
  if (match === undefined || !isRegistered('language', language.toLowerCase())) return false
  return region === '' || (!NO_COUNTRY.has(region.toUpperCase()) && isRegistered('region', region.toUpperCase()))
}

/** A value of the lang attribute: any well-formed BCP 47 tag of a registered language. */
export function isLang(code: string): boolean {
  try {
    const { language } = new Intl.Locale(code)
    return isRegistered('language', language)
  } catch {
    return false
  }
}
