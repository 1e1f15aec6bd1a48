// Referrer-Policy (W3C Referrer Policy sections 4 and 8.1): the last known token wins, and a meta element after it.
import { nullable, type Static, Type } from '../../src/engine/plugin.ts'
import { displayText, type Headers, linesOf, membersOf } from './fields.ts'
import { type HeaderJudgement, type HeaderStatus, judgedObject } from './judgement.ts'

/** The share that each policy earns. Without one, current browsers use strict-origin-when-cross-origin; older ones do not. */
const policies = {
  'no-referrer': { share: 1, status: 'pass' },
  'same-origin': { share: 1, status: 'pass' },
  'strict-origin': { share: 1, status: 'pass' },
  'strict-origin-when-cross-origin': { share: 1, status: 'pass' },
  origin: { share: 0.5, status: 'warn' },
  'origin-when-cross-origin': { share: 0.5, status: 'warn' },
  'no-referrer-when-downgrade': { share: 0.25, status: 'warn' },
  'unsafe-url': { share: 0, status: 'fail' },
} as const satisfies Record<string, { share: number; status: HeaderStatus }>
type PolicyWord = keyof typeof policies

const WITHOUT = { share: 0.5, status: 'warn' } as const

/** Legacy keywords that meta elements may still use (HTML section 4.2.5.1). */
const legacy: Readonly<Record<string, PolicyWord>> = {
  never: 'no-referrer',
  default: 'strict-origin-when-cross-origin',
  always: 'unsafe-url',
  'origin-when-crossorigin': 'origin-when-cross-origin',
}

export const ReferrerPolicy = judgedObject('What other sites learn of where a visitor comes from.', {
  policy: nullable(
    Type.Enum(Object.keys(policies) as PolicyWord[], { description: 'The effective policy; null if unknown.' }),
  ),
})

const isPolicy = (token: string): token is PolicyWord => Object.hasOwn(policies, token)

/** `metas`: contents of the page's `<meta name=referrer>` elements, in order. */
export function judgeReferrerPolicy(
  headers: Headers,
  metas: readonly string[],
): HeaderJudgement<Static<typeof ReferrerPolicy>> {
  const lines = linesOf(headers, 'referrer-policy')
  const tokens = membersOf(lines).map(token => token.toLowerCase())
  const values = metas.map(content => content.trim().toLowerCase()).map(token => legacy[token] ?? token)
  const policy = [...tokens, ...values].findLast(isPolicy) ?? null
  const { share, status } = policy === null ? WITHOUT : policies[policy]
  const section = {
    present: lines.length > 0 || values.length > 0,
    value: displayText(lines.length > 0 ? lines : metas),
    policy,
    status,
    recommendation: status === 'pass' ? null : 'Send Referrer-Policy: strict-origin-when-cross-origin.',
  }
  return { section, share }
}
