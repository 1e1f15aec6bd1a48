// The DKIM keys of a name (RFC 6376 section 3.6): whether it has any, and those under selectors that mail services prescribe.
import { createPublicKey } from 'node:crypto'
import { type Ask, outcomeOf, readable, records, VALUE_CHARACTERS } from './dns_records.ts'
import type { Dkim, DkimKey, DkimSelector, TagList } from './facts.ts'
import { isRecord, parseTagList, resembles, syntax, tagValue } from './tag_list.ts'

/**
 * Selectors that services tell all of their customers to use, one of each service, and those that programs suggest. Selectors cannot
 * be listed (RFC 6376 section 3.1), and many services invent one for each customer.
 */
const SELECTORS = [
  'default',
  'dkim',
  'mail',
  'google',
  'selector1',
  'selector2',
  'k1',
  'k2',
  'k3',
  's1',
  's2',
  'fm1',
  'protonmail',
  'zoho',
  'sig1',
  'mandrill',
  'mailjet',
  'brevo1',
  'ctct1',
  's2048',
] as const

/** No service has it: an answer to it is that of a wildcard, and an empty one that of a server which denies no name. */
const NOBODYS = 'no-such-selector'

/**
 * One question for most names. A name that has keys is an empty name at `_domainkey` (RFC 8020): then the selectors are asked, all at
 * once.
 */
export async function askDkim(domain: string, ask: Ask): Promise<Dkim> {
  const { status, reason } = outcomeOf(await ask(`_domainkey.${domain}`, 'TXT'))
  if (status === 'unknown') return { has_selectors: null, reason, selectors: [] }
  if (status === 'not_found') return { has_selectors: false, reason: null, selectors: [] }
  const [nobodys, ...selectors] = await Promise.all([NOBODYS, ...SELECTORS].map(name => askSelector(name, domain, ask)))
  const there = selectors.filter(one => isThere(one) && !isSame(one, nobodys as SelectorAnswer))
  const tells = nobodys?.status === 'not_found' || there.some(one => one.status !== 'unknown')
  return {
    has_selectors: tells ? true : null,
    reason: tells ? null : (nobodys?.reason ?? null),
    selectors: there.map(({ text: _, ...selector }) => selector),
  }
}

type SelectorAnswer = DkimSelector & {
  /** All texts together; empty without any. */
  readonly text: string
}

/** A key, an alias, which may lead nowhere, or no reply. */
const isThere = ({ status, alias, count }: SelectorAnswer): boolean =>
  status === 'unknown' || alias !== null || count > 0

const isSame = (one: SelectorAnswer, other: SelectorAnswer): boolean =>
  one.status !== 'unknown' && one.text === other.text && one.alias === other.alias

async function askSelector(selector: string, domain: string, ask: Ask): Promise<SelectorAnswer> {
  const answer = await ask(`${selector}._domainkey.${domain}`, 'TXT')
  const texts = [...records(answer)].sort()
  const keys = texts.flatMap(text => keyRecord(text) ?? [])
  const alias = answer.status === 'unknown' ? undefined : answer.cnames.at(-1)
  const record = keys.length === 1 ? (keys[0] ?? null) : null
  return {
    selector,
    ...outcomeOf(answer),
    alias: alias === undefined ? null : readable(alias, VALUE_CHARACTERS),
    count: keys.length,
    record,
    key: record === null ? null : readKey(record),
    text: texts.join('\n'),
  }
}

/** The version may be left out, and is the first tag where it is not (RFC 6376 section 3.6.1). Null for other texts. */
function keyRecord(text: string): TagList | null {
  if (isRecord(text, syntax.dkim)) return parseTagList(text, syntax.dkim)
  if (resembles(text, syntax.dkim)) return { ...parseTagList(text, syntax.dkim), valid: false }
  const list = parseTagList(text, syntax.dkim)
  return list.tags.some(({ name }) => name === 'p') && !list.tags.some(({ name }) => name === 'v') ? list : null
}

/** `rsa` unless `k` says otherwise; white space may fold the value. Null for an empty or unreadable key. */
function readKey(record: TagList): DkimKey | null {
  const value = (tagValue(record, 'p') ?? '').replaceAll(/\s/g, '')
  const type = (tagValue(record, 'k') ?? 'rsa').toLowerCase()
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return null
  const octets = Buffer.from(value, 'base64')
  // RFC 8463 section 4: the key itself.
  if (type === 'ed25519') return octets.length === 32 ? { type, bits: 256 } : null
  const bits = type === 'rsa' ? modulusBits(octets) : null
  return bits === null ? null : { type: 'rsa', bits }
}

/** The standard's form, and the bare key that some programs write and verifiers read, too. */
function modulusBits(octets: Buffer): number | null {
  for (const type of ['spki', 'pkcs1'] as const) {
    try {
      const key = createPublicKey({ key: octets, format: 'der', type })
      if (key.asymmetricKeyType === 'rsa') return key.asymmetricKeyDetails?.modulusLength ?? null
    } catch {
      // Not of this form.
    }
  }
  return null
}
