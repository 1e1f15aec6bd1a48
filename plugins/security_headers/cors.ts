// CORS (Fetch section 3.3): which origins may read the page, and whether with credentials.
import { type CrossOriginAnswer, nullable, type Static, Type } from '../../src/engine/plugin.ts'
import { displayText, type Headers, linesOf } from './fields.ts'
import { type HeaderJudgement, type HeaderStatus, judgedObject } from './judgement.ts'

export const Cors = judgedObject('Which other sites may read the page.', {
  allow_credentials: Type.Boolean({ description: 'Other sites may read it with the visitor’s cookies.' }),
  reflects_origin: nullable(
    Type.Boolean({
      description: 'Any site is allowed by repeating its Origin header; null if no such request was answered.',
    }),
  ),
  reflects_with_credentials: nullable(
    Type.Boolean({ description: 'The same, for requests with the visitor’s cookies.' }),
  ),
})

const BOTH = 'List the origins that may read with credentials: browsers reject * combined with credentials.'
const REFLECTION_ADVICE = 'Compare the Origin header with a list: any site can read the page as its visitor now.'
const NULL = 'Do not allow the origin null: every sandboxed frame has that origin.'

/**
 * `probe`: the response of the same origin to a request from another one; null without one. `isProbeUnknown`: it was not
 * answered, so nothing shows whether any origin would be allowed.
 */
export function judgeCors(
  headers: Headers,
  probe: CrossOriginAnswer | null,
  isProbeUnknown: boolean,
): HeaderJudgement<Static<typeof Cors>> {
  const lines = linesOf(headers, 'access-control-allow-origin')
  const credentials = linesOf(headers, 'access-control-allow-credentials')
  const allowCredentials = credentials.length === 1 && credentials[0] === 'true'
  const reflectsOrigin = probe && probe.allow_origin === probe.origin
  const reflectsWithCredentials = probe && reflectsOrigin === true && probe.allow_credentials
  const verdict: CorsVerdict = reflectsWithCredentials
    ? ['fail', 0, REFLECTION_ADVICE]
    : judge(displayText(lines), allowCredentials)
  const [status, share, recommendation]: CorsVerdict =
    isProbeUnknown && verdict[0] === 'pass' ? [null, null, null] : verdict
  const section = {
    present: lines.length > 0,
    value: displayText(lines),
    allow_credentials: allowCredentials,
    reflects_origin: reflectsOrigin,
    reflects_with_credentials: reflectsWithCredentials,
    status,
    recommendation,
  }
  return { section, share }
}

type CorsVerdict = [status: HeaderStatus, share: number | null, recommendation: string | null]

function judge(origin: string | null, credentials: boolean): CorsVerdict {
  if (origin === '*' && credentials) return ['fail', 0, BOTH]
  if (origin === 'null') return credentials ? ['fail', 0, NULL] : ['warn', 0.5, NULL]
  return ['pass', 1, null]
}
