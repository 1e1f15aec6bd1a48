// Language codes as search engines take them: known to the standards, not merely well-formed.

const languages = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })
const regions = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })

/** Language, an optional script, an optional region (BCP 47 as far as it names what a page is written in). */
const TAG = /^([a-z]{2,3})(?:-[a-z]{4})?(?:-([a-z]{2}|[0-9]{3}))?$/i
/** Well-formed and often written, but no country of ISO 3166-1. */
const NO_COUNTRY = new Set(['UK', 'EU', 'UN', 'ZZ', 'XX'])

/** A value of hreflang: `x-default`, a language, or a language of a country. */
export const isHreflang = (code: string): boolean => code.toLowerCase() === 'x-default' || isLanguageTag(code)

export function isLanguageTag(code: string): boolean {
  const [matched, language = '', region = ''] = TAG.exec(code) ?? []
  if (matched === undefined || languages.of(language.toLowerCase()) === undefined) return false
  return region === '' || (!NO_COUNTRY.has(region.toUpperCase()) && regions.of(region.toUpperCase()) !== undefined)
}

/** A value of the lang attribute: any well-formed tag (BCP 47) of a known language. */
export function isLang(code: string): boolean {
  try {
    const { language } = new Intl.Locale(code)
    return languages.of(language) !== undefined
  } catch {
    return false
  }
}
