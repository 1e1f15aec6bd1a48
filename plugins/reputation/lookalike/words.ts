// The lures by strength, and innocent words that are one typo away from a brand.
import { LURE_WORDS, type LureWords } from './lure_words.ts'

const split = (list: string): string[] => list.split(/\s+/).filter(word => word !== '')

const luresThat = (kind: keyof LureWords): ReadonlySet<string> =>
  new Set(Object.values(LURE_WORDS).flatMap(words => split(words[kind])))

export const credentialLures = luresThat('credential')
/** With those that request a log-in. */
export const strongLures: ReadonlySet<string> = new Set([...credentialLures, ...luresThat('strong')])
export const softLures = luresThat('soft')

/** Innocent words, names and companies that resemble a brand. Written without hyphens. */
export const honest: ReadonlySet<string> = new Set(
  split(`
  papal paribus canvas fortune huntingdon dedalus webmonkey mediamart goggle goggles googol amazonia amazonas amazone amazona amazons openal discard discords applied telecom telecoms mobistar easynet
  bigpanda coinmarketcal allpay aipay aliplay aglipay barclay revolt revolute spottily walkmart twister finance netteller finansonline corteos wmtransfer googie googiehost googies
  `),
)

/** Generic parts of brand words; the rest of the word must carry the resemblance. */
const genericParts =
  /bank|post|mail|mobile|online|card|cloud|pass|jet|telecom|express|parcel|market|wallet|games|support/g

/** Number of letters of a brand word that are its own. */
export const ownLetters = (word: string): number => word.replace(genericParts, '').length

/** Brand words that are short or generic but are imitated deliberately. */
export const famous: ReadonlySet<string> = new Set(split('paypal google amazon roblox tiktok github aliexpress'))
