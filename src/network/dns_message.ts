// DNS messages (RFC 1035 section 4): queries, replies, and what a reply says about a name. dns-packet encodes our
// queries. It does not decode replies: it ignores RDLENGTH and rejects a whole message because of one odd record.
import { randomInt } from 'node:crypto'
import { encode, type OptAnswer } from 'dns-packet'
import { readName } from './dns_name.ts'
import { type Frame, isWithin, type RecordData, type RecordType, readers } from './dns_records.ts'

/** Type numbers of the records that can be queried (RFC 1035 section 3.2.2 and later). */
export const TYPE: Readonly<Record<RecordType, number>> = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  DS: 43,
  DNSKEY: 48,
  TLSA: 52,
  SVCB: 64,
  HTTPS: 65,
  CAA: 257,
}
const CLASS_IN = 1
const OPT_TYPE = 41
/** Codes above 15 take their upper bits from the OPT record (RFC 6891 section 6.1.3). */
export const RCODE = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, BADVERS: 16 }
const FLAG = { QR: 1 << 15, AA: 1 << 10, TC: 1 << 9, RD: 1 << 8, AD: 1 << 5, CD: 1 << 4 }
const OPCODE = 0xf << 11
/** In the flags of EDNS: signatures are wanted (RFC 3225). */
const DNSSEC_OK = 1 << 15
const RRSIG = 46
/** Record sets with signatures that are read: they expire together with all others of a zone, and few queries ask for them. */
const SIGNED_TYPES: ReadonlySet<RecordType> = new Set<RecordType>(['SOA', 'DNSKEY'])
const OPT: OptAnswer = {
  type: 'OPT',
  name: '.',
  /** Octets we accept over UDP: small enough to pass every path unfragmented (DNS flag day 2020). */
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

export interface Reply {
  readonly message: Buffer
  readonly rcode: number
  readonly truncated: boolean
  readonly authenticated: boolean
  /** The server has the zone itself. */
  readonly authoritative: boolean
  readonly answers: readonly Frame[]
  readonly authorities: readonly Frame[]
}

/**
 * A recursive query that asks for the AD bit (RFC 6840 section 5.7), with EDNS (RFC 6891) by default. Requires
 * `isAskable(name)`.
 */
export const createQuery = (name: string, type: RecordType, checkingDisabled: boolean, edns = true): Query =>
  queryOf(name, type, FLAG.RD | FLAG.AD | (checkingDisabled ? FLAG.CD : 0), {
    edns,
    signatures: SIGNED_TYPES.has(type),
  })

/** A query to a name server itself, which answers from its zones alone. Requires `isAskable(name)`. */
export const createDirectQuery = (name: string, type: RecordType): Query =>
  queryOf(name, type, 0, { edns: true, signatures: false })

function queryOf(
  name: string,
  type: RecordType,
  flags: number,
  { edns, signatures }: { readonly edns: boolean; readonly signatures: boolean },
): Query {
  const id = randomInt(0x10000)
  const message = encode({
    type: 'query',
    id,
    flags,
    // By its number, because dns-packet has no names for the newer types.
    questions: [{ name, type: `UNKNOWN_${TYPE[type]}` as 'A' }],
    additionals: edns ? [{ ...OPT, flags: signatures ? DNSSEC_OK : 0, flag_do: signatures }] : [],
  })
  return { id, name, type: TYPE[type], message }
}

/** `foreign`: not a reply to this query, whoever sent it. `malformed`: a reply to this query that cannot be read. */
export function readReply(message: Buffer, query: Query): Reply | 'foreign' | 'malformed' {
  if (message.length < 12 || message.readUInt16BE(0) !== query.id) return 'foreign'
  const flags = message.readUInt16BE(2)
  if (!(flags & FLAG.QR) || flags & OPCODE) return 'foreign'
  const head = {
    message,
    rcode: flags & 0xf,
    truncated: (flags & FLAG.TC) !== 0,
    authenticated: (flags & FLAG.AD) !== 0,
    authoritative: (flags & FLAG.AA) !== 0,
  }
  const questions = message.readUInt16BE(4)
  const start = questions === 1 ? endOfQuestion(message, query) : null
  // A server that cannot read a query, or refuses it, may return the header alone; a real answer repeats the question.
  if (start === null && (questions > 0 || !isError(head.rcode))) return 'foreign'
  if (start === null || head.truncated) return { answers: [], authorities: [], ...head }
  const answers = readFrames(message, start, message.readUInt16BE(6))
  const authorities = answers && readFrames(message, answers.end, message.readUInt16BE(8))
  if (!authorities) return 'malformed'
  const rcode = head.rcode | upperRcode(message, authorities.end)
  return { answers: answers.frames, authorities: authorities.frames, ...head, rcode }
}

/** The upper bits of a response code, from the OPT record. 0 without one. */
function upperRcode(message: Buffer, start: number): number {
  const opt = readFrames(message, start, message.readUInt16BE(10))?.frames.find(({ type }) => type === OPT_TYPE)
  return ((opt?.ttl ?? 0) >>> 24) << 4
}

const isError = (rcode: number): boolean => rcode !== RCODE.NOERROR && rcode !== RCODE.NXDOMAIN

function endOfQuestion(message: Buffer, query: Query): number | null {
  const question = readName(message, 12)
  if (!question || question.name !== query.name || question.end + 4 > message.length) return null
  if (message.readUInt16BE(question.end) !== query.type || message.readUInt16BE(question.end + 2) !== CLASS_IN)
    return null
  return question.end + 4
}

function readFrames(message: Buffer, offset: number, count: number): { frames: Frame[]; end: number } | null {
  const frames: Frame[] = []
  let at = offset
  for (let remaining = count; remaining > 0; remaining--) {
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

/** Seconds. Also caps TTLs with the high bit set (RFC 8767 section 4). */
export const MAX_TTL = 86_400

/** When a signature is valid (RFC 4034 section 3.1.5), in seconds since the Unix epoch. */
export interface Signature {
  readonly from: number
  readonly until: number
}

export interface Step<T> {
  readonly records: readonly T[]
  /** CNAME targets in this reply, in order. */
  readonly cnames: readonly string[]
  /** Seconds: the smallest TTL of the records used. */
  readonly ttl: number
  /** Null unless signatures were asked for and sent. */
  readonly signature: Signature | null
  /** The last name of the chain. */
  readonly end: string
  /** Whether the reply also answers for the last name; if not, that name must be queried next. */
  readonly settled: boolean
}

/**
 * Follows the CNAME chain from `name`; only records that the name or its chain owns count. `visitedNames` holds the names
 * seen so far and grows. At most `maxAliases` aliases are followed in all.
 */
export function readAnswer<T extends RecordType>(
  reply: Reply,
  name: string,
  type: T,
  visitedNames: Set<string>,
  maxAliases: number,
): Step<RecordData[T]> | 'malformed' | 'cname_loop' | 'cname_too_long' {
  const cnames: string[] = []
  let ttl = MAX_TTL
  for (let end = name; ; ) {
    const frames = reply.answers.filter(frame => frame.owner === end && frame.type === TYPE[type])
    const alias = frames.length > 0 ? undefined : reply.answers.find(isAliasOf(end))
    if (!alias) {
      const records = readAll(reply.message, frames, type)
      for (const frame of frames) ttl = Math.min(ttl, frame.ttl)
      const isSettled = cnames.length === 0 || reply.rcode === RCODE.NXDOMAIN || isDenied(reply, end)
      const signature = signatureOf(reply, end, type)
      return records ? { records, cnames, ttl, signature, end, settled: isSettled } : 'malformed'
    }
    const target = readers.CNAME(reply.message, alias)
    if (target === null) return 'malformed'
    if (visitedNames.has(target)) return 'cname_loop'
    visitedNames.add(target)
    if (visitedNames.size > maxAliases + 1) return 'cname_too_long'
    cnames.push(target)
    ttl = Math.min(ttl, alias.ttl)
    end = target
  }
}

/** The signature of a record set that lasts longest: one that is valid is enough. */
function signatureOf({ message, answers }: Reply, owner: string, type: RecordType): Signature | null {
  const signatures = answers
    .filter(frame => frame.owner === owner && frame.type === RRSIG && frame.end - frame.start > RRSIG_TIMES.end)
    .filter(({ start }) => message.readUInt16BE(start) === TYPE[type])
    .map(({ start }) => ({
      from: message.readUInt32BE(start + RRSIG_TIMES.inception),
      until: message.readUInt32BE(start + RRSIG_TIMES.expiration),
    }))
  return signatures.toSorted((one, other) => other.until - one.until)[0] ?? null
}

/** Offsets in the data of an RRSIG record (RFC 4034 section 3.1). */
const RRSIG_TIMES = { expiration: 8, inception: 12, end: 16 }

const isAliasOf = (name: string) => (frame: Frame) => frame.owner === name && frame.type === TYPE.CNAME

/** NODATA: an empty answer with the SOA record of the zone (RFC 2308 section 2.2). */
const isDenied = (reply: Reply, name: string): boolean =>
  reply.authorities.some(frame => frame.type === TYPE.SOA && isWithin(name, frame.owner))

/** A referral names servers to ask instead; it says nothing about the name (RFC 2308 section 2.2). */
export const isReferral = ({ answers, authorities }: Reply): boolean =>
  answers.length === 0 && authorities.some(isOf(TYPE.NS)) && !authorities.some(isOf(TYPE.SOA))

export const hasSoa = ({ authorities }: Reply): boolean => authorities.some(isOf(TYPE.SOA))

/** The records of one type that the name owns; null when one is malformed. */
export const recordsOf = <T extends RecordType>(
  { message }: Pick<Reply, 'message'>,
  frames: readonly Frame[],
  name: string,
  type: T,
): RecordData[T][] | null =>
  readAll(
    message,
    frames.filter(frame => frame.owner === name && frame.type === TYPE[type]),
    type,
  )

const isOf = (type: number) => (frame: Frame) => frame.type === type

function readAll<T extends RecordType>(message: Buffer, frames: readonly Frame[], type: T): RecordData[T][] | null {
  const records: RecordData[T][] = []
  for (const frame of frames) {
    const data = readers[type](message, frame)
    if (data === null) return null
    records.push(data)
  }
  return records
}
