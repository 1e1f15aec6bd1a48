// Finds obfuscated scripts by markers that are searched as plain substrings, in time linear in the script.

/** Only this many characters of inline script are searched. An obfuscated redirect usually runs first. */
const SEARCH_LENGTH = 256 * 1024

/** Compared with the script in lower case and without white space. */
type Marker = string

/** Calls that decode text. A marker is one of them inside a call that runs, writes or navigates to the result. */
const DECODERS: readonly Marker[] = ['atob(', 'unescape(', 'decodeuricomponent(', 'decodeuri(', 'string.fromcharcode(']
const RUNNERS: readonly Marker[] = ['eval(', 'document.write(', 'document.writeln(', 'newfunction(', 'settimeout(']
const NAVIGATORS: readonly Marker[] = [
  'location=',
  'location.href=',
  'location.replace(',
  'location.assign(',
  'window.open(',
]

const pairs = (first: readonly Marker[], second: readonly Marker[]): readonly Marker[] =>
  first.flatMap(opening => ['', 'window.'].flatMap(scope => second.map(right => `${opening}${scope}${right}`)))

const HIDDEN_REDIRECTS = pairs(NAVIGATORS, DECODERS)
const HIDDEN_CODE = [...pairs(RUNNERS, DECODERS), 'eval(function(p,a,c,k,e,']

/** From this many `\x68`-style escapes of letters and digits on, the script was written by an obfuscator; platforms escape punctuation. */
const ESCAPES = 200
const HEX_ESCAPED_LETTER = /\\x(?:3[0-9]|[46][1-9a-f]|[57][0-9a])/g
/** From this many identifiers such as `_0x3fa2c1` on, the script was written by a well-known obfuscator. */
const HEX_NAMES = 50
const HEX_NAME = /_0x/g

/** Finds code that decodes itself, and redirects to encoded addresses. */
export function findObfuscation(scripts: readonly string[]) {
  const code = compact(scripts)
  return {
    /** The marker of a redirect to an encoded address, or null. */
    redirect: HIDDEN_REDIRECTS.find(marker => isHiddenRedirect(code, marker)) ?? null,
    /** The marker of code that is decoded and then run, or null. */
    code:
      HIDDEN_CODE.find(marker => isHidden(code, marker)) ??
      (hasAtLeast(code, HEX_ESCAPED_LETTER, ESCAPES) ? '\\x' : null) ??
      (hasAtLeast(code, HEX_NAME, HEX_NAMES) ? '_0x' : null),
  }
}

/** Escapes of letters and digits: counters and mail disguises escape little else than angle brackets. */
const ESCAPED_LETTER = /%(?:3[0-9]|[46][1-9a-f]|[57][0-9a])/g
/** From this many on, text that a script writes was encoded to hide it. */
const ESCAPED_LETTERS = 16
/** Maximum occurrences of a marker that are read, and characters of the decoded text. */
const MAX_OCCURRENCES = 20
const LITERAL = 16 * 1024

/** Whether some occurrence navigates to an address that is encoded in the page or taken from its own URL. */
function isHiddenRedirect(code: string, marker: Marker): boolean {
  let at = code.indexOf(marker)
  for (let count = 0; at !== -1 && count < MAX_OCCURRENCES; at = code.indexOf(marker, at + 1), count++) {
    if (isEncoded(code, at + marker.length, PERCENT.test(marker))) return true
  }
  return false
}

const PERCENT = /(?:unescape|decodeuri(?:component)?)\($/
const NUMBER = /^\d/
const OWN_URL = /^(?:window\.|document\.|self\.|top\.)?location\b/
const NAME = /^[\w$]{1,64}/

/**
 * Arguments of a decoder: a literal, a number, the page's URL, or a name that a literal is assigned to. A function that
 * receives an address hides nothing.
 */
function isEncoded(code: string, start: number, percent: boolean): boolean {
  const argument = code.slice(start, start + 128)
  if (NUMBER.test(argument) || OWN_URL.test(argument)) return true
  const literal = literalGiven(code, start)
  return literal !== null && (!percent || escapedLetters(literal) > 0)
}

/** The literal at `start`, also in quotes that are escaped, or the one that is assigned to the name there; null without one. */
function literalGiven(code: string, start: number): string | null {
  const quote = code.charAt(start) === '\\' ? start + 1 : start
  if (isQuote(code.charAt(quote))) return literalAt(code, quote)
  const [name] = NAME.exec(code.slice(start, start + 128)) ?? []
  if (name === undefined) return null
  let at = code.indexOf(`${name}=`)
  for (let count = 0; at !== -1 && count < ASSIGNMENTS; at = code.indexOf(`${name}=`, at + 1), count++) {
    const value = at + name.length + (code.charAt(at + name.length + 1) === '[' ? 2 : 1)
    if (isQuote(code.charAt(value)) && BEFORE_NAME.test(code.slice(Math.max(0, at - 5), at))) {
      return literalAt(code, value)
    }
  }
  return null
}

/** Occurrences of a name that are read. */
const ASSIGNMENTS = 200
/** What ends before a whole name: nothing, a sign that is in no name, or a keyword. */
const BEFORE_NAME = /(?:^|[^\w$.]|var|let|const)$/

const isQuote = (char: string): boolean => char === '"' || char === "'" || char === '`'

/** The text between the quote at `start` and the next one like it. */
function literalAt(code: string, start: number): string {
  const end = code.indexOf(code.charAt(start), start + 1)
  return code.slice(start + 1, end === -1 ? start + LITERAL : Math.min(end, start + LITERAL))
}

const escapedLetters = (text: string): number => text.match(ESCAPED_LETTER)?.length ?? 0

/** Some occurrence hides what it runs. */
function isHidden(code: string, marker: Marker): boolean {
  let at = code.indexOf(marker)
  for (let count = 0; at !== -1 && count < MAX_OCCURRENCES; at = code.indexOf(marker, at + 1), count++) {
    if (hides(code, marker, at + marker.length)) return true
  }
  return false
}

const WRITES = /^document\.write/
const CHARACTER_CODES = 'string.fromcharcode('
const NUMBERS = /^\d{1,7}(?:,\d{1,7})*(?=\))/
/** A name that is not called. */
const VARIABLE = /^[\w$]{1,64}(?!\()(?![\w$])/

/**
 * Text that is mostly plain, addresses of mail, and names that hold no literal hide nothing. Base64 cannot be read here,
 * because the code is in lower case.
 */
function hides(code: string, marker: Marker, start: number): boolean {
  if (marker.endsWith(CHARACTER_CODES)) {
    const [numbers] = NUMBERS.exec(code.slice(start, start + LITERAL)) ?? []
    return numbers === undefined || !isMailLink(String.fromCharCode(...numbers.split(',').map(Number)))
  }
  if (!PERCENT.test(marker)) return true
  const text = literalGiven(code, start)
  if (text === null) return !VARIABLE.test(code.slice(start, start + 128))
  const least = WRITES.test(marker) ? ESCAPED_LETTERS : 1
  const plain = text.replace(/%([0-9a-f]{2})/g, (_, octet: string) => String.fromCharCode(Number.parseInt(octet, 16)))
  return escapedLetters(text) >= least && !isMailLink(plain)
}

/** Sites hide addresses of mail from harvesters. Such text has no script, frame or field, and leads nowhere else. */
const isMailLink = (text: string): boolean =>
  text.toLowerCase().includes('mailto:') &&
  !/<(?:script|iframe|form|input|object|embed)|\blocation\b|\beval\b/i.test(text)

/** Bot and webhook endpoints that accept messages from anyone. Phishing kits send stolen input to them. */
const MESSENGER_BOTS: readonly Marker[] = [
  'api.telegram.org/bot',
  'discord.com/api/webhooks',
  'discordapp.com/api/webhooks',
]

/** The marker of the messenger bot that a script posts to, or null. */
export function findMessengerBot(scripts: readonly string[]): string | null {
  const code = compact(scripts)
  return MESSENGER_BOTS.find(marker => code.includes(marker)) ?? null
}

/** The scripts joined, in lower case, without white space, and cut to the searched length. */
function compact(scripts: readonly string[]): string {
  let code = ''
  for (const script of scripts) {
    if (code.length >= SEARCH_LENGTH) break
    code += `${script.slice(0, SEARCH_LENGTH)}\n`
  }
  return code.slice(0, SEARCH_LENGTH).toLowerCase().replace(/\s+/g, '')
}

function hasAtLeast(text: string, pattern: RegExp, least: number): boolean {
  let count = 0
  for (const _ of text.matchAll(pattern)) {
    if (++count >= least) return true
  }
  return false
}
