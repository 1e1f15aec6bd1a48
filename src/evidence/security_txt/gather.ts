// Gathers the security.txt file of the site.

import { printable } from '../../base/printable.ts'
import { createCollector, fieldValues } from '../../network/http.ts'
import type { Addresses } from '../addresses/facts.ts'
import type { Gatherer } from '../gatherer.ts'
import { answeredRequests } from '../page/facts.ts'
import { type SiteSetup, wholeFileStatus } from '../site_session/session.ts'
import type { SecurityTxt } from './facts.ts'

/**
 * RFC 9116 section 3. The older location, `/security.txt`, is not requested, because it would cost sites without the
 * file a second request.
 */
const file = {
  path: '/.well-known/security.txt',
  accept: 'text/plain, */*;q=0.1',
  /** RFC 9116 section 5.6 suggests 32 KiB. */
  max_bytes: 32 * 1024,
  timeout_ms: 2_000,
  createReader: createCollector,
}

const CONTENT_TYPE_CHARACTERS = 256

/** Rejects when the page does, and when nothing answered. */
export default ({ sites }: SiteSetup): Gatherer<SecurityTxt, { addresses: Addresses }> =>
  context =>
    sites.use(context, async site => {
      site.want(file)
      const url = new URL(file.path, await site.origin())
      const { navigation, reader } = await site.fetch(file, url)
      const { status, reason } = wholeFileStatus(navigation)
      const last = navigation.exchanges.at(-1)
      const [contentType = null] = last ? fieldValues(last.headers, 'content-type') : []
      return {
        url: url.href,
        status,
        reason,
        content_type: contentType === null ? null : printable(contentType, CONTENT_TYPE_CHARACTERS),
        text: status === 'found' ? securityText(reader.bytes()) : null,
        truncated: status === 'found' && last?.truncated === 'too_large',
        requests: answeredRequests(navigation.exchanges, 'security_txt'),
      }
    })

/** Characters kept of an HTML page's first tag: enough to recognise a page. */
const TAG_CHARACTERS = 64

/**
 * Normalizes line ends (RFC 9116 section 4). Of an HTML page in place of the file, keeps only the first tag, because
 * pages are never kept.
 */
function securityText(octets: Buffer): string {
  const text = new TextDecoder()
    .decode(octets)
    .replace(/\r\n?/g, '\n')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
  const start = text.trimStart()
  return start.startsWith('<') ? start.slice(0, Math.min(TAG_CHARACTERS, start.search(/>|$/) + 1)) : text
}
