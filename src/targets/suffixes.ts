// Suffixes under which a name costs next to nothing.
import { dataFile, TextList } from '../base/data_file.ts'
import data from './data/abused_suffixes.json' with { type: 'json' }

export const AbusedSuffixesFile = dataFile({ suffixes: TextList })
export const abusedSuffixes: readonly string[] = data.suffixes
const ABUSED_SUFFIXES: ReadonlySet<string> = new Set(abusedSuffixes)

/** Whether the last label of the name is such a top-level domain. */
export const isAbusedSuffix = (name: string): boolean => ABUSED_SUFFIXES.has(name.slice(name.lastIndexOf('.') + 1))
