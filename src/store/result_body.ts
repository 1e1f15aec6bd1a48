// A result as it is stored and answered. What all its answers share is written once, as the members of a JSON object without the
// braces; an answer is the object of these members and its own. Parsing and writing a result of 12 KB anew for each answer takes 80 µs,
// which is more than all the rest of a cached answer; putting the two parts into one object takes 2 µs.
import { isResultId } from './history.ts'

/** The members that differ by answer. */
interface OwnMembers {
  readonly process_time_ms: number
  readonly cached: boolean
  /** Only of an expired result, served because nothing can be checked now. */
  readonly stale?: true
}

/** Members as JSON, as they stand between the braces of an object. `undefined` is no member. */
const membersText = (members: object): string =>
  Object.entries(members)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${JSON.stringify(name)}:${JSON.stringify(value)}`]))
    .join(',')

const ownMembers = (processTimeMs: number, isCached: boolean, stale: boolean): OwnMembers => ({
  process_time_ms: processTimeMs,
  cached: isCached,
  ...(stale && { stale }),
})

/**
 * The members that all answers with a result share, written once. They have memory of their own instead of a slice of a shared pool, so that
 * the cache knows their real size. They begin with `result_id`, the id of the kept result, or null when it is not kept.
 */
export function prepareBody(result: Readonly<Record<string, unknown>>, resultId: string | null = null): Buffer {
  const { process_time_ms, cached, result_id: _, ...lasting } = result
  const text = membersText({ result_id: resultId, ...lasting })
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}

/**
 * The whole body of one answer as Latin-1, one character for each byte: it is sent in one write with the headers and takes no memory
 * outside the heap. `process_time_ms` is an integer.
 */
export const finishBody = (body: Buffer, ...own: OwnMembersOf): string =>
  `{${body.toString('latin1')}${endOfBody(...own)}`

type OwnMembersOf = [process_time_ms: number, cached: boolean, stale?: boolean]

/** What follows the prepared members in the body of one answer. */
export const endOfBody = (...[processTimeMs, isCached, stale = false]: OwnMembersOf): string =>
  `,${membersText(ownMembers(processTimeMs, isCached, stale))}}`

/** The same as an object. */
export const finishedResult = (
  body: Buffer,
  processTimeMs: number,
  isCached: boolean,
  stale = false,
): Record<string, unknown> => ({
  ...JSON.parse(`{${body.toString()}}`),
  ...ownMembers(processTimeMs, isCached, stale),
})

const ID_START = '"result_id":"'
const ID_LENGTH = 22

/** The id with which a prepared body begins; null when the result is not kept. Asked at every cached answer, which parses nothing. */
export function resultIdOf(body: Buffer): string | null {
  const start = body.toString('latin1', 0, ID_START.length + ID_LENGTH)
  const id = start.slice(ID_START.length)
  return start.startsWith(ID_START) && isResultId(id) ? id : null
}
