// Judges the headers of one visit by every criterion.
import {
  type CrossOriginAnswer,
  type Document,
  type Entrance,
  type HstsPreload,
  type ServedSection,
  withServed,
} from '../../src/engine/plugin.ts'
import { judgeContentTypeOptions } from './content_type_options.ts'
import { judgeCors } from './cors.ts'
import { judgeCrossOrigin } from './cross_origin.ts'
import { judgeCsp } from './csp.ts'
import { type MetaElement, readPolicies } from './csp_policy.ts'
import type { Headers } from './fields.ts'
import { judgeFraming } from './framing.ts'
import { gradeOf, scoreOf } from './grade.ts'
import { type HstsHop, judgeHsts } from './hsts.ts'
import { judgeHttps } from './https.ts'
import { sectionsOf, sharesOf } from './judgement.ts'
import { findLeaks } from './leaks.ts'
import { judgePermissionsPolicy } from './permissions_policy.ts'
import { judgeReferrerPolicy } from './referrer_policy.ts'
import { type GradedHeaders, missingOf } from './section.ts'
import { servedBy } from './served_by.ts'
import { judgeIntegrity } from './subresource_integrity.ts'

/** What was seen of one visit. */
export interface VisitEvidence {
  /** The responses of the visit; the evaluated one is last. */
  readonly hops: readonly HstsHop[]
  /** Null if the markup could not be read. */
  readonly metas: readonly MetaElement[] | null
  readonly document: Document | null
  /** The response of port 80; null if it was not requested. */
  readonly http: Entrance | null
  /** The response to a request from another origin; null without one. */
  readonly crossOrigin: CrossOriginAnswer | null
  readonly preload: HstsPreload | null
  /** Which of the two requests might have been answered with anything, because nothing answered them. */
  readonly unheard: { readonly http: boolean; readonly crossOrigin: boolean }
  /** The host whose certificate browsers reject; null if there is none. */
  readonly rejectedHost: string | null
}

/** `registrable` is the target's registrable domain, null for IP addresses. */
export function evaluate(
  fields: ServedSection,
  { hops, metas, document, http, crossOrigin, unheard, preload, rejectedHost }: VisitEvidence,
  registrable: string | null,
): GradedHeaders {
  const headers = hops.at(-1)?.headers ?? []
  const https = judgeHttps(
    hops.map(({ url }) => url),
    http,
    unheard.http,
  )
  const hsts = judgeHsts(hops, registrable, https.section.redirects_from_http, rejectedHost, preload)
  const probe = crossOrigin !== null && isSameOrigin(crossOrigin.url, hops.at(-1)?.url ?? '') ? crossOrigin : null
  const cors = judgeCors(headers, probe, unheard.crossOrigin)
  const judgements = { https, hsts, ...judgeHeaders(headers, metas, https.section.used), cors }
  const leaks = findLeaks(headers)
  const sections = sectionsOf(judgements)
  const isKnown =
    sections.csp !== null && sections.referrer_policy !== null && https.share !== null && cors.share !== null
  const score = isKnown ? scoreOf({ leaks: leaks.length === 0 ? 1 : 0, ...sharesOf(judgements) }) : null
  const missing = missingOf(sections)
  return withServed(fields, {
    score,
    grade: score === null ? null : gradeOf(score),
    ...sections,
    subresource_integrity: judgeIntegrity(document),
    missing,
    leaks: [...leaks],
    served_by: servedBy(headers),
  })
}

/** Without the markup, a missing header may still be set by a meta element. */
function judgeHeaders(headers: Headers, metas: readonly MetaElement[] | null, https: boolean) {
  const policies = readPolicies(headers, metas ?? [])
  const referrers = (metas ?? []).filter(({ name }) => name === 'referrer').map(({ content }) => content)
  const csp = judgeCsp(policies)
  const referrerPolicy = judgeReferrerPolicy(headers, referrers)
  return {
    csp: metas === null && !csp.section.present ? UNKNOWN : csp,
    x_frame_options: judgeFraming(headers, policies),
    x_content_type_options: judgeContentTypeOptions(headers),
    referrer_policy: metas === null && !referrerPolicy.section.present ? UNKNOWN : referrerPolicy,
    permissions_policy: judgePermissionsPolicy(headers),
    ...judgeCrossOrigin(headers, https),
  }
}

const isSameOrigin = (one: string, other: string): boolean =>
  URL.canParse(one) && URL.canParse(other) && new URL(one).origin === new URL(other).origin

const UNKNOWN = { section: null, share: null } as const
