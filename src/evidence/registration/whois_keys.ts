// Under which keys WHOIS servers write what, as data.

/**
 * `anywhere`: the key says that it is the domain's. `in_domain`: it may be anything's, and counts only in a paragraph
 * that names the domain; contacts have a `created` of their own.
 */
export interface Keys {
  readonly anywhere: ReadonlySet<string>
  readonly in_domain: ReadonlySet<string>
}

const keys = (anywhere: readonly string[], in_domain: readonly string[] = []): Keys => ({
  anywhere: new Set(anywhere),
  in_domain: new Set(in_domain),
})

export const DOMAIN_KEYS = keys(['domain', 'domain name'])

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
    'domain expires',
    'exp date',
    'expiration date',
    'expiration time',
    'expire date',
    'expires at',
    'expires on',
    'expiry date',
    'paid-till',
    'record expires on',
    'registry expiry date',
    'renewal date',
    'valid until',
    'validity',
  ],
  ['expire', 'expires', 'expiry'],
)

export const UPDATED_KEYS = keys(
  ['domain record last updated', 'last updated', 'last updated on', 'record last updated on', 'updated date'],
  ['changed', 'last modified', 'last update', 'modified', 'updated'],
)

export const REGISTRAR_KEYS = keys([
  'current registar',
  'current registrar',
  'registrar',
  'registrar name',
  'registration service provider',
  'sponsoring registrar',
])

/** Where a registrar's name stands on a line of its own below the heading. */
export const NAME_KEYS: ReadonlySet<string> = new Set(['name', 'organization', 'organisation'])

export const STATUS_KEYS = keys(
  ['domain state', 'domain status', 'epp status', 'registration status'],
  ['state', 'status'],
)

export const DNSSEC_KEYS = keys(['dnssec'], ['signed'])

export const NAME_SERVER_KEYS = keys([
  'dns',
  'domain servers',
  'domain servers in listed order',
  'name server',
  'name servers',
  'name servers information',
  'nameserver',
  'nameservers',
  'nserver',
  'primary server',
  'secondary server',
])
