// The reply of the lab's DNS to one query, and the configuration it follows: records, or the requested fault.

import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, decode, encode } from 'dns-packet'
import { type LabRecords, type LabZones, labType, PUBLIC_ZONES, packetType, RCODE, resolveInLab } from './lab_zones.ts'

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
  /** When the signatures of `signed` are valid, in seconds since the Unix epoch; sent to who asks for them. */
  readonly signatures?: { readonly from: number; readonly until: number }
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

export interface LabQuery {
  readonly id: number
  readonly question: LabQuestion
  readonly wantsAd: boolean
  readonly wantsSignatures: boolean
  /** Octets that the client accepts over UDP. */
  readonly payload: number
}

export interface LabReply {
  /** As sent: over TCP with length prefixes. */
  readonly messages: readonly Buffer[]
  readonly drip_ms?: number
}

/** Null for a message without a question. */
export function readQuestion(query: Buffer, transport: LabQuestion['transport']): LabQuery | null {
  try {
    const packet = decode(query)
    const question = packet.questions?.[0]
    if (!question) return null
    const opt = packet.additionals?.find(record => record.type === 'OPT')
    const name = question.name === '.' ? '' : question.name.toLowerCase()
    return {
      id: packet.id ?? 0,
      question: {
        name,
        type: labType(question.type),
        transport,
        checkingDisabled: packet.flag_cd,
        edns: opt !== undefined,
      },
      wantsSignatures: opt?.type === 'OPT' && opt.flag_do,
      wantsAd: packet.flag_ad || (opt?.type === 'OPT' && opt.flag_do),
      payload: Math.max(512, opt?.type === 'OPT' ? opt.udpPayloadSize : 0),
    }
  } catch {
    return null
  }
}

export async function replyTo(labQuery: LabQuery, options: LabDnsOptions): Promise<LabReply> {
  const fault = options.fault?.(labQuery.question) ?? {}
  const wait = (options.delay_ms ?? 0) + (fault.delay_ms ?? 0)
  if (wait > 0) await sleep(wait, undefined, { ref: false })
  if (fault.silent) return { messages: [] }
  const whole = honest(labQuery, options, { ...fault, truncate: false })
  const cut = labQuery.question.transport === 'udp' && (fault.truncate || whole.length > labQuery.payload)
  const message = cut ? honest(labQuery, options, { ...fault, truncate: true }) : whole
  const messages = fault.raw
    ? fault.raw(message)
    : [labQuery.question.transport === 'tcp' ? withLength(message) : message]
  return { messages, ...(fault.drip_ms ? { drip_ms: fault.drip_ms } : {}) }
}

const FLAG = { AA: 1 << 10, TC: 1 << 9, RD: 1 << 8, RA: 1 << 7, AD: 1 << 5 }

function honest(labQuery: LabQuery, options: LabDnsOptions, fault: LabFault): Buffer {
  const { name, type, checkingDisabled } = labQuery.question
  const under = (zones: readonly string[] = []) => zones.some(zone => name === zone || name.endsWith(`.${zone}`))
  const zones = { ...PUBLIC_ZONES, ...options.zones, ...(fault.records && { [name]: fault.records }) }
  const answer = resolveInLab(zones, name, type, { ttl: options.ttl ?? 300, chase: options.chase ?? true })
  const rcode = fault.rcode ?? (under(options.bogus) && !checkingDisabled ? 'SERVFAIL' : undefined)
  const empty = rcode !== undefined || fault.truncate === true
  const ad = labQuery.wantsAd && !empty && under(options.signed)
  const isSigned = labQuery.wantsSignatures && under(options.signed)
  return encode({
    type: 'response',
    id: fault.wrong_id ? labQuery.id ^ 1 : labQuery.id,
    flags: FLAG.RD | FLAG.RA | (ad ? FLAG.AD : 0) | (fault.truncate ? FLAG.TC : 0) | RCODE[rcode ?? answer.rcode],
    questions: [{ name: fault.wrong_question ? `x.${name}` : name, type: packetType(type) as 'A' }],
    answers: empty
      ? []
      : [...answer.answers, ...(isSigned ? signaturesOf(labQuery.question, answer.answers, options) : [])],
    authorities: empty ? [] : answer.authorities,
  })
}

/** One signature of the records that were asked for; nobody verifies it. */
function signaturesOf(
  { name, type }: LabQuestion,
  answers: readonly Answer[],
  { signatures }: LabDnsOptions,
): Answer[] {
  const hasRecords = answers.some(answer => answer.name.toLowerCase() === name && labType(answer.type) === type)
  if (signatures === undefined || !hasRecords) return []
  const { from, until } = signatures
  const key = { algorithm: 13, keyTag: 1, signersName: name, signature: Buffer.alloc(64) }
  const data = {
    ...key,
    typeCovered: packetType(type),
    labels: 2,
    originalTTL: 300,
    inception: from,
    expiration: until,
  }
  return [{ type: 'RRSIG', name, ttl: 300, class: 'IN', data }]
}

function withLength(message: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(message.length)
  return Buffer.concat([length, message])
}
