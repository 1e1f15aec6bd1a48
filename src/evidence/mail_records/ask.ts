// One question to DNS on behalf of one check, and how its failures are written down.

import { isAskable } from '../../network/dns_name.ts'
import type { Answer, RecordData, RecordType, Resolver } from '../../network/resolve.ts'
import type { Asked } from './facts.ts'

export type Ask = <Type extends RecordType>(name: string, type: Type) => Promise<Answer<RecordData[Type]>>

/** A name that DNS has no room for does not exist, and is not asked for: `_dmarc.` before a very long one is such. */
export const askWith =
  (resolver: Resolver, signal: AbortSignal): Ask =>
  async (name, type) =>
    isAskable(name) ? resolver.query(name, type, { signal }) : { status: 'not_found', authenticated: false, cnames: [] }

export const asked = (answer: Answer<unknown>): Asked => ({
  status: answer.status,
  reason: answer.status === 'unknown' ? answer.reason : null,
})

export const records = <T>(answer: Answer<T>): readonly T[] => (answer.status === 'found' ? answer.records : [])
