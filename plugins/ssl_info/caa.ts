// Whether the domain's CAA records name the authority that issued the certificate (RFC 8659).
import {
  dataFile,
  type Evidence,
  type Missing,
  missedReason,
  type Target,
  TextList,
  Type,
} from '../../src/engine/plugin.ts'
import data from './data/authorities.json' with { type: 'json' }
import { namesHost } from './host_name.ts'
import type { Certificate, Tls } from './tls.ts'

type Dns = Evidence['dns']
type CaaAnswer = Dns['caa']
type Records = Extract<CaaAnswer, { status: 'found' }>['records']

/** What the CAA records say of the issuer of the certificate. */
export interface Authorization {
  /** The name that has the records. */
  readonly found_at: string
  /** The authorities that may issue, by the names in the records that apply. */
  readonly allowed: readonly string[]
  /** Null for an issuer whose CAA names we do not know. */
  readonly permits_issuer: boolean | null
}

/** IANA's registry of CAA properties. A critical one beside them forbids all authorities to issue. */
const PROPERTIES = new Set(['issue', 'issuewild', 'iodef', 'issuemail', 'issuevmc', 'contactemail', 'contactphone'])

const valuesOf = (records: Records, property: string): string[] =>
  records.filter(({ tag }) => tag.toLowerCase() === property).map(({ value }) => value)

/** The name of the authority in a value such as `ca.example; account=1`. Empty for a value that allows none. */
const authorityIn = (value: string): string => (value.split(';')[0] ?? '').trim().toLowerCase()

/** For a certificate of wildcards, the records that count are those that the domain of the wildcard has or inherits. */
function valuesThatApply(records: Records, leaf: Certificate, host: string, foundAt: string): string[] {
  if (leaf.dns_names.includes(host)) return valuesOf(records, 'issue')
  if (foundAt === host) return []
  const wild = valuesOf(records, 'issuewild')
  return wild.length > 0 ? wild : valuesOf(records, 'issue')
}

/** Whether CAA records can say anything about the certificate. */
export function isCaaOf({ chain, anchored }: Tls, { domain }: Target): boolean {
  const [leaf] = chain
  return leaf !== undefined && domain !== null && anchored === true && namesHost(leaf, domain)
}

/** Why it is unknown whether there are CAA records; null if it is known, or if there is nothing to ask. */
export function caaUnseen(dns: Dns | null, missing: Missing | undefined): string | null {
  if (dns === null) return missedReason({ ...(missing && { dns: missing }) })
  return dns.caa.status === 'unknown' ? `caa_${dns.caa.reason}` : null
}

/** Null if no record restricts who may issue this certificate, or if that is unknown. */
export function judgeCaa(dns: Dns | null, tls: Tls, target: Target): Authorization | null {
  const [leaf] = tls.chain
  const host = target.domain
  if (dns?.caa.status !== 'found' || dns.caa_at === null || leaf === undefined || host === null) return null
  const { records } = dns.caa
  if (!isCaaOf(tls, target)) return null
  const foundAt = dns.caa_at
  const values = valuesThatApply(records, leaf, host, foundAt)
  const forbidsAll = records.some(({ critical, tag }) => critical && !PROPERTIES.has(tag.toLowerCase()))
  if (values.length === 0 && !forbidsAll) return null
  const authorities = forbidsAll ? [] : [...new Set(values.map(authorityIn).filter(name => name !== ''))]
  const names = caaDomainsOf(leaf.issuer.organization ?? '')
  const isPermitted = names?.some(name => authorities.includes(name)) ?? null
  return { found_at: foundAt, allowed: authorities, permits_issuer: authorities.length > 0 && isPermitted }
}

// Certificate authorities by the names in their certificates, and the domain names by which each is named in CAA records
// (CA/Browser Forum Baseline Requirements section 4.2.2.1: an authority publishes them in its practice statement).
export const AuthoritiesFile = dataFile({
  authorities: Type.Array(
    Type.Object({ organizations: TextList, caa_domains: TextList }, { additionalProperties: false }),
    { minItems: 1 },
  ),
})

/** Spelling differs in case and in punctuation. */
const keyOf = (organization: string): string => organization.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')

const byOrganization: ReadonlyMap<string, readonly string[]> = new Map(
  data.authorities.flatMap(({ organizations, caa_domains }) => organizations.map(name => [keyOf(name), caa_domains])),
)

/** Null for an authority that is not in the table. */
export const caaDomainsOf = (organization: string): readonly string[] | null =>
  byOrganization.get(keyOf(organization)) ?? null
