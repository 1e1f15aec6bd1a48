// The vocabulary of WHOIS servers: field keys, and the phrases for "not registered" and "too many queries". Pure.

/**
 * `anywhere`: the key always describes the domain. `in_domain`: the key counts only in a paragraph that names the domain,
 * because contacts have a `created` of their own.
 */
export interface Keys {
  readonly anywhere: ReadonlySet<string>
  readonly in_domain: ReadonlySet<string>
}

const keys = (anywhere: readonly string[], in_domain: readonly string[] = []): Keys => ({
  anywhere: new Set(anywhere),
  in_domain: new Set(in_domain),
})

export const DOMAIN_KEYS = keys([
  'ascii name',
  'domain',
  'domain ace',
  'domain name',
  'domain-ace',
  'nombre de dominio',
  'punycode',
])

export const REGISTERED_KEYS = keys(
  [
    'activated on',
    'assigned',
    'created date',
    'created on',
    'creation date',
    'date created',
    'date registered',
    'domain created',
    'domain name commencement date',
    'domain record activated',
    'domain registration date',
    'entry created',
    'fecha de creación',
    'first registration date',
    'record created',
    'record created on',
    'registered date',
    'registered on',
    'registration date',
    'registration time',
  ],
  ['created', 'registered'],
)

export const EXPIRES_KEYS = keys(
  [
    'domain expiration date',
    'domain expires',
    'exp date',
    'expiration date',
    'expiration time',
    'expire date',
    'expire-date',
    'expires at',
    'expires on',
    'expiry date',
    'fecha de vencimiento',
    'paid-till',
    'record expired',
    'record expires on',
    'registrar registration expiration date',
    'registry expiration date',
    'registry expiry date',
    'renewal date',
    'valid until',
    'validity',
  ],
  ['expire', 'expires', 'expiry'],
)

export const UPDATED_KEYS = keys(
  [
    'domain record last updated',
    'last updated',
    'last updated date',
    'last updated on',
    'last-updated',
    'modification date',
    'modified date',
    'record last modified',
    'record last updated on',
    'ultima actualización',
    'updated date',
  ],
  ['changed', 'last modified', 'last update', 'modified', 'updated'],
)

export const REGISTRAR_KEYS = keys([
  'authorized agency',
  'current registar',
  'current registrar',
  'registrar',
  'registrar name',
  'registrar-name',
  'registration service provider',
  'sponsoring registrar',
])

/** Keys of the registrar's name on a line below the heading. */
export const NAME_KEYS: ReadonlySet<string> = new Set(['name', 'organization', 'organisation'])

export const STATUS_KEYS = keys(
  ['domain state', 'domain status', 'epp status', 'estatus del dominio', 'registration status'],
  ['state', 'status'],
)

export const DNSSEC_KEYS = keys(['dnssec', 'dnssec signed'], ['signed'])

/** Keys of the zone, or what vouches for them. */
export const ZONE_KEY_KEYS: ReadonlySet<string> = new Set(['dnskey', 'ds-rdata'])

export const NAME_SERVER_KEYS = keys([
  'dns',
  'domain nameservers',
  'domain servers',
  'domain servers in listed order',
  'name server',
  'name servers',
  'name servers in the listed order',
  'name servers information',
  'nameserver',
  'nameservers',
  'nserver',
  'primary server',
  'secondary server',
])

export type Phrase = 'not_registered' | 'limited'

/** `limited` comes first, because some servers refuse with the words "no data found". */
const PHRASES: readonly (readonly [phrase: string, means: Phrase])[] = [
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

/** Phrases that legal text also uses: they count only on a line that names the domain, in A-labels or U-labels. */
const AMBIGUOUS: ReadonlySet<string> = new Set(['is available', 'is free'])

/** Statuses of unregistered domains. */
const FREE: ReadonlySet<string> = new Set(['available', 'free', 'unregistered'])

/** The first matching line decides: the legal text below it also mentions limits and missing data. */
export function phraseIn(lines: readonly string[], names: readonly string[]): Phrase | null {
  for (const line of lines) {
    const text = line.toLowerCase()
    const found = PHRASES.find(
      ([phrase]) => text.includes(phrase) && (!AMBIGUOUS.has(phrase) || names.some(name => text.includes(name))),
    )
    if (found) return found[1]
  }
  return null
}

/** Some servers report an unregistered domain in the status field. */
export const saysUnregistered = (status: string): boolean =>
  FREE.has(status) || phraseIn([status], ['']) === 'not_registered'
