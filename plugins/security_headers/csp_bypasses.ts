// Hosts that are known to serve bypasses of a policy that allows them. The evaluator parses its whole list for each
// source of a policy; this module indexes the list once.
import { URLS as ANGULAR } from 'csp_evaluator/dist/allowlist_bypasses/angular.js'
import { URLS as JSONP, NEEDS_EVAL } from 'csp_evaluator/dist/allowlist_bypasses/jsonp.js'

/** A host that serves scripts with which a policy that allows it can be bypassed. */
export interface Bypass {
  readonly host: string
  readonly path: string
  readonly serves: 'JSONP endpoints' | 'Angular libraries'
  /** Only a bypass together with 'unsafe-eval'. */
  readonly needs_eval: boolean
}

function bypassOf(source: string, serves: Bypass['serves']): Bypass {
  const { hostname, pathname } = new URL(source, 'https://listed.invalid')
  const needsEval = serves === 'JSONP endpoints' && NEEDS_EVAL.includes(hostname)
  return { host: hostname, path: pathname, serves, needs_eval: needsEval }
}

const BYPASSES: readonly Bypass[] = [
  ...JSONP.map(url => bypassOf(url, 'JSONP endpoints')),
  ...ANGULAR.map(url => bypassOf(url, 'Angular libraries')),
]

/** `www.example.com` for the host itself, `*.example.com` and `*.com` for wildcards. */
const keysOf = (host: string): string[] => {
  const labels = host.split('.')
  return [host, ...labels.slice(1).map((_, at) => `*.${labels.slice(at + 1).join('.')}`)]
}

const index = new Map<string, Bypass[]>()
for (const bypass of BYPASSES) {
  for (const key of keysOf(bypass.host)) index.set(key, [...(index.get(key) ?? []), bypass])
}

/** A host source (CSP3 section 2.3.1): scheme, host, port and path. Only host and path matter here. */
const HOST_SOURCE = /^(?:[a-z][a-z0-9+.-]*:\/\/)?((?:\*\.)?[a-z0-9.-]+)(?::(?:\d+|\*))?(\/[^?#]*)?$/i

/** What a host source allows. A path that ends in a slash allows everything below it. */
export function findBypass(source: string, hasEval: boolean): Bypass | null {
  const [, host, path = '/'] = HOST_SOURCE.exec(source) ?? []
  const matches = ({ path: bypassPath, needs_eval }: Bypass) =>
    (path.endsWith('/') ? bypassPath.startsWith(path) : bypassPath === path) && (hasEval || !needs_eval)
  return index.get(host?.toLowerCase() ?? '')?.find(matches) ?? null
}
