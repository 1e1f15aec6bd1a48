// Holds one visit's headers against every criterion.
import { type Entrance, type ServedSection, withServed } from '../../src/engine/plugin.ts'
import { judgeContentTypeOptions } from './content_type_options.ts'
import { judgeCors } from './cors.ts'
import { judgeCrossOrigin } from './cross_origin.ts'
import { judgeCsp } from './csp.ts'
import { type Meta, readPolicies } from './csp_policy.ts'
import type { Headers } from './fields.ts'
import { judgeFraming } from './framing.ts'
import { gradeOf, scoreOf } from './grade.ts'
import { type Hop, judgeHsts } from './hsts.ts'
import { judgeHttps } from './https.ts'
import { sectionsOf, sharesOf } from './judgement.ts'
import { findLeaks } from './leaks.ts'
import { judgePermissionsPolicy } from './permissions_policy.ts'
import { judgeReferrerPolicy } from './referrer_policy.ts'
import { type Graded, missingOf } from './section.ts'

export interface Seen {
  /** The visit's responses, the evaluated one last. */
  readonly hops: readonly Hop[]
  readonly metas: readonly Meta[]
  /** What port 80 says; null when that was not asked. */
  readonly http: Entrance | null
}

/** `registrable` is the target's base domain, null for addresses. */
export function evaluate(fields: ServedSection, { hops, metas, http }: Seen, registrable: string | null): Graded {
  const headers = hops.at(-1)?.headers ?? []
  const https = judgeHttps(
    hops.map(({ url }) => url),
    http,
  )
  const hsts = judgeHsts(hops, registrable, https.section.redirects_from_http)
  const judged = { https, hsts, ...judgeHeaders(headers, metas, https.section.used) }
  const leaks = findLeaks(headers)
  const score = scoreOf({ leaks: leaks.length === 0 ? 1 : 0, ...sharesOf(judged) })
  const sections = sectionsOf(judged)
  const missing = missingOf(sections)
  return withServed(fields, { score, grade: gradeOf(score), ...sections, missing, leaks: [...leaks] })
}

function judgeHeaders(headers: Headers, metas: readonly Meta[], https: boolean) {
  const policies = readPolicies(headers, metas)
  const referrers = metas.filter(({ name }) => name === 'referrer').map(({ content }) => content)
  return {
    csp: judgeCsp(policies),
    x_frame_options: judgeFraming(headers, policies),
    x_content_type_options: judgeContentTypeOptions(headers),
    referrer_policy: judgeReferrerPolicy(headers, referrers),
    permissions_policy: judgePermissionsPolicy(headers),
    ...judgeCrossOrigin(headers, https),
    cors: judgeCors(headers),
  }
}
