// The icon of a site, as a digest to compare: one more request to a site that was just checked.
import { createHash } from 'node:crypto'
import type { Network } from '../../network/network.ts'
import type { Result } from '../bulk/record.ts'
import { evaluatedUrl } from './shared.ts'

/** Octets of an icon; larger ones are compared by their beginning. */
const ICON_OCTETS = 128 * 1024
const ICON_MS = 4_000
const REDIRECTS = 2

/** SHA-256 in hex; null when the site shows no page or has no icon. Never rejects. */
export type IconOf = (result: Result, signal: AbortSignal) => Promise<string | null>

export const createIcons =
  (open: Network['open']): IconOf =>
  async (result, signal) => {
    const page = evaluatedUrl(result)
    if (page === null || !URL.canParse(page)) return null
    const url = new URL('/favicon.ico', page).href
    const ended = new AbortController()
    const until = AbortSignal.any([signal, ended.signal])
    try {
      const network = open({ signal: until, deadline: performance.now() + ICON_MS })
      const request = { url, signal: until, max_bytes: ICON_OCTETS, timeout_ms: ICON_MS, redirects: REDIRECTS }
      const fetched = await network.fetch({ ...request, purpose: 'files', accept: 'image/*' })
      if (!fetched.ok || fetched.exchanges.at(-1)?.status !== 200 || fetched.body.length === 0) return null
      return isImage(fetched.body) ? createHash('sha256').update(fetched.body).digest('hex') : null
    } finally {
      ended.abort()
    }
  }

/** A page in place of an icon begins with markup; SVG does, too, and says so. */
const isImage = (body: Buffer): boolean => {
  const head = body.subarray(0, 256).toString('latin1').trimStart().toLowerCase()
  return !head.startsWith('<') || head.includes('<svg')
}
