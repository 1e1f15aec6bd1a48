// Content-Security-Policy (CSP3): what all enforced policies together block, not only whether one exists.
import { nullable, printable, type Static, Type } from '../../src/engine/plugin.ts'
import { type Attack, attacks } from './csp_attacks.ts'
import { MISSING_FORM_ACTION } from './csp_checks.ts'
import type { CspPolicy } from './csp_policy.ts'
import { findWeaknesses, openAttacks, severities, type Weakness } from './csp_weaknesses.ts'

import { type HeaderJudgement, type HeaderStatus, judgedObject } from './judgement.ts'

const Finding = Type.Object(
  {
    code: Type.String({
      description:
        'Finding type of csp_evaluator, or `duplicate_directive`, `missing_form_action` or `strict_dynamic_alone`.',
    }),
    severity: Type.Enum([...severities], { description: 'How serious it is.' }),
    directive: Type.String({ description: 'The directive that it is about.' }),
    source: nullable(
      Type.String({ description: 'The source of the directive; null if it is about the directive as a whole.' }),
    ),
    message: Type.String({ description: 'The finding as a sentence.' }),
  },
  { additionalProperties: false },
)

export const ContentSecurityPolicy = judgedObject('What the page may load and run.', {
  report_only: Type.Boolean({ description: 'A report-only policy exists.' }),
  policies: Type.Integer({
    description: 'Number of enforced policies from headers and meta elements; all of them apply.',
  }),
  in_meta: Type.Boolean({ description: 'One of them is in a meta element.' }),
  directives: Type.Record(Type.String(), Type.Array(Type.String()), {
    description:
      'Directives of the enforced policies, otherwise of the report-only ones; each from the first policy that has it.',
  }),
  weaknesses: Type.Array(Type.Enum([...attacks]), {
    description: 'Attacks that all enforced policies together still allow.',
  }),
  findings: Type.Array(Finding, { description: 'At most 50, the most severe first.' }),
})
type Section = Static<typeof ContentSecurityPolicy>

const MAX_ENTRIES = 50
/** Maximum characters of all directives that are shown. */
const DIRECTIVES_LENGTH = 8 * 1024
const VALUE_SHOWN = 4 * 1024

/** The share that each weakness takes from the policy; together they exceed the whole. */
const costs: Readonly<Record<Attack, number>> = {
  inline_script: 0.7,
  any_script_host: 0.8,
  known_bypass: 0.25,
  eval: 0.15,
  plugins: 0.15,
  base_uri: 0.1,
}

/** Weaknesses that make no difference if scripts are allowed from any host. */
const COVERED_ATTACKS: readonly Attack[] = ['known_bypass', 'base_uri']

/** A policy with one of these does not stop injected scripts. */
const DEFEATING: readonly Attack[] = ['inline_script', 'any_script_host']

/** Judges all policies of a response together; each weakness costs a part of the share. */
export function judgeCsp(policies: readonly CspPolicy[]): HeaderJudgement<Section> {
  const enforcedPolicies = policies.filter(({ report_only }) => !report_only)
  const { weaknesses, findings } = combine(enforcedPolicies)
  const loss = weaknesses.reduce((sum, attack) => sum + costs[attack], 0)
  const share = enforcedPolicies.length === 0 ? 0 : Math.max(0, 1 - loss)
  const reportOnly = enforcedPolicies.length < policies.length
  const subject = enforcedPolicies.length > 0 ? enforcedPolicies : policies
  const section: Section = {
    present: enforcedPolicies.length > 0,
    value: subject.length === 0 ? null : printable(subject.map(serialize).join(', '), VALUE_SHOWN),
    report_only: reportOnly,
    policies: enforcedPolicies.length,
    in_meta: enforcedPolicies.some(({ source }) => source === 'meta'),
    directives: showDirectives(subject),
    weaknesses,
    findings,
    status: statusOf(enforcedPolicies.length > 0, weaknesses),
    recommendation: recommend(enforcedPolicies.length > 0, reportOnly, weaknesses),
  }
  return { section, share }
}

/** A weakness remains if every policy leaves it open. Findings about weaknesses that another policy closes are omitted. */
function combine(enforcedPolicies: readonly CspPolicy[]): Pick<Section, 'weaknesses' | 'findings'> {
  const policies = enforcedPolicies.map(policy => {
    const weaknesses = findWeaknesses(policy)
    return { weaknesses, open: openAttacks(policy, weaknesses) }
  })
  const isOpen = (attack: Attack) => policies.length > 0 && policies.every(({ open }) => open.has(attack))
  const relevant = policies
    .flatMap(({ weaknesses }) => weaknesses)
    .filter(({ attacks: openings }) => openings.length === 0 || openings.some(isOpen))
    .filter(({ code }) => code !== MISSING_FORM_ACTION || policies.every(lacksFormAction))
  const coveredAttacks = isOpen('any_script_host') ? COVERED_ATTACKS : []
  return {
    weaknesses: attacks.filter(attack => isOpen(attack) && !coveredAttacks.includes(attack)),
    findings: listFindings(relevant),
  }
}

const lacksFormAction = ({ weaknesses }: { readonly weaknesses: readonly Weakness[] }): boolean =>
  weaknesses.some(({ code }) => code === MISSING_FORM_ACTION)

function listFindings(weaknesses: readonly Weakness[]): Section['findings'] {
  const bySeverity = [...weaknesses].sort((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity))
  const distinct = new Map(bySeverity.map(one => [`${one.code} ${one.directive} ${one.source}`, one]))
  return [...distinct.values()].slice(0, MAX_ENTRIES).map(({ code, severity, directive, source, message }) => ({
    code,
    severity,
    directive: printable(directive, 128),
    source: source === null ? null : printable(source, 128),
    message: printable(message),
  }))
}

const statusOf = (present: boolean, weaknesses: readonly Attack[]): HeaderStatus =>
  !present || DEFEATING.some(attack => weaknesses.includes(attack)) ? 'fail' : weaknesses.length > 0 ? 'warn' : 'pass'

const serialize = ({ directives }: CspPolicy): string =>
  [...directives].map(([name, sources]) => [name, ...sources].join(' ')).join('; ')

function showDirectives(policies: readonly CspPolicy[]): Section['directives'] {
  const first = new Map(policies.flatMap(({ directives }) => [...directives]).reverse())
  let room = DIRECTIVES_LENGTH
  const entries = [...first].reverse().flatMap(([name, sources]) => {
    const list = sources.slice(0, MAX_ENTRIES).map(source => printable(source, 256))
    room -= name.length + list.join().length
    return room < 0 ? [] : [[printable(name, 128), list] as const]
  })
  return Object.fromEntries(entries)
}

const advice: Readonly<Record<Attack, string>> = {
  inline_script: "Allow scripts by nonce or hash instead of 'unsafe-inline', or add script-src where it is missing.",
  any_script_host: 'List script hosts or allow scripts by nonce: whole schemes and * allow every host.',
  known_bypass: 'Remove hosts that serve known bypasses of the policy, or allow scripts by nonce.',
  eval: "Do without 'unsafe-eval'.",
  plugins: "Add object-src 'none'.",
  base_uri: "Add base-uri 'none' or 'self'.",
}

function recommend(present: boolean, reportOnly: boolean, weaknesses: readonly Attack[]): string | null {
  if (!present) {
    return reportOnly
      ? 'Enforce the policy: it is report-only now.'
      : "Send Content-Security-Policy: script-src 'self'; object-src 'none'; base-uri 'self'; frame-ancestors 'self'."
  }
  const [worst] = weaknesses
  return worst === undefined ? null : advice[worst]
}
