// From the query string to the target, and to the key of its result in the cache.
import { createCache } from '../cache/cache.ts'
import { cacheKey } from '../store/result_cache.ts'
import { parseTarget, type Target, type Vetting } from '../targets/target.ts'
import { Problem } from './problem.ts'

export interface RequestedTarget {
  readonly target: Target
  /** Key of its result in the cache. */
  readonly name: string
  /** For the log. */
  readonly label: string
}

/** Characters of the longest query that is cached. */
const rememberedLength = 300

/**
 * The returned function takes the query string after the `?`, and throws a `Problem` when it is invalid. `policy` names
 * the weights in force: a result under another policy is another result.
 */
export function createTargetReader(vetting: Vetting, policy: string) {
  const remembered = createCache<RequestedTarget>('queries')

  function parse(raw: string): RequestedTarget {
    const query = parseQuery(raw)
    if (!query.ok) throw new Problem('invalid-parameter', query.detail)
    const parsed = parseTarget(query, vetting)
    if (!parsed.ok) throw new Problem(parsed.code, parsed.detail)
    const { domain, ip } = parsed.target
    const label = domain && ip ? `${domain} ${ip}` : (domain ?? ip ?? '')
    return { target: parsed.target, name: cacheKey(parsed.target, policy), label }
  }

  return (raw: string): RequestedTarget => {
    const known = remembered.get(raw)
    if (known !== undefined) return known
    const requested = parse(raw)
    // Whether an address may be checked can change; how a name is parsed cannot.
    return requested.target.ip === null && raw.length <= rememberedLength ? remembered.set(raw, requested) : requested
  }
}

/** More than any client sends, and few enough to refuse floods of `a&a&a&...` at once. */
const parameterCount = 16

export interface QueryTarget {
  readonly domain: string | null
  readonly ip: string | null
}

export type Query = ({ readonly ok: true } & QueryTarget) | { readonly ok: false; readonly detail: string }

const refuse = (detail: string): Query => ({ ok: false, detail })

/**
 * Parses the query string by hand: bounded, in linear time, strict about UTF-8. Returns `domain` and `ip`, decoded once as
 * application/x-www-form-urlencoded (so `+` is a space). A parameter that is repeated, empty or not UTF-8 is refused; other
 * parameters are ignored. `raw` is the query string after the `?`.
 */
export function parseQuery(raw: string): Query {
  const parameters = raw.split('&', parameterCount + 1)
  if (parameters.length > parameterCount) return refuse(`The query string has more than ${parameterCount} parameters.`)
  let domain: string | null = null
  let ip: string | null = null
  for (const parameter of parameters) {
    const equals = parameter.indexOf('=')
    const name = decode(equals === -1 ? parameter : parameter.slice(0, equals))
    if (name !== 'domain' && name !== 'ip') continue
    if ((name === 'domain' ? domain : ip) !== null) return refuse(`The parameter ${name} is repeated.`)
    const value = equals === -1 ? '' : decode(parameter.slice(equals + 1))
    if (value === '') return refuse(`The parameter ${name} is empty.`)
    if (value === null) return refuse(`The parameter ${name} is not percent-encoded UTF-8.`)
    if (name === 'domain') domain = value
    else ip = value
  }
  return { ok: true, domain, ip }
}

/** Null when the text is not UTF-8: overlong forms, surrogates and truncated sequences included (RFC 3629 section 3). */
function decode(text: string): string | null {
  if (!/[%+]/.test(text)) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return null
  }
}
