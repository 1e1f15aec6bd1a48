// The vocabulary of WHOIS servers: field keys, and the phrases for "not registered" and "too many queries". Pure.
import { Type } from 'typebox'
import { dataFile, TextList } from '../../base/data_file.ts'
import data from './data/whois_words.json' with { type: 'json' }

const closed = { additionalProperties: false } as const
const KeyLists = Type.Object({ anywhere: TextList, in_domain: Type.Optional(TextList) }, closed)

export const WhoisWordsFile = dataFile({
  keys: Type.Record(Type.String(), KeyLists, { description: 'Of fields, in lower case.' }),
  phrases: Type.Object({ limited: TextList, not_registered: TextList, ambiguous: TextList }, closed),
  unregistered_statuses: TextList,
})

/**
 * `anywhere`: the key always describes the domain. `in_domain`: the key counts only in a paragraph that names the domain,
 * because contacts have a `created` of their own.
 */
export type Keys = ReturnType<typeof keys>

const keys = (lists: { readonly anywhere: readonly string[]; readonly in_domain?: readonly string[] }) => ({
  anywhere: new Set(lists.anywhere),
  in_domain: new Set(lists.in_domain),
})

export const DOMAIN_KEYS = keys(data.keys.domain)
export const REGISTERED_KEYS = keys(data.keys.registered)
export const EXPIRES_KEYS = keys(data.keys.expires)
export const UPDATED_KEYS = keys(data.keys.updated)
export const REGISTRAR_KEYS = keys(data.keys.registrar)
export const STATUS_KEYS = keys(data.keys.status)
export const DNSSEC_KEYS = keys(data.keys.dnssec)
export const NAME_SERVER_KEYS = keys(data.keys.name_server)
/** Keys of the registrar's name on a line below the heading. */
export const NAME_KEYS: ReadonlySet<string> = new Set(data.keys.name.anywhere)
/** Keys of the zone, or what vouches for them. */
export const ZONE_KEY_KEYS: ReadonlySet<string> = new Set(data.keys.zone_key.anywhere)

export type Phrase = 'not_registered' | 'limited'

/** `limited` comes first, because some servers refuse with the words "no data found". */
const PHRASES: readonly (readonly [phrase: string, means: Phrase])[] = (['limited', 'not_registered'] as const).flatMap(
  means => data.phrases[means].map(phrase => [phrase, means] as const),
)

/** Phrases that legal text also uses: they count only on a line that names the domain, in A-labels or U-labels. */
const AMBIGUOUS: ReadonlySet<string> = new Set(data.phrases.ambiguous)

/** Statuses of unregistered domains. */
const FREE: ReadonlySet<string> = new Set(data.unregistered_statuses)

/** The first matching line decides: the legal text below it also mentions limits and missing data. */
export function phraseIn(lines: readonly string[], names: readonly string[]): Phrase | null {
  for (const line of lines) {
    const text = line.toLowerCase()
    const phrase = PHRASES.find(
      ([phrase]) => text.includes(phrase) && (!AMBIGUOUS.has(phrase) || names.some(name => text.includes(name))),
    )
    if (phrase) return phrase[1]
  }
  return null
}

/** Some servers report an unregistered domain in the status field. */
export const saysUnregistered = (status: string): boolean =>
  FREE.has(status) || phraseIn([status], ['']) === 'not_registered'
