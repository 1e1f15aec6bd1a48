// Words of titles, headings and logos that say what a page is for and not whose it is, in the languages of the lures.
import { dataFile, TextList, Type } from '../../src/engine/plugin.ts'
import data from './data/generic_words.json' with { type: 'json' }

/** Lower case, without accents, as `words` writes them. */
export const GenericWordsFile = dataFile({
  generic: Type.Array(
    Type.Object({ about: Type.String({ minLength: 1 }), words: TextList }, { additionalProperties: false }),
    { minItems: 1 },
  ),
  talk: TextList,
})

/** Beside a brand, these leave the brand as what the text presents. */
export const GENERIC: ReadonlySet<string> = new Set(data.generic.flatMap(({ words }) => words))

/** Words with which a text speaks about a brand, as reviews, offers, jobs and instructions do. */
export const TALK: ReadonlySet<string> = new Set(data.talk)
