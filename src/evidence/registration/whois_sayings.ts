// What WHOIS servers say instead of data: that there is no such domain, or that they were asked too often. Pure.

export type Saying = 'not_registered' | 'limited'

/** On one line `limited` comes first: some servers refuse with the words "no data found". */
const SAYINGS: readonly (readonly [phrase: string, means: Saying])[] = [
  ['access denied', 'limited'],
  ['blacklisted', 'limited'],
  ['exceeded', 'limited'],
  ['limit reached', 'limited'],
  ['rate limit', 'limited'],
  ['requests of this client are not permitted', 'limited'],
  ['too many', 'limited'],
  ['try again later', 'limited'],
  ['does not exist', 'not_registered'],
  ['is available', 'not_registered'],
  ['is free', 'not_registered'],
  ['no data found', 'not_registered'],
  ['no entries found', 'not_registered'],
  ['no found', 'not_registered'],
  ['no information available', 'not_registered'],
  ['no match', 'not_registered'],
  ['no object found', 'not_registered'],
  ['no record found', 'not_registered'],
  ['no such domain', 'not_registered'],
  ['no_se_encontro', 'not_registered'],
  ['not been registered', 'not_registered'],
  ['not found', 'not_registered'],
  ['not have an entry', 'not_registered'],
  ['not registered', 'not_registered'],
  ['nothing found', 'not_registered'],
  ['object_not_found', 'not_registered'],
]

/** What legal text says of itself and of the service: where the domain is meant, it is named. */
const AMBIGUOUS: ReadonlySet<string> = new Set(['is available', 'is free'])

/** Statuses that are no registration's. */
const FREE: ReadonlySet<string> = new Set(['available', 'free', 'unregistered'])

/** The first line decides: what follows is legal text, which speaks of limits and of data not found. */
export function sayingOf(lines: readonly string[], domain: string): Saying | null {
  for (const line of lines) {
    const text = line.toLowerCase()
    const said = SAYINGS.find(([phrase]) => text.includes(phrase) && (!AMBIGUOUS.has(phrase) || text.includes(domain)))
    if (said) return said[1]
  }
  return null
}

/** Some servers say it in the field for the status. */
export const isFree = (status: string): boolean => FREE.has(status) || sayingOf([status], '') === 'not_registered'
