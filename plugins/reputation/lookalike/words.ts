// The words beside a brand in deceptive names by strength, and innocent words that are one typo away from a brand.
import { dataFile, type Static, TextList, Type } from '../../../src/engine/plugin.ts'
import data from '../data/lure_words.json' with { type: 'json' }

const Letters = Type.Array(Type.String({ pattern: '^[a-z]+$' }), { uniqueItems: true })

/** Words as host names write them, without accents. Of at least three letters, unless they are as frequent as `my`. */
const LureWords = Type.Object(
  {
    credential: Letters,
    strong: Letters,
    soft: Letters,
  },
  { additionalProperties: false },
)
type LureWords = Static<typeof LureWords>

export const LureWordsFile = dataFile({
  languages: Type.Record(Type.String({ pattern: '^([a-z]{2}|other)$' }), LureWords, { additionalProperties: false }),
  honest: TextList,
  famous: TextList,
})
const { languages, honest: innocent, famous: imitatedNames } = data as Static<typeof LureWordsFile>

/** Those of one kind in all languages. */
export const lureWords = (kind: keyof LureWords): readonly string[] =>
  Object.values(languages).flatMap(words => words[kind])
const luresThat = (kind: keyof LureWords): ReadonlySet<string> => new Set(lureWords(kind))

/** They request a log-in: with them, even an everyday word means the brand. */
export const credentialLures = luresThat('credential')
/** They request money, a secret or an action, or address customers; those that request a log-in are among them. */
export const strongLures: ReadonlySet<string> = new Set([...credentialLures, ...luresThat('strong')])
/** Official-sounding words; honest sites use them too. */
export const softLures = luresThat('soft')

/** Innocent words, names and companies that resemble a brand. Written without hyphens. */
export const honest: ReadonlySet<string> = new Set(innocent)

/** Generic parts of brand words; the rest of the word must carry the resemblance. */
const genericParts =
  /bank|post|mail|mobile|online|card|cloud|pass|jet|telecom|express|parcel|market|wallet|games|support/g

/** Number of letters of a brand word that are its own. */
export const ownLetters = (word: string): number => word.replace(genericParts, '').length

/** Brand words that are short or generic but are imitated deliberately. */
export const famous: ReadonlySet<string> = new Set(imitatedNames)
