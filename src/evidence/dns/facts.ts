// The DNS zone around a name: name servers, CAA and DNSSEC.
import type { DnsKey, RecordType, Soa } from '../../network/dns_records.ts'
import type { Answer } from '../../network/resolver.ts'
import type { ServiceBinding } from '../../network/service_binding.ts'

export interface Dns {
  /** NS of the closest enclosing zone, and the name of that zone. */
  readonly ns: Answer<string>
  readonly zone: string | null
  /** CAA of the closest ancestor that has any (RFC 8659 section 3), and the name of that ancestor. */
  readonly caa: Answer<{ readonly critical: boolean; readonly tag: string; readonly value: string }>
  readonly caa_at: string | null
  /** HTTPS records of the name itself (RFC 9460). Absent in older recordings. */
  readonly https?: Answer<ServiceBinding>
  /** TXT of the name itself, with each record's strings joined. */
  readonly txt: Answer<string>
  /**
   * DS at the zone if it is below the registrable domain, otherwise at the registrable domain, or at the registered one
   * if the former only belongs to a private suffix. A DS record means that the zone is signed.
   */
  readonly ds: Answer<{ readonly key_tag: number; readonly algorithm: number; readonly digest_type: number }>
  /** SOA of the zone; null if no zone was found. */
  readonly soa: Answer<Soa> | null
  /** DNSKEY at the owner of the DS records; null if there are none, so that it was not asked. */
  readonly dnskey: Answer<DnsKey> | null
  /** For the first name servers, whether they have an IPv6 address; null if unknown. */
  readonly name_server_ipv6: readonly { readonly name: string; readonly ipv6: boolean | null }[]
  /** `signed`: the resolver validated the answer (AD). `bogus`: some record set fails validation. */
  readonly dnssec: 'signed' | 'unsigned' | 'bogus' | 'unknown'
  /**
   * The record sets for which the resolver returned SERVFAIL, but not with CD set, at most 4; those of the name itself
   * first. Absent if there are none, and in older recordings.
   */
  readonly bogus?: readonly { readonly name: string; readonly type: RecordType }[]
}
