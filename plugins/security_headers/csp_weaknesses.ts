// The attacks that remain possible under a policy: the findings of csp_evaluator, and the attacks that each leaves
// open.
import { CspEvaluator, DEFAULT_CHECKS } from 'csp_evaluator'
import {
  checkFlashObjectAllowlistBypass,
  checkIpSource,
  checkScriptAllowlistBypass,
  DIRECTIVES_CAUSING_XSS,
} from 'csp_evaluator/dist/checks/security_checks.js'
import { Csp } from 'csp_evaluator/dist/csp.js'
import { Finding, Severity, Type } from 'csp_evaluator/dist/finding.js'
import { type Attack, attacksOf, closedBySandbox } from './csp_attacks.ts'
import { findBypass } from './csp_bypasses.ts'
import { findSpots } from './csp_checks.ts'
import type { CspPolicy } from './csp_policy.ts'

/** Severities of findings, the most serious first. */
export const severities = ['high', 'medium', 'syntax', 'low', 'info'] as const
export type SeverityName = (typeof severities)[number]

/** A finding in one policy, and the attacks that it leaves open. */
export interface Weakness {
  /** The evaluator's finding type in lower case (`script_unsafe_inline`), or one of `csp_checks.ts`. */
  readonly code: string
  readonly severity: SeverityName
  readonly directive: string
  readonly source: string | null
  readonly message: string
  /** The attacks it allows; empty for findings that are merely unusual. */
  readonly attacks: readonly Attack[]
}

/** Uncertain findings of the evaluator ("maybe") are low; its recommendations are informational. */
const severityOf: Readonly<Record<Severity, SeverityName | null>> = {
  [Severity.HIGH]: 'high',
  [Severity.MEDIUM]: 'medium',
  [Severity.SYNTAX]: 'syntax',
  [Severity.HIGH_MAYBE]: 'low',
  [Severity.MEDIUM_MAYBE]: 'low',
  [Severity.STRICT_CSP]: 'info',
  [Severity.INFO]: 'info',
  [Severity.NONE]: null,
}

/**
 * Checks that are not run: bypass look-ups use our own index, Flash concerns no current browser, and the IP address check
 * throws on sources that are not URLs (`csp_checks.ts` has our own).
 */
const skippedChecks: ReadonlySet<unknown> = new Set([
  checkScriptAllowlistBypass,
  checkFlashObjectAllowlistBypass,
  checkIpSource,
])
const checks = [...DEFAULT_CHECKS.filter(check => !skippedChecks.has(check)), checkWildcardHosts, checkBypasses]

/** Every finding about one policy. */
export function findWeaknesses(policy: CspPolicy): readonly Weakness[] {
  const { directives } = policy
  // The evaluator keeps directives in a plain object, where `__proto__` would not be stored.
  const entriesOf = [...directives].filter(([name]) => name !== '__proto__')
  const entries = entriesOf.map(([name, list]) => [name, isEmptyList(name, list) ? ["'none'"] : [...list]])
  const findings = new CspEvaluator(new Csp(Object.fromEntries(entries))).evaluate([], checks)
  const evaluations = findings.flatMap(({ type, description, severity, directive, value }) => {
    const name = severityOf[severity]
    if (name === null) return []
    const code = Type[type].toLowerCase()
    return [
      {
        code,
        severity: name,
        directive,
        source: value ?? null,
        message: description,
        attacks: attacksOf(code, directive, directives),
      },
    ]
  })
  const isKnown = (spot: { readonly directive: string; readonly source: string | null }) =>
    evaluations.some(one => one.directive === spot.directive && one.source === spot.source)
  const spots = findSpots(policy).filter(spot => spot.source === null || !isKnown(spot))
  return [...evaluations, ...spots.map(spot => ({ ...spot, attacks: [] }))]
}

/** An empty source list allows nothing (CSP3 section 6.7.2); the evaluator treats it as a missing directive. */
const isEmptyList = (name: string, list: readonly string[]): boolean => name.endsWith('-src') && list.length === 0

/** Every attack that the policy leaves open. If scripts may come from any host, an attacker needs no base element. */
export function openAttacks({ directives }: CspPolicy, weaknesses: readonly Weakness[]): ReadonlySet<Attack> {
  const sandboxedAttacks = closedBySandbox(directives.get('sandbox'))
  const open = new Set(
    weaknesses.flatMap(weakness => weakness.attacks).filter(attack => !sandboxedAttacks.includes(attack)),
  )
  return open.has('any_script_host') ? open.add('base_uri') : open
}

/** Any host at a port or a path; an attacker's host can offer those too (CSP3 section 2.3.1). The evaluator knows only `*`. */
const WILDCARD_HOST = /^(?:https?:\/\/)?\*(?::|\/)/i

/** Has the form of the evaluator's checks and reads the effective policy. */
function checkWildcardHosts(csp: Csp): Finding[] {
  return csp.getEffectiveDirectives(DIRECTIVES_CAUSING_XSS).flatMap(directive =>
    (csp.directives[directive] ?? [])
      .filter(source => WILDCARD_HOST.test(source))
      .map(source => {
        const message = `${directive} should not allow every host as source`
        return new Finding(Type.PLAIN_WILDCARD, message, Severity.HIGH, directive, source)
      }),
  )
}

/** Like the check above. */
function checkBypasses(csp: Csp): Finding[] {
  const sourcesOf = (name: string) => csp.directives[name] ?? []
  const directive = csp.getEffectiveDirective('script-src-elem')
  const hasEval = sourcesOf(csp.getEffectiveDirective('script-src')).includes("'unsafe-eval'")
  return sourcesOf(directive).flatMap(source => {
    const bypass = findBypass(source, hasEval)
    if (bypass === null) return []
    const message = `${bypass.host} is known to host ${bypass.serves} which allow to bypass this CSP.`
    return [new Finding(Type.SCRIPT_ALLOWLIST_BYPASS, message, Severity.HIGH, directive, source)]
  })
}
