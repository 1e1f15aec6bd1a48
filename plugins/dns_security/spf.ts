// Static check of the whole SPF tree (RFC 7208): whether a record exists, is valid, and whom it allows to send.
import { orUnknown, printable } from '../../src/engine/plugin.ts'
import type { DnsFault } from './faults.ts'
import type { PartJudgement, PartStatus } from './judgement.ts'
import { MAX_ENTRIES, quote } from './quoted.ts'
import type { Section } from './schema.ts'
import { nodesOf, permanentErrors, type SpfTree, unwise } from './spf_faults.ts'
import { admitsEveryone, policyOf, type SpfPolicy } from './spf_policy.ts'

interface SpfPart {
  readonly spf: Section['spf']
  readonly spf_record: string | null
}

/** Why a part of the tree is unknown; null if all of it is known. */
function unknownReason(tree: SpfTree): string | null {
  if (tree.root.status === 'unknown') return tree.root.reason
  const lookups = nodesOf(tree.root).flatMap(node => node.lookups)
  return lookups.find(({ status }) => status === 'unknown')?.reason ?? null
}

function missingFaults({ root }: SpfTree): DnsFault[] {
  const missing: DnsFault = { code: 'missing_spf_record', message: `${root.name} publishes no SPF record.` }
  const [lookalike] = root.lookalikes
  if (lookalike === undefined) return [missing]
  return [missing, { code: 'spf_lookalike', message: `Receivers do not read ${quote(lookalike)} as an SPF record.` }]
}

function policyFaults(tree: SpfTree, policy: SpfPolicy | null): DnsFault[] {
  const everyone = admitsEveryone(tree.root)
  if (everyone !== null) {
    const message = `${quote(everyone)} in the SPF policy allows nearly every server to send mail as ${tree.root.name}.`
    return [{ code: 'spf_allows_everyone', message, evidence: { term: everyone } }]
  }
  if (policy !== 'neutral') return []
  const message = `The SPF policy of ${tree.root.name} does not reject senders that it does not list.`
  return [{ code: 'spf_policy_neutral', message }]
}

function verdict(tree: SpfTree, errors: readonly DnsFault[], unknownReason: string | null): PartStatus {
  if (tree.root.status !== 'unknown' && tree.root.candidates.length === 0) return 'missing'
  if (errors.length > 0) return 'invalid'
  return unknownReason === null ? 'valid' : 'unknown'
}

const includesOf = (root: SpfTree['root']): string[] =>
  [
    ...new Set(
      nodesOf(root)
        .slice(1)
        .map(({ name }) => name),
    ),
  ].slice(0, MAX_ENTRIES)

type SpfLookup = SpfTree['root']['lookups'][number]

/** The lookup itself, and those of the record that it leads to. */
const costOf = ({ child }: SpfLookup): number => 1 + (child?.lookups ?? []).reduce((sum, one) => sum + costOf(one), 0)

/** What each term of the name's own record costs, in their order. */
const costsOf = ({ record, lookups }: SpfTree['root']): { term: string; lookups: number }[] =>
  lookups
    .toSorted((a, b) => a.term - b.term)
    .slice(0, MAX_ENTRIES)
    .map(one => ({ term: printable(record?.terms[one.term]?.text ?? ''), lookups: costOf(one) }))

/** Judges the SPF record with all that it includes (RFC 7208). */
export function judgeSpf(tree: SpfTree): PartJudgement<SpfPart> {
  const { root } = tree
  const errors = permanentErrors(tree)
  const status = verdict(tree, errors, unknownReason(tree))
  const policy = status === 'valid' ? policyOf(root) : null
  const faults = { missing: missingFaults(tree), invalid: errors, valid: policyFaults(tree, policy), unknown: [] }
  return {
    part: {
      spf_record: root.candidates[0] ?? null,
      spf: {
        status,
        policy,
        // A record that could not be looked up may refer to more records.
        lookups: root.record === null || status === 'unknown' ? null : tree.lookups,
        void_lookups: root.record === null || status === 'unknown' ? null : tree.void_lookups,
        costs: root.record === null || status === 'unknown' ? null : costsOf(root),
        includes: orUnknown(includesOf(root), status !== 'unknown'),
      },
    },
    faults: [...faults[status], ...unwise(tree)],
    unknown: status === 'unknown' ? unknownReason(tree) : null,
  }
}
