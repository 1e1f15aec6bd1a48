// Hosts shared by many users: what one user publishes there says nothing about the host or its other users.
import { dataFile, TextList } from '../base/data_file.ts'
import data from './data/shared_hosts.json' with { type: 'json' }
import { identify } from './identity.ts'

/**
 * Hosts where users publish below a path (documents, files, code, short links, posts), or below names that are neither in
 * the PSL nor known to `isPlatform`.
 */
export const SharedHostsFile = dataFile({ hosts: TextList })
const PUBLISHED_HOSTS: ReadonlySet<string> = new Set(data.hosts)

/** Whether a listing of this very name would hit unrelated users: a public suffix (PSL, both sections) or a platform. */
export function isShared(name: string): boolean {
  const { host, shared } = identify(name)
  return shared || PUBLISHED_HOSTS.has(host)
}

/**
 * Last segments of paths where the query selects the content: redirectors, viewers, searches. The path alone stands for
 * everything that the service shows there.
 */
const selectors =
  /^(?:url|amp|l|r|u|out|away|go|link|linkfilter|click|aclk|ck|redir|redirect|forward|interstitial|attribution_link|open|uc|download|file|view|viewer|watch|playlist|search|share|sharer|details|translate|website|login|signin|index|responsepage)?(?:\.[a-z]{2,5})?$/i

/** Whether the path names one page of a shared host, whatever its query is. */
export const isPageWithoutQuery = (path: string): boolean => {
  const segments = path.split('/').filter(segment => segment !== '')
  return !selectors.test(segments.at(-1) ?? '')
}
