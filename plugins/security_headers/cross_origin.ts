// Isolation from other origins: Cross-Origin-Opener-Policy, -Embedder-Policy (HTML section 7.1) and -Resource-Policy (Fetch section 3.7).
import { parseItem, Token } from 'structured-headers'
import { nullable, type Static, Type } from '../../src/engine/plugin.ts'
import { displayText, type Headers, linesOf } from './fields.ts'
import { type HeaderJudgement, judgedObject } from './judgement.ts'

export const CrossOrigin = judgedObject('How far the page is isolated from other sites.', {
  policy: nullable(Type.String({ description: 'The effective policy; null if there is none or browsers ignore it.' })),
})

interface Definition {
  readonly name: string
  /** The valid values and the share of the weight that each earns. */
  readonly policies: Readonly<Record<string, number>>
  /** Whether browsers ignore the header on pages without HTTPS. */
  readonly secure: boolean
  parse(field: string): string | null
  readonly recommendation: string
}

/** A token with parameters (RFC 9651 section 3.3.4). Several lines form a list, which is invalid here. */
function parseToken(field: string): string | null {
  try {
    const [value] = parseItem(field)
    return value instanceof Token ? value.toString() : null
  } catch {
    return null
  }
}

const coop: Definition = {
  name: 'cross-origin-opener-policy',
  policies: { 'same-origin': 1, 'same-origin-allow-popups': 0.8, 'noopener-allow-popups': 0.8, 'unsafe-none': 0 },
  secure: true,
  parse: parseToken,
  recommendation: 'Send Cross-Origin-Opener-Policy: same-origin, or same-origin-allow-popups if log-ins need pop-ups.',
}

const coep: Definition = {
  name: 'cross-origin-embedder-policy',
  policies: { 'require-corp': 1, credentialless: 1, 'unsafe-none': 0 },
  secure: true,
  parse: parseToken,
  recommendation: 'Send Cross-Origin-Embedder-Policy: credentialless if the page must be isolated.',
}

const corp: Definition = {
  name: 'cross-origin-resource-policy',
  policies: { 'same-origin': 1, 'same-site': 1, 'cross-origin': 0 },
  secure: false,
  parse: field => field,
  recommendation: 'Send Cross-Origin-Resource-Policy: same-site unless other sites embed the page.',
}

/** Not every site needs these headers, so a missing one is at most a warning. */
function judge(definition: Definition, headers: Headers, https: boolean): HeaderJudgement<Static<typeof CrossOrigin>> {
  const lines = linesOf(headers, definition.name)
  const value = lines.length === 0 || (definition.secure && !https) ? null : definition.parse(lines.join(', '))
  const policy = value !== null && Object.hasOwn(definition.policies, value) ? value : null
  const share = policy === null ? 0 : (definition.policies[policy] ?? 0)
  const section = {
    present: lines.length > 0,
    value: displayText(lines),
    policy,
    status: share > 0 ? ('pass' as const) : ('warn' as const),
    recommendation: share > 0 ? null : definition.recommendation,
  }
  return { section, share }
}

/** Judges the three headers; `https` says whether the page was served over HTTPS. */
export const judgeCrossOrigin = (headers: Headers, https: boolean) => ({
  coop: judge(coop, headers, https),
  coep: judge(coep, headers, https),
  corp: judge(corp, headers, https),
})
