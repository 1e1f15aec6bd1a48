// One SPF record in the tree that a name's policy is made of, and what each of its lookups came to.

import type { Answer } from '../../network/resolve.ts'
import { asked, records } from './ask.ts'
import type { SpfLookup, SpfNode } from './facts.ts'
import { isSpf, parseSpf, resemblesSpf } from './spf_record.ts'
import { readable } from './text.ts'

/** Texts of one name that are shown: two are already too many, these are for the reader. */
const SHOWN_TEXTS = 5

/** A node whose lookups are still being made. */
export interface OpenNode extends SpfNode {
  readonly lookups: SpfLookup[]
}

export function createNode(name: string, answer: Answer<string>): OpenNode {
  const texts = [...records(answer)].sort()
  const candidates = texts.filter(isSpf)
  const [only] = candidates
  const shown = (some: readonly string[]) => some.slice(0, SHOWN_TEXTS).map(text => readable(text))
  return {
    name,
    ...asked(answer),
    candidates: shown(candidates),
    lookalikes: shown(texts.filter(resemblesSpf)),
    record: only !== undefined && candidates.length === 1 ? parseSpf(only) : null,
    lookups: [],
  }
}

export const createLoop = (name: string): OpenNode => ({
  name,
  status: 'loop',
  reason: null,
  candidates: [],
  lookalikes: [],
  record: null,
  lookups: [],
})
