// What passes for each letter or pair: others of ASCII, Latin letters with marks or of another shape, and letters of other scripts.
import { Type } from 'typebox'
import { dataFile } from '../../base/data_file.ts'
import data from './data/letters.json' with { type: 'json' }

const closed = { additionalProperties: false }
const Replaced = Type.String({ pattern: '^(?:[a-z0-9]|[a-z]{2})$' })
const Letters = Type.Record(Replaced, Type.String({ pattern: '^\\p{L}+$' }), closed)
export const LettersFile = dataFile({
  ascii: Type.Record(
    Replaced,
    Type.Array(Type.String({ pattern: '^[a-z0-9]{1,2}$' }), { minItems: 1, uniqueItems: true }),
    closed,
  ),
  latin: Letters,
  other: Letters,
  cyrillic: Letters,
})

/** By the letter or pair that they replace. */
export type Replacements = ReadonlyMap<string, readonly string[]>

const lettersOf = (table: Readonly<Record<string, string>>): Replacements =>
  new Map(Object.entries(table).map(([replaced, letters]) => [replaced, [...letters]]))

export const asciiReplacements: Replacements = new Map(Object.entries(data.ascii))
export const latinReplacements = lettersOf(data.latin)
export const otherReplacements = lettersOf(data.other)
/** One letter each, for words that are written in Cyrillic whole. */
export const cyrillicLetters: ReadonlyMap<string, string> = new Map(Object.entries(data.cyrillic))
