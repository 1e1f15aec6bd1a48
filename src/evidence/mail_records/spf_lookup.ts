// One term of an SPF record looked up: which name it asks for, and what the answer is worth.
import { canonicalName, isAskable } from '../../network/dns_name.ts'
import { type Ask, asked, records } from './ask.ts'
import type { Asked, SpfLookup, SpfTerm } from './facts.ts'
import { expand, parseDomainSpec } from './spf_macro.ts'
import { createLoop, createNode, type OpenNode } from './spf_node.ts'

/** A term to look up. */
export interface SpfStep {
  readonly node: OpenNode
  /** The names under evaluation, from the domain checked to the node's. */
  readonly path: readonly string[]
  /** Of the term in the node's record. */
  readonly index: number
  readonly term: SpfTerm
}

export type Looked = SpfLookup & { readonly child: OpenNode | null }

/** The name a term asks for: its domain spec, or the domain under evaluation. Null when it depends on the sender. */
function targetName({ node, path, term }: SpfStep): string | null {
  if (term.name === 'ptr') return null
  if (term.domain === null) return node.name
  const spec = parseDomainSpec(term.domain)
  const name = spec && expand(spec, { d: node.name, o: path[0] ?? node.name })
  return name === null ? null : canonicalName(name)
}

const outcome = ({ status, reason }: Asked): Pick<SpfLookup, 'status' | 'reason'> => ({
  status: status === 'found' ? 'answered' : status === 'unknown' ? 'unknown' : 'void',
  reason,
})

/** One address is enough to know: IPv6 is asked for only where there is no IPv4. */
async function askAddress(name: string, ask: Ask): Promise<Asked> {
  const v4 = asked(await ask(name, 'A'))
  return v4.status === 'no_data' ? asked(await ask(name, 'AAAA')) : v4
}

async function askChild(
  name: string,
  path: readonly string[],
  ask: Ask,
): Promise<Pick<Looked, 'status' | 'reason' | 'child'>> {
  if (path.includes(name)) return { status: 'answered', reason: null, child: createLoop(name) }
  const answer = await ask(name, 'TXT')
  return { child: createNode(name, answer), ...outcome(asked(answer)) }
}

async function askTerm(
  name: string,
  { term, path }: SpfStep,
  ask: Ask,
): Promise<Partial<Looked> & Pick<Looked, 'status' | 'reason'>> {
  if (term.name === 'include' || term.name === 'redirect') return askChild(name, path, ask)
  if (term.name === 'exists') return outcome(asked(await ask(name, 'A')))
  if (term.name !== 'mx') return outcome(await askAddress(name, ask))
  const answer = await ask(name, 'MX')
  return { mx_hosts: records(answer).length, ...outcome(asked(answer)) }
}

const unasked = (step: SpfStep, name: string | null, reason: string): Looked => ({
  term: step.index,
  name,
  status: 'not_asked',
  reason,
  mx_hosts: null,
  child: null,
})

export const leave = (step: SpfStep): Looked => unasked(step, targetName(step), 'limit')

export async function look(step: SpfStep, ask: Ask): Promise<Looked> {
  const name = targetName(step)
  if (name === null) return unasked(step, null, 'depends_on_sender')
  if (!isAskable(name)) return unasked(step, name, 'not_a_name')
  return { term: step.index, name, mx_hosts: null, child: null, ...(await askTerm(name, step, ask)) }
}
