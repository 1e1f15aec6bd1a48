// Whether the page is served over HTTPS, every redirect stays on HTTPS, and HTTP redirects to it.
import { type Entrance, nullable, type Static, Type } from '../../src/engine/plugin.ts'
import { type HeaderJudgement, HeaderStatus } from './judgement.ts'

export const Https = Type.Object(
  {
    used: Type.Boolean({ description: 'The evaluated page was served over HTTPS.' }),
    redirects_from_http: nullable(
      Type.Boolean({
        description: 'HTTP redirects to HTTPS; null if unknown, or if port 80 does not answer with a page or redirect.',
      }),
    ),
    downgraded: Type.Boolean({ description: 'A redirect led from HTTPS to HTTP.' }),
    status: HeaderStatus,
    recommendation: nullable(Type.String({ description: 'What to change; null if nothing.' })),
  },
  { additionalProperties: false, description: 'Whether the page and the way to it are encrypted.' },
)

/**
 * `urls` in the order of the visit, the page's last. `http` is the response of port 80, null if it was not requested.
 * `isHttpUnknown`: it might serve the page unencrypted, so nothing is judged if that alone would be wrong.
 */
export function judgeHttps(
  urls: readonly string[],
  http: Entrance | null,
  isHttpUnknown: boolean,
): HeaderJudgement<Static<typeof Https>> {
  const secure = urls.map(url => url.startsWith('https://'))
  const usesHttps = secure.at(-1) === true
  const isDowngraded = secure.some((one, at) => one && secure[at + 1] === false)
  const redirectsFromHttp = usesHttps ? (secure.includes(false) ? true : leadsToHttps(http)) : false
  const judgement = (status: Static<typeof HeaderStatus>, share: number | null, recommendation: string | null) => ({
    section: {
      used: usesHttps,
      redirects_from_http: redirectsFromHttp,
      downgraded: isDowngraded,
      status,
      recommendation,
    },
    share,
  })
  if (!usesHttps && isDowngraded)
    return judgement('fail', 0, 'Serve the page over HTTPS instead of redirecting away from it.')
  if (!usesHttps) return judgement('fail', 0, 'Serve the page over HTTPS and redirect HTTP to it.')
  if (isDowngraded) return judgement('warn', 0.5, 'Remove the redirect through HTTP.')
  if (redirectsFromHttp === null && isHttpUnknown) return judgement(null, null, null)
  if (redirectsFromHttp === false) return judgement('warn', 0.5, 'Redirect HTTP to HTTPS.')
  return judgement('pass', 1, null)
}

/** Redirects within plain HTTP are followed as far as they were seen: a page at their end is no redirect to HTTPS. */
function leadsToHttps(http: Entrance | null): boolean | null {
  const last = http?.followed?.at(-1) ?? http
  if (last === null || last.status === null) return null
  if (last.status >= 200 && last.status < 300) return false
  return last.location?.startsWith('https:') ? true : null
}
