// Text of any code points, lone surrogates included, and URLs that hold it.
import fc from 'fast-check'

/** fast-check's own `binary` unit keeps a table of all 1,114,112 of them in memory, which takes a second to make. */
const codePoint = fc.integer({ min: 0, max: 0x10ffff }).map(
  point => String.fromCodePoint(point),
  text => {
    if (typeof text !== 'string' || !/^.$/su.test(text)) throw new Error('no single code point')
    return text.codePointAt(0) ?? 0
  },
)

/** As `fc.string` has them. */
export const anyText = (constraints: { readonly minLength?: number; readonly maxLength?: number } = {}) =>
  fc.string({ ...constraints, unit: codePoint })

/** An absolute URL of a site, as a page may write it. `fc.webUrl` keeps that same table. */
export const anyUrl = () =>
  fc
    .tuple(
      fc.constantFrom('http', 'https'),
      fc.domain(),
      fc.constantFrom('', '?', 'a?b=', '#'),
      anyText({ maxLength: 30 }),
    )
    .map(([scheme, host, begin, text]) => `${scheme}://${host}/${begin}${text}`)
    .filter(url => URL.canParse(url))
    .map(url => new URL(url).href)

/** The parts of a text that are written between blanks, and others beside them. */
export const parts = (written: string, ...others: readonly string[]): string[] => [
  ...written.trim().split(/\s+/),
  ...others,
]
