// The SPF record of a name with all it includes and redirects to, walked level by level within RFC 7208's limits.

import type { Answer } from '../../network/resolve.ts'
import type { Ask } from './ask.ts'
import type { SpfTree } from './facts.ts'
import { leave, look, type SpfStep } from './spf_lookup.ts'
import { createNode, type OpenNode } from './spf_node.ts'
import { lookupTerms } from './spf_record.ts'

/** Terms that may cost a lookup in one evaluation (RFC 7208 section 4.6.4): with more, no sender gets an answer. */
const LOOKUP_LIMIT = 10

function steps(node: OpenNode, path: readonly string[]): SpfStep[] {
  const { record } = node
  if (record === null) return []
  return lookupTerms(record).flatMap(index => {
    const term = record.terms[index]
    return term === undefined ? [] : [{ node, path, index, term }]
  })
}

/**
 * Follows the record that the TXT answer at `domain` holds. A level is asked for at once and counted before: at most 10
 * terms are looked up, so at most 20 questions are asked and 10 levels read. A name met again on its own way is a loop;
 * one that two branches share is not.
 */
export async function walkSpf(domain: string, txt: Answer<string>, ask: Ask): Promise<SpfTree> {
  const root = createNode(domain, txt)
  let lookups = 0
  let void_lookups = 0
  for (let level = steps(root, [domain]); level.length > 0; ) {
    lookups += level.length
    const within = lookups <= LOOKUP_LIMIT
    const looked = await Promise.all(
      level.map(async step => ({ step, lookup: within ? await look(step, ask) : leave(step) })),
    )
    for (const { step, lookup } of looked) step.node.lookups.push(lookup)
    void_lookups += looked.filter(({ lookup }) => lookup.status === 'void').length
    level = looked.flatMap(({ step, lookup: { child } }) =>
      child === null ? [] : steps(child, [...step.path, child.name]),
    )
  }
  return { root, lookups, void_lookups, complete: lookups <= LOOKUP_LIMIT }
}
