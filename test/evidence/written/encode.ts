// How authors encode markup for a script, and the pages that carry it. A browser gets the markup back sign for sign.

/** Signs outside of ASCII as character references, for means that carry octets. */
export const ascii = (html: string): string =>
  html.replace(/[^\0-\x7f]/gu, sign => `&#x${sign.codePointAt(0)?.toString(16)};`)

export const units = (text: string): readonly number[] =>
  Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))

const hex = (unit: number, digits: number): string => unit.toString(16).padStart(digits, '0')

/** For `atob`, which gives back one sign for each octet. */
export const base64 = (html: string): string => Buffer.from(ascii(html), 'latin1').toString('base64')

export const base64Utf8 = (html: string): string => Buffer.from(html, 'utf8').toString('base64')

/** For `unescape`: every sign is escaped. */
export const escaped = (text: string): string =>
  units(text)
    .map(unit => (unit < 0x100 ? `%${hex(unit, 2)}` : `%u${hex(unit, 4)}`))
    .join('')

/** The content of a JavaScript string in which every sign is an escape. */
export const xEscaped = (html: string): string =>
  units(ascii(html))
    .map(unit => `\\x${hex(unit, 2)}`)
    .join('')

export const uEscaped = (html: string): string =>
  units(html)
    .map(unit => `\\u${hex(unit, 4)}`)
    .join('')

/** Keeps the HTML parser from seeing an end tag or a comment within a script. */
const inScript = (literal: string): string => literal.replaceAll('</', '<\\/').replaceAll('<!--', '<\\!--')

/** A JavaScript string in double quotes. */
export const quoted = (text: string): string => inScript(JSON.stringify(text))

/** A JavaScript string in single quotes. */
export const singleQuoted = (text: string): string =>
  inScript(`'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`)

/** A template literal without expressions. */
export const template = (text: string): string =>
  inScript(`\`${text.replaceAll('\\', '\\\\').replaceAll('`', '\\`').replaceAll('${', '\\${')}\``)

/** Text for an element or an attribute in double quotes. */
export const markupText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

export const pieces = (text: string, size: number): readonly string[] =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size))

/** A page whose body is the markup. It has no title: the first one that is written becomes the page's. */
export const carrier = (body: string, head = ''): string =>
  `<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n${head}</head>\n<body>\n${body}\n</body>\n</html>\n`

export const script = (code: string): string => `<script>\n${code}\n</script>`

/** A page that runs the code while it is parsed. */
export const scripted = (code: string): string => carrier(script(code))

const XHTML = 'http://www.w3.org/1999/xhtml'

/** A well-formed page as XHTML. */
export const asXhtml = (html: string): string =>
  `<?xml version="1.0" encoding="utf-8"?>\n${html.replace('<html', `<html xmlns="${XHTML}"`)}`

/** A well-formed page as an SVG document. */
export function asSvg(html: string): string {
  const within = (name: string): string => new RegExp(`<${name}>([\\s\\S]*)</${name}>`).exec(html)?.[1] ?? ''
  return `<svg xmlns="http://www.w3.org/2000/svg" width="100%" height="100%">
<title>${within('title')}</title>
<foreignObject width="100%" height="100%"><body xmlns="${XHTML}">${within('body')}</body></foreignObject>
</svg>
`
}
