// What a reply says about a name: only records that the name owns, or that its chain of CNAMEs leads to, count.
import { type Frame, RCODE, type Reply, TYPE } from './dns_message.ts'
import { isWithin } from './dns_name.ts'
import { readers } from './dns_records.ts'
import type { RecordData, RecordType } from './resolve.ts'

/** Seconds; also for TTLs with the high bit set (RFC 8767 section 4). */
export const MAX_TTL = 86_400

export interface Step<T> {
  readonly records: readonly T[]
  /** CNAME targets passed in this reply, in order. */
  readonly cnames: readonly string[]
  /** Seconds; the smallest TTL of what was used. */
  readonly ttl: number
  /** Where the chain ends. */
  readonly end: string
  /** The reply speaks for the end of the chain too; else that has to be asked for. */
  readonly settled: boolean
}

/** Follows the chain from `name`; `passed` holds the names already seen and grows. At most `longest` aliases are passed in all. */
export function readAnswer<T extends RecordType>(
  reply: Reply,
  name: string,
  type: T,
  passed: Set<string>,
  longest: number,
): Step<RecordData[T]> | 'malformed' | 'cname_loop' | 'cname_too_long' {
  const cnames: string[] = []
  let ttl = MAX_TTL
  for (let end = name; ; ) {
    const owned = reply.answers.filter(frame => frame.owner === end && frame.type === TYPE[type])
    const alias = owned.length > 0 ? undefined : reply.answers.find(isAliasOf(end))
    if (!alias) {
      const records = readAll(reply.message, owned, type)
      for (const frame of owned) ttl = Math.min(ttl, frame.ttl)
      const settled = cnames.length === 0 || reply.rcode === RCODE.NXDOMAIN || isDenied(reply, end)
      return records ? { records, cnames, ttl, end, settled } : 'malformed'
    }
    const target = readers.CNAME(reply.message, alias)
    if (target === null) return 'malformed'
    if (passed.has(target)) return 'cname_loop'
    passed.add(target)
    if (passed.size > longest + 1) return 'cname_too_long'
    cnames.push(target)
    ttl = Math.min(ttl, alias.ttl)
    end = target
  }
}

const isAliasOf = (name: string) => (frame: Frame) => frame.owner === name && frame.type === TYPE.CNAME

/** RFC 2308 section 2.2: the SOA of the zone beside an empty answer says that there is no data. */
const isDenied = (reply: Reply, name: string): boolean =>
  reply.authorities.some(frame => frame.type === TYPE.SOA && isWithin(name, frame.owner))

/** The same section: where to ask instead, which says nothing of the name. */
export const isReferral = ({ answers, authorities }: Reply): boolean =>
  answers.length === 0 && authorities.some(isOf(TYPE.NS)) && !authorities.some(isOf(TYPE.SOA))

export const hasSoa = ({ authorities }: Reply): boolean => authorities.some(isOf(TYPE.SOA))

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
