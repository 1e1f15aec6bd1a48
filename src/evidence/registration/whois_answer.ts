// Reads WHOIS answers (RFC 3912: free text) about a domain, in their many layouts. Pure; one pass; never throws.
import { domainToUnicode } from 'node:url'
import { toAsciiLabels } from '../../targets/domain.ts'
import { hostName } from '../reverse_names/host_name.ts'
import { notRegistered, type RegistrationFacts } from './facts.ts'
import type { Reading } from './registry.ts'
import { dates, type Moment, nameServers, parseMoment, shortName, statuses } from './values.ts'
import {
  DNSSEC_KEYS,
  DOMAIN_KEYS,
  EXPIRES_KEYS,
  type Keys,
  NAME_KEYS,
  NAME_SERVER_KEYS,
  phraseIn,
  REGISTERED_KEYS,
  REGISTRAR_KEYS,
  STATUS_KEYS,
  saysUnregistered,
  UPDATED_KEYS,
  ZONE_KEY_KEYS,
} from './whois_words.ts'

/**
 * `now` in milliseconds since the Unix epoch. `failure` is `limited` when the server was asked too often, `other_domain`
 * when the answer is about another domain, else `unreadable`.
 */
export function readWhois(octets: Buffer, domain: string, now: number): Reading<RegistrationFacts> {
  const lines = linesOf(decode(octets))
  const fields = readFields(lines)
  if (!isAbout(fields, domain)) return { ok: false, failure: 'other_domain' }
  const facts = factsOf(fields, domain, now)
  if (facts.status.some(saysUnregistered)) return { ok: true, facts: notRegistered }
  if (hasData(facts)) return { ok: true, facts }
  const phrase = phraseIn(lines, [domain, domainToUnicode(domain)])
  if (phrase === 'not_registered') return { ok: true, facts: notRegistered }
  return { ok: false, failure: phrase ?? 'unreadable' }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** UTF-8, else Latin-1: keys are ASCII in every layout. */
function decode(octets: Buffer): string {
  try {
    return utf8.decode(octets)
  } catch {
    return octets.toString('latin1')
  }
}

/** The first line with a date counts: contacts and the registrar's own answer follow the domain. */
function factsOf(fields: readonly Field[], domain: string, now: number): RegistrationFacts {
  const domainParagraphs = paragraphsOf(fields, domain)
  const under = ({ anywhere, in_domain }: Keys) =>
    fields.filter(({ key, paragraph }) => anywhere.has(key) || (in_domain.has(key) && domainParagraphs.has(paragraph)))
  const firstMoment = (keys: Keys) => {
    const moment = parseMoment(under(keys)[0]?.values[0] ?? '')
    return moment === null ? [] : [moment]
  }
  const registrationMoments = firstMoment(REGISTERED_KEYS)
  const moments = {
    registered: registrationMoments.length > 0 ? registrationMoments : assignment(fields),
    expires: firstMoment(EXPIRES_KEYS),
    updated: firstMoment(UPDATED_KEYS),
  }
  return {
    registered: true,
    ...dates(moments, now),
    registrar: registrarOf(fields),
    status: statuses(under(STATUS_KEYS).flatMap(({ values }) => values)),
    dnssec_signed: isSigned(under(DNSSEC_KEYS)[0]?.values[0] ?? '') ?? hasKeys(fields),
    name_servers: nameServers(under(NAME_SERVER_KEYS).flatMap(({ values }) => values.map(lastHost))),
  }
}

/** The answer names the domain, or none: some servers write no name. */
function isAbout(fields: readonly Field[], domain: string): boolean {
  const domains = fields.flatMap(({ key, values }) => (DOMAIN_KEYS.anywhere.has(key) ? values.flatMap(namesIn) : []))
  return domains.length === 0 || domains.includes(domain)
}

/** In A-labels. Some servers write U-labels, or both: `bücher.example (xn--bcher-kva.example)`. */
const namesIn = (value: string): readonly string[] =>
  value
    .slice(0, NAMES_CHARACTERS)
    .split(/[\s()|,]+/)
    .flatMap(word => hostName(toAsciiLabels(word) ?? '') ?? [])

/** A paragraph with a date of registration under a key of its own is about the domain, too. */
function paragraphsOf(fields: readonly Field[], domain: string): ReadonlySet<number> {
  const naming = fields.filter(
    ({ key, values: [first = ''] }) =>
      DOMAIN_KEYS.anywhere.has(key) || REGISTERED_KEYS.anywhere.has(key) || namesIn(first)[0] === domain,
  )
  return new Set(naming.map(({ paragraph }) => paragraph))
}

/** `changed: registrar AT ns.il 19990605 (Assigned)`: a history whose first entry is the registration. */
function assignment(fields: readonly Field[]): Moment[] {
  const entries = fields.flatMap(({ key, values }) => (key === 'changed' ? values : []))
  const assignmentEntry = entries.find(entry => entry.toLowerCase().endsWith('(assigned)'))
  const moment = parseMoment(assignmentEntry?.split(' ').at(-2) ?? '')
  return moment === null ? [] : [moment]
}

/** Below a bare heading, the name may have a key of its own. */
function registrarOf(fields: readonly Field[]): string | null {
  for (const [at, field] of fields.entries()) {
    if (!REGISTRAR_KEYS.anywhere.has(field.key)) continue
    const below = fields.slice(at + 1).find(next => next.paragraph === field.paragraph && NAME_KEYS.has(next.key))
    const name = shortName(withoutUrl(field.values[0] ?? below?.values[0] ?? ''))
    if (name !== null) return name
  }
  return null
}

/** `Mega Inc. (http://mega.example)` */
const withoutUrl = (name: string): string => name.replace(/ ?\( ?[a-z]{2,8}:\/\/[^()]{0,200}\)$/i, '')

/** The last word that is a host name: `ns1.example.com [192.0.2.1]`, `example.pt NS ns1.example.pt.`. */
function lastHost(value: string): string | null {
  const hosts = value.slice(0, 512).split(/\s+/).map(hostName)
  return hosts.findLast(host => host !== null) ?? null
}

const SIGNED_WORDS: ReadonlySet<string> = new Set(['signed', 'signeddelegation', 'yes', 'y', 'active'])
const UNSIGNED_WORDS: ReadonlySet<string> = new Set(['unsigned', 'unsigneddelegation', 'no', 'n', 'inactive'])

function isSigned(value: string): boolean | null {
  const word = value.slice(0, 64).toLowerCase().replace(/[ .]/g, '')
  if (SIGNED_WORDS.has(word)) return true
  return UNSIGNED_WORDS.has(word) ? false : null
}

/** Keys of the zone, which only a signed one has; null without any. */
const hasKeys = (fields: readonly Field[]): true | null =>
  fields.some(({ key, values }) => ZONE_KEY_KEYS.has(key) && values.length > 0) || null

/** An answer with nothing but the name is not a registration. */
function hasData(facts: RegistrationFacts): boolean {
  const { registered_at, registered_in_future, expires_at, updated_at, registrar, status, name_servers } = facts
  const hasFacts = [registered_at, expires_at, updated_at, registrar].some(one => one !== null)
  return hasFacts || registered_in_future || status.length > 0 || name_servers.length > 0
}

interface Field {
  /** Lower case, without dots, brackets and explanations: `creation date`. */
  readonly key: string
  /** The text after the key, and the lines below it without a key of their own. */
  readonly values: readonly string[]
  /** Index of the paragraph; blank lines separate paragraphs. */
  readonly paragraph: number
}

/** Answers have about a hundred lines; the longest lines are legal text. */
const LINES = 2_000
const LINE_CHARACTERS = 1_000
const KEY_CHARACTERS = 60
/** Two names of the greatest length. */
const NAMES_CHARACTERS = 512
const VALUES = 64

/** Keys that some registries write as a sentence, without a colon. */
const SENTENCES = ['record created on', 'record expires on', 'record last updated on', 'registered on']

/** Keys that some registries write as a heading, without a colon. */
const HEADINGS: ReadonlySet<string> = new Set(['registrar', 'nameservers', 'name servers'])

/** Starts the note on the state of the database; legal text follows. */
const END_OF_DATA = '>>>'

/** HTML breaks also end lines, because some servers send them. */
const linesOf = (text: string): readonly string[] =>
  text.split(/\r\n|\r|\n|<br ?\/?>/i, LINES).map(line => line.slice(0, LINE_CHARACTERS))

/** Skips comments (`%`, `#`) and everything after the data. */
function readFields(lines: readonly string[]): readonly Field[] {
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
  return bracketedPair(text) ?? sentence(text) ?? colonPair(text) ?? heading(text)
}

/** `[Registered Date]  2019/09/27`, `p. [Name Server]  ns1.example` */
function bracketedPair(text: string): Pair | null {
  const [, key, value] = /^(?:[a-z]\. ?)?\[([^\]]{1,60})\](.*)$/.exec(text) ?? []
  return key === undefined || value === undefined ? null : { key: plainKey(key), value: value.trim() }
}

function sentence(text: string): Pair | null {
  const lower = text.toLowerCase()
  const key = SENTENCES.find(beginning => lower.startsWith(`${beginning} `))
  return key === undefined ? null : { key, value: text.slice(key.length).replace(/^[ :]{1,8}/, '') }
}

/** `Creation Date: x`, `created.....: x`, `DNSSEC:N`. A host name, an address or a URL's scheme before the colon is not a key. */
function colonPair(text: string): Pair | null {
  const colon = text.indexOf(':')
  if (colon < 1 || colon > KEY_CHARACTERS || text.startsWith('://', colon)) return null
  const key = plainKey(text.slice(0, colon))
  return key === '' || /[a-z0-9]\.[a-z0-9]/.test(key) ? null : { key, value: text.slice(colon + 1).trim() }
}

function heading(text: string): Pair | null {
  const key = plainKey(text)
  return HEADINGS.has(key) ? { key, value: '' } : null
}

/** Strips leading stars, explanations and trailing dots. Of a bilingual key (`Data de registo / Creation Date`), keeps the second part. */
function plainKey(rawKey: string): string {
  const text = rawKey.toLowerCase().replace(/\s+/g, ' ')
  const [short = ''] = text.slice(text.lastIndexOf(' / ') + 1).split('(', 1)
  return short.replace(/^[ */]{1,8}/, '').replace(/[ .]{1,60}$/, '')
}
