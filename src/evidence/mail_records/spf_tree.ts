// Walks a name's SPF record with everything it includes or redirects to, level by level, within RFC 7208's limits.
import { canonicalName, isAskable } from '../../network/dns_records.ts'
import type { Answer } from '../../network/resolver.ts'
import { type Ask, outcomeOf, readable, records } from './dns_records.ts'
import type { QueryOutcome, SpfLookup, SpfNode, SpfTerm, SpfTree } from './facts.ts'
import { expand, parseDomainSpec } from './spf_macro.ts'
import { isSpf, lookupTerms, parseSpf, resemblesSpf } from './spf_record.ts'

/** Terms that may cost a lookup in one evaluation (RFC 7208 section 4.6.4); beyond it, evaluation is a permanent error. */
const LOOKUP_LIMIT = 10

function stepsOf(node: OpenNode, path: readonly string[]): SpfStep[] {
  const { record } = node
  if (record === null) return []
  return lookupTerms(record).flatMap(index => {
    const term = record.terms[index]
    return term === undefined ? [] : [{ node, path, index, term }]
  })
}

/**
 * Follows the record in the TXT answer at `domain`. Counts the terms of a level, then looks them all up at once: at most 10
 * terms, so at most 20 queries and 10 levels. A name that repeats on its own path is a loop; a name that two branches
 * share is not.
 */
export async function walkSpf(domain: string, txt: Answer<string>, ask: Ask): Promise<SpfTree> {
  const root = createNode(domain, txt)
  let lookups = 0
  let voidLookups = 0
  for (let level = stepsOf(root, [domain]); level.length > 0; ) {
    lookups += level.length
    const within = lookups <= LOOKUP_LIMIT
    const results = await Promise.all(
      level.map(async step => ({ step, lookup: within ? await lookUp(step, ask) : skip(step) })),
    )
    for (const { step, lookup } of results) step.node.lookups.push(lookup)
    voidLookups += results.filter(({ lookup }) => lookup.status === 'void').length
    level = results.flatMap(({ step, lookup: { child } }) =>
      child === null ? [] : stepsOf(child, [...step.path, child.name]),
    )
  }
  return { root, lookups, void_lookups: voidLookups, complete: lookups <= LOOKUP_LIMIT }
}

/** Texts kept per name; two are already an error. */
const TEXTS_KEPT = 5

/** A node with lookups in progress. */
interface OpenNode extends SpfNode {
  readonly lookups: SpfLookup[]
}

function createNode(name: string, answer: Answer<string>): OpenNode {
  const texts = [...records(answer)].sort()
  const candidates = texts.filter(isSpf)
  const [only] = candidates
  const readableTexts = (some: readonly string[]) => some.slice(0, TEXTS_KEPT).map(text => readable(text))
  return {
    name,
    ...outcomeOf(answer),
    candidates: readableTexts(candidates),
    lookalikes: readableTexts(texts.filter(resemblesSpf)),
    record: only !== undefined && candidates.length === 1 ? parseSpf(only) : null,
    lookups: [],
  }
}

const createLoop = (name: string): OpenNode => ({
  name,
  status: 'loop',
  reason: null,
  candidates: [],
  lookalikes: [],
  record: null,
  lookups: [],
})

/** A term to look up. */
interface SpfStep {
  readonly node: OpenNode
  /** The names under evaluation, from the checked domain to the node. */
  readonly path: readonly string[]
  /** Index of the term in the node's record. */
  readonly index: number
  readonly term: SpfTerm
}

type LookupResult = SpfLookup & { readonly child: OpenNode | null }

/** The name to look up: the term's domain spec, or the domain under evaluation. Null when it depends on the sender. */
function targetName({ node, path, term }: SpfStep): string | null {
  if (term.name === 'ptr') return null
  if (term.domain === null) return node.name
  const spec = parseDomainSpec(term.domain)
  const name = spec && expand(spec, { d: node.name, o: path[0] ?? node.name })
  return name === null ? null : canonicalName(name)
}

const lookupStatus = ({ status, reason }: QueryOutcome): Pick<SpfLookup, 'status' | 'reason'> => ({
  status: status === 'found' ? 'answered' : status === 'unknown' ? 'unknown' : 'void',
  reason,
})

/** One address is enough, so IPv6 is queried only if there is no IPv4 address. */
async function askAddress(name: string, ask: Ask): Promise<QueryOutcome> {
  const v4 = outcomeOf(await ask(name, 'A'))
  return v4.status === 'no_data' ? outcomeOf(await ask(name, 'AAAA')) : v4
}

async function askChild(
  name: string,
  path: readonly string[],
  ask: Ask,
): Promise<Pick<LookupResult, 'status' | 'reason' | 'child'>> {
  if (path.includes(name)) return { status: 'answered', reason: null, child: createLoop(name) }
  const answer = await ask(name, 'TXT')
  return { child: createNode(name, answer), ...lookupStatus(outcomeOf(answer)) }
}

async function askTerm(
  name: string,
  { term, path }: SpfStep,
  ask: Ask,
): Promise<Partial<LookupResult> & Pick<LookupResult, 'status' | 'reason'>> {
  if (term.name === 'include' || term.name === 'redirect') return askChild(name, path, ask)
  if (term.name === 'exists') return lookupStatus(outcomeOf(await ask(name, 'A')))
  if (term.name !== 'mx') return lookupStatus(await askAddress(name, ask))
  const answer = await ask(name, 'MX')
  return { mx_hosts: records(answer).length, ...lookupStatus(outcomeOf(answer)) }
}

const notAsked = (step: SpfStep, name: string | null, reason: string): LookupResult => ({
  term: step.index,
  name,
  status: 'not_asked',
  reason,
  mx_hosts: null,
  child: null,
})

const skip = (step: SpfStep): LookupResult => notAsked(step, targetName(step), 'limit')

async function lookUp(step: SpfStep, ask: Ask): Promise<LookupResult> {
  const name = targetName(step)
  if (name === null) return notAsked(step, null, 'depends_on_sender')
  if (!isAskable(name)) return notAsked(step, name, 'not_a_name')
  return { term: step.index, name, mx_hosts: null, child: null, ...(await askTerm(name, step, ask)) }
}
