// Is a list what it says it is? Its test points (RFC 5782 section 5) are always and never listed: dead lists list
// nothing or the world, and neither may reach a result.
import type { Answer } from '../../network/resolve.ts'
import type { BlockList } from './block_list.ts'
import { reversedAddress } from './query_name.ts'
import { readListing } from './reading.ts'

/** What the test points showed; beside these, the list's own reason for not answering, as readings give it. */
export type Proof = 'healthy' | 'lists_everything' | 'test_point_missing' | (string & {})

export interface TestPoints {
  readonly listed: readonly string[]
  readonly unlisted: readonly string[]
}

/** Names below the list's zone. A list of both families is proven by IPv4 alone: few of them keep the other test point. */
export function testPoints({ asks, test_points }: Pick<BlockList, 'asks' | 'test_points'>): TestPoints {
  if (test_points) return test_points
  const names = asks.includes('host') || asks.includes('registrable')
  const four = asks.includes('ipv4')
  const six = asks.includes('ipv6') && !four
  const addresses = four ? ['127.0.0.2', '127.0.0.1'] : six ? ['::ffff:7f00:2', '::ffff:7f00:1'] : []
  const [listed, unlisted] = addresses.map(reversedAddress)
  return {
    listed: [...(names ? ['test'] : []), ...(listed ? [listed] : [])],
    unlisted: [...(names ? ['invalid'] : []), ...(unlisted ? [unlisted] : [])],
  }
}

/** Null when the answers prove nothing, for lack of them. */
export function judgeTestPoints(
  list: BlockList,
  listed: readonly Answer<string>[],
  unlisted: readonly Answer<string>[],
): Proof | null {
  const must = listed.map(answer => readListing(list, answer))
  const mustNot = unlisted.map(answer => readListing(list, answer))
  if (mustNot.some(({ status }) => status === 'listed')) return 'lists_everything'
  const all = [...must, ...mustNot]
  const refusal = all.find(reading => reading.status === 'unknown' && reading.by === 'list')
  if (refusal?.status === 'unknown') return refusal.reason
  if (must.some(({ status }) => status === 'not_listed')) return 'test_point_missing'
  return all.some(({ status }) => status === 'unknown') ? null : 'healthy'
}
