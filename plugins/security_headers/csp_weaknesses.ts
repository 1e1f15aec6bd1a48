// What an attacker may still do under a policy: csp_evaluator's findings, and the ways in that each of them leaves open.
import { CspEvaluator, DEFAULT_CHECKS } from 'csp_evaluator'
import {
  checkFlashObjectAllowlistBypass,
  checkIpSource,
  checkScriptAllowlistBypass,
  DIRECTIVES_CAUSING_XSS,
} from 'csp_evaluator/dist/checks/security_checks.js'
import { Csp } from 'csp_evaluator/dist/csp.js'
import { Finding, Severity, Type } from 'csp_evaluator/dist/finding.js'
import { findBypass } from './csp_bypasses.ts'
import type { Policy } from './csp_policy.ts'
import { closedBySandbox, type Way, waysOf } from './csp_ways.ts'

export const severities = ['high', 'medium', 'syntax', 'low', 'info'] as const
export type SeverityName = (typeof severities)[number]

export interface Weakness {
  /** The evaluator's type of finding, in lower case: `script_unsafe_inline`. */
  readonly code: string
  readonly severity: SeverityName
  readonly directive: string
  readonly source: string | null
  readonly message: string
  /** What it lets an attacker do; none for what is merely odd. */
  readonly ways: readonly Way[]
}

/** The evaluator's doubts ("maybe") are low; what it only recommends informs. */
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
 * Not run: the look-up of bypasses is our own (by index), the one for Flash concerns no browser of today, and the one
 * for addresses throws on sources that are no URL.
 */
const skipped: ReadonlySet<unknown> = new Set([
  checkScriptAllowlistBypass,
  checkFlashObjectAllowlistBypass,
  checkIpSource,
])
const checks = [...DEFAULT_CHECKS.filter(check => !skipped.has(check)), checkWildcardHosts, checkBypasses]

/** Everything that is weak or odd about one policy. */
export function findWeaknesses({ directives }: Policy): readonly Weakness[] {
  // The evaluator keeps directives in a plain object, where this name would be no member.
  const named = [...directives].filter(([name]) => name !== '__proto__')
  const entries = named.map(([name, list]) => [name, isEmptyList(name, list) ? ["'none'"] : [...list]])
  const found = new CspEvaluator(new Csp(Object.fromEntries(entries))).evaluate([], checks)
  return found.flatMap(({ type, description, severity, directive, value }) => {
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
        ways: waysOf(code, directive, directives),
      },
    ]
  })
}

/** A list of sources without any allows nothing (CSP3 section 6.7.2); the evaluator takes it for a directive that is missing. */
const isEmptyList = (name: string, list: readonly string[]): boolean => name.endsWith('-src') && list.length === 0

/** Every way in that the policy leaves open. Where scripts come from anywhere, they need no base element. */
export function openWays({ directives }: Policy, weaknesses: readonly Weakness[]): ReadonlySet<Way> {
  const closed = closedBySandbox(directives.get('sandbox'))
  const open = new Set(weaknesses.flatMap(weakness => weakness.ways).filter(way => !closed.includes(way)))
  return open.has('any_script_host') ? open.add('base_uri') : open
}

/** Every host at a port, or at a path, for one's own host has these as well (CSP3 section 2.3.1); the evaluator knows a bare `*` alone. */
const WILDCARD_HOST = /^(?:https?:\/\/)?\*(?::|\/)/i

/** In the form of the evaluator's own checks, of the policy as it takes effect. */
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

/** As above. */
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
