// The DNS zone around a name: name servers, CAA and DNSSEC.
import type { Answer } from '../../network/resolver.ts'

export interface Dns {
  /** NS of the closest enclosing zone, and that zone's name. */
  readonly ns: Answer<string>
  readonly zone: string | null
  /** CAA of the closest ancestor that has any (RFC 8659 section 3), and that ancestor. */
  readonly caa: Answer<{ readonly critical: boolean; readonly tag: string; readonly value: string }>
  readonly caa_at: string | null
  /** TXT at the name itself, each record's strings joined. */
  readonly txt: Answer<string>
  /** DS at the registrable domain, or where that is only a private suffix's, at the registered one; a found DS means the zone is signed. */
  readonly ds: Answer<{ readonly key_tag: number; readonly algorithm: number; readonly digest_type: number }>
  /** The resolver validated the answer (AD), refused it as bogus (SERVFAIL that CD lifts), saw it unsigned, or cannot tell. */
  readonly dnssec: 'signed' | 'unsigned' | 'bogus' | 'unknown'
}
