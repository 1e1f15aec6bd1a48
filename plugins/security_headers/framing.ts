// Which sites may frame the page: frame-ancestors (CSP3 section 6.4.2), otherwise X-Frame-Options (HTML section 7.7).
import { nullable, printable, type Static, Type } from '../../src/engine/plugin.ts'
import type { CspPolicy } from './csp_policy.ts'
import { displayText, type Headers, linesOf, membersOf } from './fields.ts'
import { type HeaderJudgement, type HeaderStatus, judgedObject } from './judgement.ts'

export const Framing = judgedObject('Which sites may show the page in a frame.', {
  directive: nullable(
    Type.Enum(['deny', 'sameorigin', 'conflicting', 'invalid'], {
      description: 'How browsers interpret X-Frame-Options.',
    }),
  ),
  frame_ancestors: nullable(
    Type.Array(Type.String(), {
      description: 'Ancestors in the enforced policy that decides; X-Frame-Options is then ignored.',
    }),
  ),
  protected_by: nullable(
    Type.Enum(['csp', 'x_frame_options'], {
      description: 'What prevents framing by other sites; null if nothing does.',
    }),
  ),
})

const ANCESTORS_SHOWN = 50

/** Allows every site, or every site with a scheme or port; paths do not count for ancestors. */
const isAnyone = (source: string): boolean => /^(?:https?:|(?:https?:\/\/)?\*(?:[:/].*)?)$/i.test(source)

/** Judges who may frame the page: frame-ancestors of an enforced policy, otherwise X-Frame-Options. */
export function judgeFraming(
  headers: Headers,
  policies: readonly CspPolicy[],
): HeaderJudgement<Static<typeof Framing>> {
  const lines = linesOf(headers, 'x-frame-options')
  const directive = readXFrameOptions(lines)
  const lists = policies.flatMap(policy => ancestorsOf(policy))
  // All policies apply, so a single strict policy decides.
  const ancestors = lists.find(list => !list.some(isAnyone)) ?? lists[0] ?? null
  const { status, share, protected_by, recommendation } = judge(directive, ancestors)
  const section = {
    present: lines.length > 0,
    value: displayText(lines),
    directive,
    frame_ancestors: ancestors?.slice(0, ANCESTORS_SHOWN).map(source => printable(source, 128)) ?? null,
    protected_by,
    status,
    recommendation,
  }
  return { section, share }
}

/** Meta elements cannot set this directive, and report-only policies do not restrict framing. */
const ancestorsOf = ({ source, report_only, directives }: CspPolicy): (readonly string[])[] => {
  const list = directives.get('frame-ancestors')
  return source === 'header' && !report_only && list !== undefined ? [list] : []
}

type Directive = Static<typeof Framing>['directive']

/** If one of these values is combined with another value, browsers refuse every frame. */
const CONFLICTING = ['deny', 'allowall', 'sameorigin']

function readXFrameOptions(lines: readonly string[]): Directive {
  if (lines.length === 0) return null
  const values = new Set(membersOf(lines).map(value => value.toLowerCase()))
  if (values.size > 1) return CONFLICTING.some(value => values.has(value)) ? 'conflicting' : 'invalid'
  return values.has('deny') ? 'deny' : values.has('sameorigin') ? 'sameorigin' : 'invalid'
}

interface FramingVerdict {
  readonly status: HeaderStatus
  readonly share: number
  readonly protected_by: 'csp' | 'x_frame_options' | null
  readonly recommendation: string | null
}

const open = (recommendation: string): FramingVerdict => ({
  status: 'fail',
  share: 0,
  protected_by: null,
  recommendation,
})

function judge(directive: Directive, ancestors: readonly string[] | null): FramingVerdict {
  if (ancestors !== null) {
    if (ancestors.some(isAnyone)) return open('List in frame-ancestors the sites that may frame the page.')
    return { status: 'pass', share: 1, protected_by: 'csp', recommendation: null }
  }
  if (directive === 'deny' || directive === 'sameorigin') {
    return { status: 'pass', share: 1, protected_by: 'x_frame_options', recommendation: null }
  }
  if (directive === 'conflicting') {
    const recommendation = 'Send a single X-Frame-Options value: browsers treat several differently.'
    return { status: 'warn', share: 0.5, protected_by: 'x_frame_options', recommendation }
  }
  return open(
    directive === 'invalid'
      ? 'Send DENY or SAMEORIGIN, or frame-ancestors in a policy: browsers ignore this X-Frame-Options.'
      : "Send Content-Security-Policy: frame-ancestors 'self', or X-Frame-Options: SAMEORIGIN.",
  )
}
