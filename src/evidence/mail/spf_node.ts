// One SPF record in the tree that a name's policy is made of, and what each of its lookups came to.
import type { Answer } from '../../network/resolve.ts'
import { type Asked, asked, records } from './ask.ts'
import { isSpf, parseSpf, resemblesSpf, type SpfRecord } from './spf_record.ts'
import { readable } from './text.ts'

/** Texts of one name that are shown: two are already too many, these are for the reader. */
const SHOWN_TEXTS = 5

/** What a term that costs a lookup came to. */
export interface SpfLookup {
  /** Index in the record's terms. */
  readonly term: number
  /** The name asked for; null when it depends on the sender. */
  readonly name: string | null
  /**
   * `void` is NXDOMAIN or no such records (RFC 7208 section 4.6.4). `not_asked` has the reason `depends_on_sender`,
   * `not_a_name` (an empty or overlong label, a character that no question holds) or `limit` (the tree had proven too large).
   */
  readonly status: 'answered' | 'void' | 'unknown' | 'not_asked'
  readonly reason: string | null
  /** Hosts behind an `mx` mechanism; null for others. */
  readonly mx_hosts: number | null
  /** What an `include` or `redirect` leads to, when it was asked for. */
  readonly child: SpfNode | null
}

export interface SpfNode {
  readonly name: string
  /** How its TXT records were found; `loop`: the name is under evaluation on the way here, so it was not asked again. */
  readonly status: Asked['status'] | 'loop'
  readonly reason: string | null
  /** The TXT records with the version section, sorted: one is the record, two are an error; at most 5. */
  readonly candidates: readonly string[]
  /** TXT records that look like SPF to a person and not to a receiver; at most 5. */
  readonly lookalikes: readonly string[]
  /** Parsed when there is exactly one. */
  readonly record: SpfRecord | null
  readonly lookups: readonly SpfLookup[]
}

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
