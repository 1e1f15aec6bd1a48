// The reply of the lab's DNS to one query: the records, or the requested fault.
import { setTimeout as sleep } from 'node:timers/promises'
import { decode, encode } from 'dns-packet'
import type { LabDnsOptions, LabFault, LabQuestion } from './lab_dns_options.ts'
import { PUBLIC_ZONES, RCODE, resolveInLab } from './lab_zones.ts'

export interface Asked {
  readonly id: number
  readonly question: LabQuestion
  readonly wantsAd: boolean
  /** Octets that the client accepts over UDP. */
  readonly payload: number
}

export interface LabReply {
  /** As sent: over TCP with length prefixes. */
  readonly messages: readonly Buffer[]
  readonly drip_ms?: number
}

/** Null for a message without a question. */
export function readQuestion(query: Buffer, transport: LabQuestion['transport']): Asked | null {
  try {
    const packet = decode(query)
    const asked = packet.questions?.[0]
    if (!asked) return null
    const opt = packet.additionals?.find(record => record.type === 'OPT')
    const name = asked.name === '.' ? '' : asked.name.toLowerCase()
    return {
      id: packet.id ?? 0,
      question: { name, type: asked.type, transport, checkingDisabled: packet.flag_cd, edns: opt !== undefined },
      wantsAd: packet.flag_ad || (opt?.type === 'OPT' && opt.flag_do),
      payload: Math.max(512, opt?.type === 'OPT' ? opt.udpPayloadSize : 0),
    }
  } catch {
    return null
  }
}

export async function replyTo(asked: Asked, options: LabDnsOptions): Promise<LabReply> {
  const fault = options.fault?.(asked.question) ?? {}
  const wait = (options.delay_ms ?? 0) + (fault.delay_ms ?? 0)
  if (wait > 0) await sleep(wait, undefined, { ref: false })
  if (fault.silent) return { messages: [] }
  const whole = honest(asked, options, { ...fault, truncate: false })
  const cut = asked.question.transport === 'udp' && (fault.truncate || whole.length > asked.payload)
  const message = cut ? honest(asked, options, { ...fault, truncate: true }) : whole
  const messages = fault.raw ? fault.raw(message) : [asked.question.transport === 'tcp' ? framed(message) : message]
  return { messages, ...(fault.drip_ms ? { drip_ms: fault.drip_ms } : {}) }
}

const FLAG = { AA: 1 << 10, TC: 1 << 9, RD: 1 << 8, RA: 1 << 7, AD: 1 << 5 }

function honest(asked: Asked, options: LabDnsOptions, fault: LabFault): Buffer {
  const { name, type, checkingDisabled } = asked.question
  const under = (zones: readonly string[] = []) => zones.some(zone => name === zone || name.endsWith(`.${zone}`))
  const zones = { ...PUBLIC_ZONES, ...options.zones, ...(fault.records && { [name]: fault.records }) }
  const found = resolveInLab(zones, name, type, { ttl: options.ttl ?? 300, chase: options.chase ?? true })
  const rcode = fault.rcode ?? (under(options.bogus) && !checkingDisabled ? 'SERVFAIL' : undefined)
  const empty = rcode !== undefined || fault.truncate === true
  const ad = asked.wantsAd && !empty && under(options.signed)
  return encode({
    type: 'response',
    id: fault.wrong_id ? asked.id ^ 1 : asked.id,
    flags: FLAG.RD | FLAG.RA | (ad ? FLAG.AD : 0) | (fault.truncate ? FLAG.TC : 0) | RCODE[rcode ?? found.rcode],
    questions: [{ name: fault.wrong_question ? `x.${name}` : name, type: asked.question.type as 'A' }],
    answers: empty ? [] : found.answers,
    authorities: empty ? [] : found.authorities,
  })
}

function framed(message: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(message.length)
  return Buffer.concat([length, message])
}
