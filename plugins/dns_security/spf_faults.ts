// Faults that make SPF fail for every sender (permerror, RFC 7208 section 2.6.7), and faults that are merely unwise.
import type { Evidence } from '../../src/engine/plugin.ts'
import type { DnsFault } from './faults.ts'
import { quote } from './quoted.ts'

export type SpfTree = Evidence['mail_records']['spf']
export type SpfNode = SpfTree['root']
export type SpfTerm = NonNullable<SpfNode['record']>['terms'][number]

/** RFC 7208 section 4.6.4. */
const LOOKUPS = 10
const VOID_LOOKUPS = 2
const MX_HOSTS = 10

const mechanisms = new Set(['all', 'include', 'a', 'mx', 'ptr', 'ip4', 'ip6', 'exists'])

const complaints: Readonly<Record<NonNullable<SpfTerm['error']>, string>> = {
  bad_character: 'contains a character other than printable ASCII',
  unknown_mechanism: 'is not a mechanism',
  unexpected_argument: 'takes no argument',
  missing_argument: 'is missing its argument',
  bad_domain: 'has no valid domain',
  bad_address: 'has no valid address',
  bad_prefix: 'has no valid prefix length',
  bad_modifier: 'is not a valid modifier',
  repeated_modifier: 'appears more than once',
}

/** The record and all records that it refers to, parents first. */
export const nodesOf = (node: SpfNode): SpfNode[] => [
  node,
  ...node.lookups.flatMap(({ child }) => (child === null ? [] : nodesOf(child))),
]

/** The first `all`. Terms after it are never evaluated. */
export const allIndex = (terms: readonly SpfTerm[]): number =>
  terms.findIndex(({ kind, name }) => kind === 'mechanism' && name === 'all')

function syntaxFaults({ name, record }: SpfNode): DnsFault[] {
  if (record?.too_long) return [{ code: 'spf_too_long', message: `The SPF record of ${name} is longer than 8 KiB.` }]
  return (record?.terms ?? []).flatMap(({ error, text }) =>
    error === null
      ? []
      : [
          {
            code: 'spf_syntax_error',
            message: `In the SPF record of ${name}, ${quote(text)} ${complaints[error]}.`,
            evidence: { name, term: text },
          },
        ],
  )
}

/** An included or redirected name must have exactly one record (RFC 7208 sections 5.2 and 6.1). */
function targetFaults({ name, status, candidates }: SpfNode): DnsFault[] {
  if (status === 'loop') return [{ code: 'spf_loop', message: `The SPF record refers back to ${name}.` }]
  if (status === 'unknown' || candidates.length > 0) return []
  const message = `The SPF record refers to ${name}, which has no SPF record.`
  return [{ code: 'spf_missing_target', message, evidence: { name } }]
}

function lookupFaults(node: SpfNode): DnsFault[] {
  return node.lookups.flatMap(({ term, name, reason, mx_hosts }): DnsFault[] => {
    const text = node.record?.terms[term]
    if (mx_hosts !== null && mx_hosts > MX_HOSTS) {
      const message = `${quote(text?.text ?? 'mx')} resolves to ${mx_hosts} mail servers; ${MX_HOSTS} are allowed.`
      return [{ code: 'spf_too_many_mx_hosts', message, evidence: { name, mx_hosts } }]
    }
    if (reason !== 'not_a_name') return []
    const isRequired = text?.name === 'include' || text?.name === 'redirect'
    const message = `${quote(text?.text ?? '')} in the SPF record of ${node.name} is not a valid DNS name.`
    return [{ code: isRequired ? 'spf_missing_target' : 'spf_not_a_name', message }]
  })
}

function limitFaults({ lookups, void_lookups, complete }: SpfTree): DnsFault[] {
  const faults: DnsFault[] = []
  if (lookups > LOOKUPS) {
    const count = complete ? `${lookups}` : `at least ${lookups}`
    const message = `The SPF record needs ${count} DNS lookups if no term matches; ${LOOKUPS} are allowed.`
    faults.push({ code: 'spf_too_many_lookups', message, evidence: { lookups } })
  }
  if (void_lookups > VOID_LOOKUPS) {
    const message = `${void_lookups} of the SPF record's lookups return no records; ${VOID_LOOKUPS} are allowed.`
    faults.push({ code: 'spf_too_many_void_lookups', message, evidence: { void_lookups } })
  }
  return faults
}

/** Several records at one name are a permanent error (RFC 7208 section 4.5). */
const multipleFaults = ({ name, candidates }: SpfNode): DnsFault[] =>
  candidates.length < 2
    ? []
    : [
        {
          code: 'multiple_spf_records',
          message: `${name} has more than one SPF record, so receivers ignore all of them.`,
          evidence: { name, records: candidates },
        },
      ]

/** Every fault that makes the whole policy a permanent error. */
export function permanentErrors(tree: SpfTree): DnsFault[] {
  const nodes = nodesOf(tree.root)
  return [
    ...nodes.flatMap(multipleFaults),
    ...nodes.flatMap(syntaxFaults),
    ...nodes.slice(1).flatMap(targetFaults),
    ...nodes.flatMap(lookupFaults).filter(({ code }) => code !== 'spf_not_a_name'),
    ...limitFaults(tree),
  ]
}

function unwiseTerms({ name, record }: SpfNode): DnsFault[] {
  const terms = record?.terms ?? []
  const all = allIndex(terms)
  return terms.flatMap(({ kind, name: term, text }, index): DnsFault[] => {
    const where = `${quote(text)} in the SPF record of ${name}`
    if (kind === 'modifier') {
      if (mechanisms.has(term)) {
        const message = `${where} is an unknown modifier and has no effect; mechanisms use a colon.`
        return [{ code: 'spf_mechanism_as_modifier', message }]
      }
      if (term !== 'redirect' || all < 0) return []
      return [{ code: 'spf_redirect_ignored', message: `${where} has no effect, because the record has an "all".` }]
    }
    if (all >= 0 && index > all) {
      return [{ code: 'spf_terms_after_all', message: `${where} comes after "all" and has no effect.` }]
    }
    if (term !== 'ptr') return []
    return [{ code: 'spf_uses_ptr', message: `${where} is slow and unreliable and should not be used.` }]
  })
}

/** Unwise terms of a well-formed policy. */
export const unwise = (tree: SpfTree): DnsFault[] => {
  const nodes = nodesOf(tree.root)
  return [...nodes.flatMap(unwiseTerms), ...nodes.flatMap(lookupFaults).filter(({ code }) => code === 'spf_not_a_name')]
}
