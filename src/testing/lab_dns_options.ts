// The configuration of the lab's DNS server: its records, and the faults to answer with.
import type { LabRecords, LabZones, RCODE } from './lab_zones.ts'

/** A query as it arrived. `name` is lower case without the final dot. */
export interface LabQuestion {
  readonly name: string
  readonly type: string
  readonly transport: 'udp' | 'tcp'
  /** The CD flag was set. */
  readonly checkingDisabled: boolean
  /** The query had an OPT record (RFC 6891). */
  readonly edns: boolean
}

/** How to answer one query other than from the records. The fields can be combined. */
export interface LabFault {
  /** Answers from these records; alternate them to simulate DNS rebinding. */
  readonly records?: LabRecords
  /** Milliseconds before the answer, in addition to the server's own delay. */
  readonly delay_ms?: number
  /** Sends no answer. */
  readonly silent?: boolean
  /** Answers with an error code. */
  readonly rcode?: keyof typeof RCODE
  /** Sets TC over UDP and sends no records. */
  readonly truncate?: boolean
  readonly wrong_id?: boolean
  readonly wrong_question?: boolean
  /** Sends these octets unchanged, one message each, made from the regular reply. Over TCP they are the stream. */
  readonly raw?: (reply: Buffer) => readonly Buffer[]
  /** Over TCP: milliseconds between octets. */
  readonly drip_ms?: number
}

export interface LabDnsOptions {
  /** Records by name. Read for each query, so a test may change them. */
  readonly zones: LabZones
  /** Milliseconds before every answer. */
  readonly delay_ms?: number
  /** The TTL of every record in seconds; 300 by default. */
  readonly ttl?: number
  /** Names at or below these are DNSSEC-validated: AD is set if the client asks for it. */
  readonly signed?: readonly string[]
  /** Names at or below these fail validation: SERVFAIL unless CD is set. */
  readonly bogus?: readonly string[]
  /** If false, a CNAME is answered alone, and the client must ask for its target. */
  readonly chase?: boolean
  /** Called before each answer; undefined means the regular answer. */
  readonly fault?: (question: LabQuestion) => LabFault | undefined
  /** 0, the default, selects any free port. */
  readonly port?: number
  /** The address to listen on; 127.0.0.1 by default. */
  readonly host?: string
}
