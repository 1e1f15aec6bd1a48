// Limits the text from a target that is shown in a result.
import { truncate } from '../../src/engine/plugin.ts'

/** Maximum entries of a list in the result. */
export const MAX_ENTRIES = 50

/** Code units of a quotation in a sentence. */
const QUOTE_LENGTH = 80

/** Cuts text for quoting in a sentence. */
export const quote = (text: string): string =>
  `"${text.length > QUOTE_LENGTH ? `${truncate(text, QUOTE_LENGTH)}…` : text}"`
