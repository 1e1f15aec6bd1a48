// Limits the text from a target that is shown in a result.
import { truncate } from '../../src/engine/plugin.ts'

/** Maximum entries of a list in the result. */
export const LISTED = 50

/** Code units of a quotation in a sentence. */
const QUOTED = 80

/** Cuts text for quoting in a sentence. */
export const quoted = (text: string): string => `"${text.length > QUOTED ? `${truncate(text, QUOTED)}…` : text}"`
