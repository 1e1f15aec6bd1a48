// What a short text of a page says of a brand: that it is its name, or a means, or what is talked about.
import { type BrandSight, words } from './brand_sights.ts'
import { GENERIC, TALK } from './generic_words.ts'

/** How a page may write a brand. */
export type SightPhrases = Pick<BrandSight, 'phrases'>

/** A text in a script without spaces is one word. */
const SPACELESS_SCRIPT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

/** Whether a text has one of the phrases. */
export const names = (text: string, { phrases }: SightPhrases): boolean => phrases.some(phrase => text.includes(phrase))

/** A text without the brand's phrases and without what any page says. */
export function restOf(text: string, { phrases }: SightPhrases): string[] {
  let rest = text
  for (const phrase of [...phrases].sort((one, other) => other.length - one.length)) rest = rest.replaceAll(phrase, ' ')
  return rest
    .split(' ')
    .filter(word => word.length > 1 && !GENERIC.has(word) && !/^\d+$/.test(word) && !SPACELESS_SCRIPT.test(word))
}

/** The text is the brand's name, with only what any page says beside it. */
export const isBrandsOwn = (text: string, brand: SightPhrases): boolean =>
  names(text, brand) && restOf(text, brand).length === 0 && !text.split(' ').some(word => TALK.has(word))

/** Words that make a brand the means: `continue with Google`, `pay by PayPal`, `weiter mit Apple`. */
const MEANS =
  /(?:^| )(?:with|via|using|through|mit|uber|avec|con|com|met|med|przez|через|с помощью|by|ile|follow|join|share|like|available|over|such as)(?: (?:your|ihrem|deinem|votre|ton|tu|su|sua|the|a))? $/

/** The brand is named, and not as a means to log in or to pay. */
export function namesAsOwn(text: string, { phrases }: SightPhrases): boolean {
  return phrases.some(needle => {
    for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + 1))
      if (!isMeans(text.slice(Math.max(0, at - 40), at + 1))) return true
    return false
  })
}

/** A text that leads to a brand makes it the means. */
export const isMeans = (lead: string): boolean => MEANS.test(lead)

/** What a file name says: `PayPalLogo.svg`. */
export const fileWords = (src: string): string => {
  const path = src.split(/[?#]/, 1)[0] ?? ''
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.[a-z]{2,5}$/i, '')
  return words(name.replace(/([a-z])([A-Z])/g, '$1 $2'))
}
