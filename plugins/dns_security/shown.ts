// How much of what a target says is shown.

/** Entries of a list in the answer. */
export const LISTED = 50

/** Code units of a sentence or a single value in the answer. */
const SHOWN = 512
const QUOTED = 80

const cut = (text: string, length: number) => text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')

/** Short enough for the answer, and still well-formed. */
export const shown = (text: string): string => cut(text, SHOWN)

/** Short enough to be quoted in a sentence. */
export const quoted = (text: string): string => `"${text.length > QUOTED ? `${cut(text, QUOTED)}…` : text}"`
