// Scripts that hide what they do: markers as data, searched as plain substrings, so linear in the script.

/** Characters of inline script that are looked at; a hidden redirect runs first or it is not hidden for long. */
const SEARCHED = 256 * 1024

/** What remains when white space is dropped and all is lower case. */
type Marker = string

/** Text that is decoded only to be run or written: nothing a reader of the source would see. */
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

/** Escapes of plain letters, in number: `\x68\x74\x74\x70` is written by no one but a machine that hides. */
const ESCAPES = 200
/** Identifiers such as `_0x3fa2c1`, which a well-known obfuscator gives. */
const HEX_NAMES = 50

export interface Obfuscation {
  /** The marker of a redirect whose address is encoded, or null. */
  readonly redirect: string | null
  /** The marker of code that is decoded and run, or null. */
  readonly code: string | null
}

export function findObfuscation(scripts: readonly string[]): Obfuscation {
  const code = compact(scripts)
  return {
    redirect: HIDDEN_REDIRECTS.find(marker => code.includes(marker)) ?? null,
    code:
      HIDDEN_CODE.find(marker => code.includes(marker)) ??
      (countAtLeast(code, '\\x', ESCAPES) ? '\\x' : null) ??
      (countAtLeast(code, '_0x', HEX_NAMES) ? '_0x' : null),
  }
}

/** Bots that take messages from anyone who knows their address: where kits send what was typed in. */
const MESSENGER_BOTS: readonly Marker[] = [
  'api.telegram.org/bot',
  'discord.com/api/webhooks',
  'discordapp.com/api/webhooks',
]

/** The messenger whose bot a script writes to, or null. */
export function findMessengerBot(scripts: readonly string[]): string | null {
  const code = compact(scripts)
  return MESSENGER_BOTS.find(marker => code.includes(marker)) ?? null
}

/** Scripts as one text without white space and case, cut. */
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
