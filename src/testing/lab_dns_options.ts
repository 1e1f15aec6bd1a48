// What the lab's DNS server is told: its records, and how to answer otherwise than from them.
import type { LabRecords, LabZones, RCODE } from './lab_zones.ts'

/** A question as it arrived. `name` is lower case without the final dot. */
export interface LabQuestion {
  readonly name: string
  readonly type: string
  readonly transport: 'udp' | 'tcp'
  /** CD was set. */
  readonly checkingDisabled: boolean
  /** An OPT record came with it (RFC 6891). */
  readonly edns: boolean
}

/** How to answer one question otherwise than from the records; the fields combine. */
export interface LabFault {
  /** Answer from these records instead: alternate them and the name rebinds. */
  readonly records?: LabRecords
  /** Milliseconds before the answer, beside the server's own. */
  readonly delay_ms?: number
  /** Do not answer at all. */
  readonly silent?: boolean
  /** An error code instead of an answer. */
  readonly rcode?: keyof typeof RCODE
  /** TC over UDP, without records. */
  readonly truncate?: boolean
  readonly wrong_id?: boolean
  readonly wrong_question?: boolean
  /** These octets as they are, one message each, made from the honest reply; over TCP they are the stream. */
  readonly raw?: (reply: Buffer) => readonly Buffer[]
  /** Over TCP: milliseconds between single octets. */
  readonly drip_ms?: number
}

export interface LabDnsOptions {
  /** Records by name. Read anew for each question, so a test may change them as it goes. */
  readonly zones: LabZones
  /** Milliseconds every answer takes. */
  readonly delay_ms?: number
  /** Seconds; the TTL of every record, 300 when absent. */
  readonly ttl?: number
  /** Names at or below these are DNSSEC-validated: AD is set for those who ask for it. */
  readonly signed?: readonly string[]
  /** Names at or below these fail validation: SERVFAIL unless CD is set. */
  readonly bogus?: readonly string[]
  /** False: a CNAME is answered alone, its target must be asked for. */
  readonly chase?: boolean
  /** Asked before each answer; undefined is the honest one. */
  readonly fault?: (question: LabQuestion) => LabFault | undefined
  /** 0, the default, takes any free port. */
  readonly port?: number
  /** The address to listen on, 127.0.0.1 when absent. */
  readonly host?: string
}
