// The attacks that a weak spot of a policy allows, by directive (CSP3 sections 6.1 and 6.8.3).
import type { CspPolicy } from './csp_policy.ts'

export const attacks = ['inline_script', 'any_script_host', 'known_bypass', 'eval', 'plugins', 'base_uri'] as const
export type Attack = (typeof attacks)[number]

const FREE_SCRIPT: readonly Attack[] = ['any_script_host', 'known_bypass']

type Directives = CspPolicy['directives']

/** The directive that governs this one (CSP3 section 6.8.3); undefined if there is none. */
const governing = (directives: Directives, ...names: readonly string[]): string | undefined =>
  [...names, 'default-src'].find(name => directives.has(name))
const elements = (directives: Directives) => governing(directives, 'script-src-elem', 'script-src')
const handlers = (directives: Directives) => governing(directives, 'script-src-attr', 'script-src')

/** `code` is the code of a `Weakness`. */
export function attacksOf(code: string, directive: string, directives: Directives): readonly Attack[] {
  switch (code) {
    case 'script_unsafe_inline':
      return directive === elements(directives) || directive === handlers(directives) ? ['inline_script'] : []
    case 'script_unsafe_eval':
      return ['eval']
    case 'script_allowlist_bypass':
      return ['known_bypass']
    case 'missing_directives':
      return directive === 'script-src' ? withoutScriptSrc(directives) : otherAttack(directive)
    case 'plain_url_schemes':
    case 'plain_wildcard':
      return [...(directive === elements(directives) ? FREE_SCRIPT : []), ...freeSources(directive, directives)]
    default:
      return []
  }
}

/** Neither script-src nor default-src is present. */
function withoutScriptSrc(directives: Directives): readonly Attack[] {
  const elementsFree = elements(directives) === undefined
  const inline = elementsFree || handlers(directives) === undefined
  return [...(inline ? (['inline_script'] as const) : []), 'eval', ...(elementsFree ? FREE_SCRIPT : [])]
}

const otherAttack = (directive: string): readonly Attack[] => (directive === 'base-uri' ? ['base_uri'] : ['plugins'])

/** Attacks other than scripts that the directive allows. */
const freeSources = (directive: string, directives: Directives): readonly Attack[] =>
  directive === 'base-uri' || directive === governing(directives, 'object-src') ? otherAttack(directive) : []

/** A sandbox allows no plugins, and scripts only if it says so (CSP3 section 6.3.2, HTML section 7.1.5). */
export function closedBySandbox(flags: readonly string[] | undefined): readonly Attack[] {
  if (flags === undefined) return []
  return flags.some(flag => flag.toLowerCase() === 'allow-scripts') ? ['plugins'] : attacks
}
