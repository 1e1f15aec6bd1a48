// Was the page served over HTTPS, and did every redirect keep to it? Only what the visit showed.
import { type Static, Type } from '../../src/engine/plugin.ts'
import { type Judgement, nullable, Status } from './judgement.ts'

export const Https = Type.Object(
  {
    used: Type.Boolean({ description: 'The evaluated page came over HTTPS.' }),
    redirects_from_http: nullable(
      Type.Boolean({ description: 'HTTP leads to HTTPS; null when the visit did not begin there.' }),
    ),
    downgraded: Type.Boolean({ description: 'A redirect led from HTTPS to HTTP.' }),
    status: Status,
    recommendation: nullable(Type.String()),
  },
  { additionalProperties: false },
)

/** `urls` in the order they were visited, the page's last. */
export function judgeHttps(urls: readonly string[]): Judgement<Static<typeof Https>> {
  const secure = urls.map(url => url.startsWith('https://'))
  const used = secure.at(-1) === true
  const downgraded = secure.some((one, at) => one && secure[at + 1] === false)
  const redirects_from_http = used ? (secure.includes(false) ? true : null) : false
  const facts = { used, redirects_from_http, downgraded }
  if (!used) {
    const recommendation = downgraded
      ? 'Serve the page over HTTPS instead of redirecting away from it.'
      : 'Serve the page over HTTPS and redirect HTTP to it.'
    return { section: { ...facts, status: 'fail', recommendation }, share: 0 }
  }
  if (!downgraded) return { section: { ...facts, status: 'pass', recommendation: null }, share: 1 }
  return { section: { ...facts, status: 'warn', recommendation: 'Let no redirect lead through HTTP.' }, share: 0.5 }
}
