// Finds syntax errors and duplicate keys in JSON (RFC 8259), and takes comments out of configurations. `JSON.parse` quotes the text in its errors, which may be a
// secret, and silently keeps the last of two members.

/** One token after white space; a string is one token. */
const TOKEN =
  /[ \t\n\r]*(?:("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\],:])/y

interface Level {
  /** The names of an object; null for an array. */
  readonly names: Set<string> | null
  /** The current name or index. */
  at: string | number
}

/** What may come next: `first` is a value or name, or the end of an empty object or array. */
type Expected = 'value' | 'first' | 'name' | 'colon' | 'next' | 'end'

/** Strings, which are left as they are, and comments as in JavaScript. */
const STRING_OR_COMMENT = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n\r]*|\/\*[\s\S]*?\*\//g

/** The text with spaces for its comments, so that every position stays. */
export const withoutComments = (text: string): string =>
  text.replace(STRING_OR_COMMENT, part => (part.startsWith('"') ? part : part.replace(/[^\n\r]/g, ' ')))

/** `value` is the parsed text. Throws an `Error` with the position and without quoting the text. */
export function parseJson(text: string): { readonly value: unknown; readonly repeated: readonly string[] } {
  const { repeated, broken_at } = scanJson(text)
  try {
    return { value: JSON.parse(text) as unknown, repeated }
  } catch {
    throw new Error(`is not valid JSON (${placeOf(text, broken_at ?? text.length)})`)
  }
}

/** `repeated` holds dotted paths; `broken_at` is the first invalid character, or null when the text is valid. */
export function scanJson(text: string): { repeated: string[]; broken_at: number | null } {
  const levels: Level[] = []
  const repeatedNames: string[] = []
  let expected: Expected = 'value'
  let end = 0
  while (expected !== 'end') {
    TOKEN.lastIndex = end
    const match = TOKEN.exec(text)
    const token = match?.[0].trimStart()
    const level = levels.at(-1)
    const next: Expected | null = token === undefined ? null : follow(token, expected, level, levels)
    if (match === null || token === undefined || next === null)
      return { repeated: repeatedNames, broken_at: textFrom(text, end) }
    if (next === 'colon' && level?.names) {
      level.at = JSON.parse(token) as string
      if (level.names.has(level.at)) repeatedNames.push(levels.map(({ at }) => at).join('.'))
      level.names.add(level.at)
    }
    expected = next
    end = TOKEN.lastIndex
  }
  const rest = textFrom(text, end)
  return { repeated: repeatedNames, broken_at: rest < text.length ? rest : null }
}

/** What may come after the token; null when the token is not allowed there. Opens and closes levels. */
function follow(token: string, expected: Expected, level: Level | undefined, levels: Level[]): Expected | null {
  const isObject = level?.names != null
  const closing = isObject ? '}' : ']'
  if (token === closing && (expected === 'next' || expected === 'first')) {
    levels.pop()
    return levels.length === 0 ? 'end' : 'next'
  }
  if (expected === 'next') {
    if (token !== ',') return null
    if (typeof level?.at === 'number') level.at++
    return isObject ? 'name' : 'value'
  }
  if (expected === 'colon') return token === ':' ? 'value' : null
  if (expected === 'name' || (expected === 'first' && isObject)) return token.startsWith('"') ? 'colon' : null
  if (token === '{' || token === '[') {
    levels.push(token === '{' ? { names: new Set(), at: '' } : { names: null, at: 0 })
    return 'first'
  }
  if (/^[}\],:]$/.test(token)) return null
  return levels.length === 0 ? 'end' : 'next'
}

/** The next position that is not white space. */
function textFrom(text: string, from: number): number {
  let at = from
  while (at < text.length && ' \t\n\r'.includes(text.charAt(at))) at++
  return at
}

function placeOf(text: string, at: number): string {
  const before = text.slice(0, at)
  const line = before.split('\n').length
  return `line ${line}, column ${at - before.lastIndexOf('\n')}`
}
