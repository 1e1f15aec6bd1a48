// Takes a WHOIS answer (RFC 3912: free text) apart into keys and values, whatever the layout. Pure; one pass.

export interface Field {
  /** Lower case, without dots, brackets and explanations: `creation date`. */
  readonly key: string
  /** What stands after the key, and the lines below it that have no key of their own. */
  readonly values: readonly string[]
  /** Counts from 0; blank lines divide. */
  readonly paragraph: number
}

/** An answer has some hundred lines; the longest are legal text. */
const LINES = 2_000
const LINE_CHARACTERS = 1_000
const KEY_CHARACTERS = 60
const VALUES = 64

/** Keys that some registries write as a sentence, without a colon. */
const SENTENCES = ['record created on', 'record expires on', 'record last updated on', 'registered on']

/** Keys that some registries write as a heading, without a colon. */
const HEADINGS: ReadonlySet<string> = new Set(['registrar', 'nameservers', 'name servers'])

/** What precedes the note on the state of the database, after which all is legal text. */
const END_OF_DATA = '>>>'

/** The lines of an answer: HTML breaks end lines too, for some servers write them. */
export const linesOf = (text: string): readonly string[] =>
  text.split(/\r\n|\r|\n|<br ?\/?>/i, LINES).map(line => line.slice(0, LINE_CHARACTERS))

/** Comments (`%`, `#`) are left out, and everything after the data. */
export function readFields(lines: readonly string[]): readonly Field[] {
  const fields: { key: string; values: string[]; paragraph: number }[] = []
  let paragraph = 0
  let open: string[] | null = null
  for (const line of lines) {
    const text = line.trim()
    if (text.startsWith(END_OF_DATA)) break
    if (text.startsWith('%') || text.startsWith('#')) continue
    if (text === '') {
      paragraph++
      open = null
      continue
    }
    const pair = pairOf(text)
    if (pair === null) {
      if (open !== null && open.length < VALUES) open.push(text)
      continue
    }
    open = pair.value === '' ? [] : [pair.value]
    fields.push({ key: pair.key, values: open, paragraph })
  }
  return fields
}

interface Pair {
  readonly key: string
  readonly value: string
}

function pairOf(text: string): Pair | null {
  return bracketed(text) ?? sentence(text) ?? coloned(text) ?? heading(text)
}

/** `[Registered Date]  2019/09/27`, `p. [Name Server]  ns1.example` */
function bracketed(text: string): Pair | null {
  const [, key, value] = /^(?:[a-z]\. ?)?\[([^\]]{1,60})\](.*)$/.exec(text) ?? []
  return key === undefined || value === undefined ? null : { key: plainKey(key), value: value.trim() }
}

function sentence(text: string): Pair | null {
  const lower = text.toLowerCase()
  const key = SENTENCES.find(beginning => lower.startsWith(`${beginning} `))
  return key === undefined ? null : { key, value: text.slice(key.length).replace(/^[ :]{1,8}/, '') }
}

/** `Creation Date: x`, `created.....: x`, `DNSSEC:N`; not a host name or an address before a colon. */
function coloned(text: string): Pair | null {
  const colon = text.indexOf(':')
  if (colon < 1 || colon > KEY_CHARACTERS) return null
  const key = plainKey(text.slice(0, colon))
  return key === '' || /[a-z0-9]\.[a-z0-9]/.test(key) ? null : { key, value: text.slice(colon + 1).trim() }
}

function heading(text: string): Pair | null {
  const key = plainKey(text)
  return HEADINGS.has(key) ? { key, value: '' } : null
}

/** Of a key in two languages (`Data de registo / Creation Date`) the second; no leading stars, no explanation, no dots at the end. */
function plainKey(written: string): string {
  const text = written.toLowerCase().replace(/\s+/g, ' ')
  const [short = ''] = text.slice(text.lastIndexOf(' / ') + 1).split('(', 1)
  return short.replace(/^[ */]{1,8}/, '').replace(/[ .]{1,60}$/, '')
}
