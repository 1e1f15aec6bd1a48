// Finds obfuscated scripts by markers that are searched as plain substrings, in time linear in the script.

/** Only this many characters of inline script are searched. An obfuscated redirect usually runs first. */
const SEARCHED = 256 * 1024

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
  first.flatMap(left => ['', 'window.'].flatMap(scope => second.map(right => `${left}${scope}${right}`)))

const HIDDEN_REDIRECTS = pairs(NAVIGATORS, DECODERS)
const HIDDEN_CODE = [...pairs(RUNNERS, DECODERS), 'eval(function(p,a,c,k,e,']

/** From this many `\x68`-style escapes of plain letters on, the script was written by an obfuscator. */
const ESCAPES = 200
/** From this many identifiers such as `_0x3fa2c1` on, the script was written by a well-known obfuscator. */
const HEX_NAMES = 50

export interface Obfuscation {
  /** The marker of a redirect to an encoded address, or null. */
  readonly redirect: string | null
  /** The marker of code that is decoded and then run, or null. */
  readonly code: string | null
}

export function findObfuscation(scripts: readonly string[]): Obfuscation {
  const code = compact(scripts)
  return {
    redirect: HIDDEN_REDIRECTS.find(marker => isHiddenRedirect(code, marker)) ?? null,
    code:
      HIDDEN_CODE.find(marker => isHidden(code, marker)) ??
      (countAtLeast(code, '\\x', ESCAPES) ? '\\x' : null) ??
      (countAtLeast(code, '_0x', HEX_NAMES) ? '_0x' : null),
  }
}

/** Escapes of letters and digits: counters and mail disguises escape little else than angle brackets. */
const ESCAPED_LETTER = /%(?:3[0-9]|[46][1-9a-f]|[57][0-9a])/g
/** From this many on, text that a script writes was encoded to hide it. */
const ESCAPED_LETTERS = 16
const WRITES_ESCAPED = /^document\.write(?:ln)?\((?:window\.)?(?:unescape|decodeuri(?:component)?)\($/
/** Maximum occurrences of a marker that are read, and characters of what it writes. */
const READ = 20
const LITERAL = 16 * 1024

/** Some occurrence navigates to an address that the page itself holds encoded, or takes from its own URL. */
function isHiddenRedirect(code: string, marker: Marker): boolean {
  let at = code.indexOf(marker)
  for (let read = 0; at !== -1 && read < READ; at = code.indexOf(marker, at + 1), read++) {
    if (isEncoded(code, at + marker.length, PERCENT.test(marker))) return true
  }
  return false
}

const PERCENT = /(?:unescape|decodeuri(?:component)?)\($/
const NUMBER = /^\d/
const OWN_URL = /^(?:window\.|document\.|self\.|top\.)?location\b/
const NAME = /^[\w$]{1,64}/

/** What a decoder is given: a literal, a number, the page's URL, or a name that a literal is assigned to. A function that is given an address hides nothing. */
function isEncoded(code: string, start: number, percent: boolean): boolean {
  const given = code.slice(start, start + 128)
  if (NUMBER.test(given) || OWN_URL.test(given)) return true
  if (isQuote(given.charAt(0))) return !percent || escapedLetters(literalAt(code, start)) > 0
  const [name] = NAME.exec(given) ?? []
  if (name === undefined) return false
  const assigned = new RegExp(`(?:^|[^\\w$.]|var|let|const)${name.replaceAll('$', '\\$')}=\\[?(?=["'\`])`).exec(code)
  if (assigned === null) return false
  return !percent || escapedLetters(literalAt(code, assigned.index + assigned[0].length)) > 0
}

const isQuote = (char: string): boolean => char === '"' || char === "'" || char === '`'

/** The text between the quote at `start` and the next one like it. */
function literalAt(code: string, start: number): string {
  const end = code.indexOf(code.charAt(start), start + 1)
  return code.slice(start + 1, end === -1 ? start + LITERAL : Math.min(end, start + LITERAL))
}

const escapedLetters = (text: string): number => text.match(ESCAPED_LETTER)?.length ?? 0

/** Some occurrence hides what it runs. Text of which most is plain, and addresses of mail, are not hidden from anybody. */
function isHidden(code: string, marker: Marker): boolean {
  if (!WRITES_ESCAPED.test(marker)) return code.includes(marker)
  let at = code.indexOf(marker)
  for (let read = 0; at !== -1 && read < READ; at = code.indexOf(marker, at + 1), read++) {
    const start = at + marker.length
    if (!isQuote(code.charAt(start))) return true
    const text = literalAt(code, start)
    const plain = text.replace(ESCAPED_LETTER, one => String.fromCharCode(Number.parseInt(one.slice(1), 16)))
    if (escapedLetters(text) >= ESCAPED_LETTERS && !plain.toLowerCase().includes('mailto')) return true
  }
  return false
}

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
    if (code.length >= SEARCHED) break
    code += `${script.slice(0, SEARCHED)}\n`
  }
  return code.slice(0, SEARCHED).toLowerCase().replace(/\s+/g, '')
}

function countAtLeast(text: string, part: string, wanted: number): boolean {
  let count = 0
  for (let at = text.indexOf(part); at !== -1 && count < wanted; at = text.indexOf(part, at + 1)) count++
  return count >= wanted
}
