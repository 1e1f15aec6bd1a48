// Was the page served over HTTPS, did every redirect keep to it, and does HTTP lead there?
import { type Entrance, type Static, Type } from '../../src/engine/plugin.ts'
import { type Judgement, nullable, Status } from './judgement.ts'

export const Https = Type.Object(
  {
    used: Type.Boolean({ description: 'The evaluated page came over HTTPS.' }),
    redirects_from_http: nullable(
      Type.Boolean({
        description:
          'HTTP leads to HTTPS; null when it answers otherwise than with a page or not at all, and when that is not known.',
      }),
    ),
    downgraded: Type.Boolean({ description: 'A redirect led from HTTPS to HTTP.' }),
    status: Status,
    recommendation: nullable(Type.String()),
  },
  { additionalProperties: false },
)

/** `urls` in the order they were visited, the page's last; `http` is what port 80 says, null when that was not asked. */
export function judgeHttps(urls: readonly string[], http: Entrance | null): Judgement<Static<typeof Https>> {
  const secure = urls.map(url => url.startsWith('https://'))
  const used = secure.at(-1) === true
  const downgraded = secure.some((one, at) => one && secure[at + 1] === false)
  const redirects_from_http = used ? (secure.includes(false) ? true : leadsToHttps(http)) : false
  const judged = (status: 'pass' | 'warn' | 'fail', share: number, recommendation: string | null) => ({
    section: { used, redirects_from_http, downgraded, status, recommendation },
    share,
  })
  if (!used && downgraded) return judged('fail', 0, 'Serve the page over HTTPS instead of redirecting away from it.')
  if (!used) return judged('fail', 0, 'Serve the page over HTTPS and redirect HTTP to it.')
  if (downgraded) return judged('warn', 0.5, 'Let no redirect lead through HTTP.')
  if (redirects_from_http === false) return judged('warn', 0.5, 'Redirect HTTP to HTTPS.')
  return judged('pass', 1, null)
}

/** A redirect to another http URL may end at https: it is not followed. */
function leadsToHttps(http: Entrance | null): boolean | null {
  if (http === null || http.status === null) return null
  if (http.status >= 200 && http.status < 300) return false
  return http.location?.startsWith('https:') ? true : null
}
