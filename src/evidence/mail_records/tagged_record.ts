// The one TXT record of a name that a standard of tag lists publishes there, as MTA-STS, TLS-RPT and BIMI do.

import { type Ask, asked, records } from './ask.ts'
import type { TaggedRecord } from './facts.ts'
import { parseTagList } from './tag_list.ts'

/** Asks for TXT records at the name and keeps those that are `isRecord`s, by their version. */
export async function askTagged(name: string, isRecord: (text: string) => boolean, ask: Ask): Promise<TaggedRecord> {
  const answer = await ask(name, 'TXT')
  const versioned = records(answer).filter(isRecord)
  const [only] = versioned
  return {
    name,
    ...asked(answer),
    count: versioned.length,
    record: only !== undefined && versioned.length === 1 ? parseTagList(only) : null,
  }
}
