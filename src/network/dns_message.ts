// DNS messages (RFC 1035 section 4): the query we send and the reply to it. Replies are framed by our own reader,
// bounded and exact, because dns-packet ignores RDLENGTH and gives a whole message up for one odd record.
import { randomInt } from 'node:crypto'
import { encode, type OptAnswer } from 'dns-packet'
import { readName } from './dns_name.ts'
import type { RecordType } from './resolve.ts'

/** RFC 1035 section 3.2.2 and later; what can be asked for. */
export const TYPE: Readonly<Record<RecordType, number>> = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  DS: 43,
  TLSA: 52,
  CAA: 257,
}
const CLASS_IN = 1
const OPT_TYPE = 41
/** Those beyond 15 need the OPT record's upper bits (RFC 6891 section 6.1.3). */
export const RCODE = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, BADVERS: 16 }
const FLAG = { QR: 1 << 15, TC: 1 << 9, RD: 1 << 8, AD: 1 << 5, CD: 1 << 4 }
const OPCODE = 0xf << 11
const OPT: OptAnswer = {
  type: 'OPT',
  name: '.',
  /** Octets we take over UDP: what passes every path unfragmented (DNS flag day 2020). */
  udpPayloadSize: 1232,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  options: [],
}

export interface Query {
  readonly id: number
  readonly name: string
  readonly type: number
  readonly message: Buffer
}

/** A resource record of class IN, its data not yet read; or OPT, whose class and TTL mean something else. */
export interface Frame {
  readonly owner: string
  readonly type: number
  /** Seconds, as sent. */
  readonly ttl: number
  /** Offsets of the data in the message. */
  readonly start: number
  readonly end: number
}

export interface Reply {
  readonly message: Buffer
  readonly rcode: number
  readonly truncated: boolean
  readonly authenticated: boolean
  readonly answers: readonly Frame[]
  readonly authorities: readonly Frame[]
}

/** A recursive query that asks to be shown AD (RFC 6840 section 5.7), with EDNS (RFC 6891) unless told. The name must be askable. */
export function createQuery(name: string, type: RecordType, checkingDisabled: boolean, edns = true): Query {
  const id = randomInt(0x10000)
  const message = encode({
    type: 'query',
    id,
    flags: FLAG.RD | FLAG.AD | (checkingDisabled ? FLAG.CD : 0),
    questions: [{ name, type }],
    additionals: edns ? [OPT] : [],
  })
  return { id, name, type: TYPE[type], message }
}

/** `foreign`: not the reply to this query, whoever sent it. `malformed`: it is, and cannot be read. */
export function readReply(message: Buffer, query: Query): Reply | 'foreign' | 'malformed' {
  if (message.length < 12 || message.readUInt16BE(0) !== query.id) return 'foreign'
  const flags = message.readUInt16BE(2)
  if (!(flags & FLAG.QR) || flags & OPCODE) return 'foreign'
  const head = {
    message,
    rcode: flags & 0xf,
    truncated: (flags & FLAG.TC) !== 0,
    authenticated: (flags & FLAG.AD) !== 0,
  }
  const questions = message.readUInt16BE(4)
  const start = questions === 1 ? endOfQuestion(message, query) : null
  // Who cannot read a query, or refuses it, may send its head back alone; an answer always has its question.
  if (start === null && (questions > 0 || !isError(head.rcode))) return 'foreign'
  if (start === null || head.truncated) return { answers: [], authorities: [], ...head }
  const answers = readFrames(message, start, message.readUInt16BE(6))
  const authorities = answers && readFrames(message, answers.end, message.readUInt16BE(8))
  if (!authorities) return 'malformed'
  const rcode = head.rcode | upperRcode(message, authorities.end)
  return { answers: answers.frames, authorities: authorities.frames, ...head, rcode }
}

/** The upper bits of a code that does not fit into the header, where an OPT record brings them. */
function upperRcode(message: Buffer, start: number): number {
  const opt = readFrames(message, start, message.readUInt16BE(10))?.frames.find(({ type }) => type === OPT_TYPE)
  return ((opt?.ttl ?? 0) >>> 24) << 4
}

const isError = (rcode: number): boolean => rcode !== RCODE.NOERROR && rcode !== RCODE.NXDOMAIN

function endOfQuestion(message: Buffer, query: Query): number | null {
  const asked = readName(message, 12)
  if (!asked || asked.name !== query.name || asked.end + 4 > message.length) return null
  if (message.readUInt16BE(asked.end) !== query.type || message.readUInt16BE(asked.end + 2) !== CLASS_IN) return null
  return asked.end + 4
}

function readFrames(message: Buffer, offset: number, count: number): { frames: Frame[]; end: number } | null {
  const frames: Frame[] = []
  let at = offset
  for (let left = count; left > 0; left--) {
    const owner = readName(message, at)
    if (!owner || owner.end + 10 > message.length) return null
    const start = owner.end + 10
    const end = start + message.readUInt16BE(owner.end + 8)
    if (end > message.length) return null
    const type = message.readUInt16BE(owner.end)
    const ttl = message.readUInt32BE(owner.end + 4)
    const isOurs = message.readUInt16BE(owner.end + 2) === CLASS_IN || type === OPT_TYPE
    if (isOurs) frames.push({ owner: owner.name, type, ttl, start, end })
    at = end
  }
  return { frames, end: at }
}
