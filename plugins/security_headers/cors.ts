// CORS (Fetch section 3.3): which origins may read the page, and whether with credentials.
import { type Static, Type } from '../../src/engine/plugin.ts'
import { displayed, type Headers, linesOf } from './fields.ts'
import { type Judgement, judgedObject, type Status } from './judgement.ts'

export const Cors = judgedObject({
  allow_credentials: Type.Boolean(),
})

const BOTH = 'List the origins that may read with credentials: browsers reject * combined with credentials.'
const NULL = 'Do not allow the origin null: every sandboxed frame has that origin.'

export function judgeCors(headers: Headers): Judgement<Static<typeof Cors>> {
  const lines = linesOf(headers, 'access-control-allow-origin')
  const credentials = linesOf(headers, 'access-control-allow-credentials')
  const allow_credentials = credentials.length === 1 && credentials[0] === 'true'
  const [status, share, recommendation] = judge(displayed(lines), allow_credentials)
  return {
    section: { present: lines.length > 0, value: displayed(lines), allow_credentials, status, recommendation },
    share,
  }
}

function judge(origin: string | null, credentials: boolean): [Status, number, string | null] {
  if (origin === '*' && credentials) return ['fail', 0, BOTH]
  if (origin === 'null') return credentials ? ['fail', 0, NULL] : ['warn', 0.5, NULL]
  return ['pass', 1, null]
}
