// The attacks that a weak spot of a policy allows, by directive (CSP3 sections 6.1 and 6.8.3).
import type { Policy } from './csp_policy.ts'

export const ways = ['inline_script', 'any_script_host', 'known_bypass', 'eval', 'plugins', 'base_uri'] as const
export type Way = (typeof ways)[number]

const FREE_SCRIPT: readonly Way[] = ['any_script_host', 'known_bypass']

type Directives = Policy['directives']

/** The directive that governs this one (CSP3 section 6.8.3); undefined if there is none. */
const spokenFor = (directives: Directives, ...names: readonly string[]): string | undefined =>
  [...names, 'default-src'].find(name => directives.has(name))
const elements = (directives: Directives) => spokenFor(directives, 'script-src-elem', 'script-src')
const handlers = (directives: Directives) => spokenFor(directives, 'script-src-attr', 'script-src')

/** `code` is the code of a `Weakness`. */
export function waysOf(code: string, directive: string, directives: Directives): readonly Way[] {
  switch (code) {
    case 'script_unsafe_inline':
      return directive === elements(directives) || directive === handlers(directives) ? ['inline_script'] : []
    case 'script_unsafe_eval':
      return ['eval']
    case 'script_allowlist_bypass':
      return ['known_bypass']
    case 'missing_directives':
      return directive === 'script-src' ? withoutScriptSrc(directives) : otherWay(directive)
    case 'plain_url_schemes':
    case 'plain_wildcard':
      return [...(directive === elements(directives) ? FREE_SCRIPT : []), ...freeSources(directive, directives)]
    default:
      return []
  }
}

/** Neither script-src nor default-src is present. */
function withoutScriptSrc(directives: Directives): readonly Way[] {
  const elementsFree = elements(directives) === undefined
  const inline = elementsFree || handlers(directives) === undefined
  return [...(inline ? (['inline_script'] as const) : []), 'eval', ...(elementsFree ? FREE_SCRIPT : [])]
}

const otherWay = (directive: string): readonly Way[] => (directive === 'base-uri' ? ['base_uri'] : ['plugins'])

/** Attacks other than scripts that the directive allows. */
const freeSources = (directive: string, directives: Directives): readonly Way[] =>
  directive === 'base-uri' || directive === spokenFor(directives, 'object-src') ? otherWay(directive) : []

/** A sandbox allows no plugins, and scripts only if it says so (CSP3 section 6.3.2, HTML section 7.1.5). */
export function closedBySandbox(flags: readonly string[] | undefined): readonly Way[] {
  if (flags === undefined) return []
  return flags.some(flag => flag.toLowerCase() === 'allow-scripts') ? ['plugins'] : ways
}
