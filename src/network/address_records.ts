// A and AAAA of a name, asked at once, neither waiting long for the other.
import type { CheckNetwork } from './network.ts'
import type { Answer } from './resolve.ts'
import { within } from './within.ts'

/** Milliseconds a family's answer is awaited when the other has brought an address to dial (RFC 8305 section 3, but longer: both are shown). */
const FAMILY_GRACE_MS = 200

export interface AddressRecords {
  readonly v6: Answer<string>
  readonly v4: Answer<string>
}

/** One that is still out when the grace after the other is over counts as silent. Never rejects. */
export async function queryAddresses(
  { resolver, refuse }: CheckNetwork,
  name: string,
  signal: AbortSignal,
): Promise<AddressRecords> {
  const aaaa = resolver.query(name, 'AAAA', { signal })
  const a = resolver.query(name, 'A', { signal })
  const graced = async (mine: Promise<Answer<string>>, other: Promise<Answer<string>>) => {
    const answer = await other
    const suffices = answer.status === 'found' && answer.records.some(address => refuse(address) === null)
    return suffices ? ((await within(FAMILY_GRACE_MS, mine)) ?? silent) : mine
  }
  const [v6, v4] = await Promise.all([Promise.race([aaaa, graced(aaaa, a)]), Promise.race([a, graced(a, aaaa)])])
  return { v6, v4 }
}

const silent = { status: 'unknown', reason: 'timeout' } as const
