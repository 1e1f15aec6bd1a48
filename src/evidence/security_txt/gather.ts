// Gathers the security.txt file of the site whose page was fetched.
import { createCollector, fieldValues } from '../../network/http.ts'
import { printable } from '../../printable.ts'
import type { Addresses } from '../addresses/facts.ts'
import type { Gatherer } from '../gatherer.ts'
import { type SiteSetup, wholeFileStatus } from '../site_session/session.ts'
import type { SecurityTxt } from './facts.ts'

/** RFC 9116 section 3. The older location, `/security.txt`, is not asked: that would cost sites without the file a second request. */
const file = {
  path: '/.well-known/security.txt',
  accept: 'text/plain, */*;q=0.1',
  /** RFC 9116 section 5.6 suggests 32 KiB. */
  max_bytes: 32 * 1024,
  timeout_ms: 2_000,
  createReader: createCollector,
}

const CONTENT_TYPE_CHARACTERS = 256

/** Rejects as the page does, and when nothing answered: then there is no site. */
export default ({ sites }: SiteSetup): Gatherer<SecurityTxt, { addresses: Addresses }> =>
  context =>
    sites.use(context, async site => {
      site.want(file)
      const url = new URL(file.path, await site.origin())
      const { journey, reader } = await site.fetch(file, url)
      const { status, reason } = wholeFileStatus(journey)
      const last = journey.exchanges.at(-1)
      const [content_type = null] = last ? fieldValues(last.headers, 'content-type') : []
      return {
        url: url.href,
        status,
        reason,
        content_type: content_type === null ? null : printable(content_type, CONTENT_TYPE_CHARACTERS),
        text: status === 'found' ? securityText(reader.bytes()) : null,
        truncated: status === 'found' && last?.truncated === 'too_large',
      }
    })

/** Characters of a page's first tag: enough to recognise it as one. */
const TAG_CHARACTERS = 64

/** Lines end with CRLF or LF (RFC 9116 section 4). Of a page in place of the file only the first tag is kept: pages are never kept. */
function securityText(octets: Buffer): string {
  const text = new TextDecoder()
    .decode(octets)
    .replace(/\r\n?/g, '\n')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
  const start = text.trimStart()
  return start.startsWith('<') ? start.slice(0, Math.min(TAG_CHARACTERS, start.search(/>|$/) + 1)) : text
}
