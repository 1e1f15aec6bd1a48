// From the query string to the target, to the key of its result in the cache, and to its name in the log.
import { Type } from 'typebox'
import { createCache } from '../../base/cache/cache.ts'
import type { AskedSelection } from '../../engine/selection.ts'
import { cacheKey } from '../../store/result_cache.ts'
import { parseTarget, type Target, type TargetRequest, type Vetting } from '../../targets/target.ts'
import { URL_CHARACTERS } from '../../targets/url.ts'
import { misspeltParameter, readParameters } from './input.ts'
import { type AskedFormat, FormatParameter, selectionParameters } from './negotiation.ts'
import { Problem } from './problem.ts'

/** More than the 254 octets of the longest address, so that a longer one gets a sentence of its own. */
const EMAIL_CHARACTERS = 1_024

/** The parameters of a check. */
export const CheckQuery = Type.Object({
  domain: Type.Optional(Type.String({ description: 'A domain name, in U-labels or A-labels.' })),
  ip: Type.Optional(Type.String({ description: 'An IPv4 address in dotted-decimal form, or an IPv6 address.' })),
  url: Type.Optional(
    Type.String({
      format: 'uri',
      maxLength: URL_CHARACTERS,
      description: `An http or https URL, percent-encoded as a whole, at most ${URL_CHARACTERS} characters; not together with domain or ip. Its page is checked instead of the front page, with one GET; this uses up a link that works only once. User information, control characters, white space and backslashes are refused. The fragment is ignored. Path and query are never logged or sent to third parties.`,
    }),
  ),
  email: Type.Optional(
    Type.String({
      maxLength: EMAIL_CHARACTERS,
      description:
        'An e-mail address, percent-encoded; not together with domain, ip or url. The domain after the @ is checked, and `email` in the answer says whether it is disposable, gives out free addresses, and accepts mail. The address itself is never logged, kept, repeated or sent to a third party; the mailbox is not checked.',
    }),
  ),
  visit: Type.Optional(
    Type.Boolean({
      default: true,
      description:
        'false judges the target by its name, DNS, registration and lists, and does not contact the site. Sections about the site are not_applicable (not_visited) and confidence is low, unless a listing decides.',
    }),
  ),
  render: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'true renders the page in a browser, if this installation has one: the section `rendered` says what the page shows, loads and does. May count as several checks of the quota.',
    }),
  ),
  fresh: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'true checks again instead of serving a cached result. Limits per domain and per key apply.',
    }),
  ),
  format: FormatParameter,
  ...selectionParameters,
})

export interface RequestedTarget {
  readonly target: Target
  /** Key of its result in the cache. */
  readonly name: string
  /** For the log: of a URL, neither path nor query. */
  readonly label: string
  /** Whether a cached result must not be served. */
  readonly fresh: boolean
  /** The format of the answer; null when the header Accept decides. */
  readonly format: AskedFormat | null
  /** Which members of the result are answered. */
  readonly selected: AskedSelection
  /** The target is the domain of an e-mail address, about which the answer says more. */
  readonly of_email?: true
}

/** `name` is its cache key. */
export const requestedTarget = (target: Target, name: string): RequestedTarget => ({
  target,
  name,
  label: labelOf(target),
  fresh: false,
  format: null,
  selected: {},
})

/** Characters of the longest query that is cached. */
const rememberedLength = 300

/**
 * `policy` names the weights in force: a result under another policy is another result. `urlSecret` as for `cacheKey`.
 */
export function createTargetReader(vetting: Vetting, policy: string, urlSecret?: () => Buffer) {
  const queryCache = createCache<RequestedTarget>('queries')

  function parse(raw: string): RequestedTarget {
    const query = parseQuery(raw)
    if (!query.ok) throw new Problem('invalid-parameter', query.detail)
    const parsed = parseTarget(query.requested, vetting)
    // The problem itself names all parameters.
    if (!parsed.ok) throw new Problem(parsed.code, parsed.code === 'missing-target' ? undefined : parsed.detail)
    const { target } = parsed
    const { fresh, format, selected } = query
    const ofEmail = query.requested.email === undefined ? {} : { of_email: true as const }
    return { ...requestedTarget(target, cacheKey(target, policy, urlSecret?.())), fresh, format, selected, ...ofEmail }
  }

  return {
    /** Takes the query string after the `?`. Throws a `Problem` when it is invalid. */
    read(raw: string) {
      const cachedTarget = queryCache.get(raw)
      if (cachedTarget !== undefined) return cachedTarget
      const requestedTarget = parse(raw)
      const { ip, url } = requestedTarget.target
      // Whether an address may be checked can change; how a name is parsed cannot. Links are kept nowhere but in results, e-mail addresses
      // nowhere at all.
      const keeps =
        ip === null && url === null && requestedTarget.of_email === undefined && raw.length <= rememberedLength
      return keeps ? queryCache.set(raw, requestedTarget) : requestedTarget
    },
  }
}

function labelOf({ domain, ip, url }: Target): string {
  if (url !== null) return `${new URL(url.href).origin}/…`
  return domain && ip ? `${domain} ${ip}` : (domain ?? ip ?? '')
}

/** More than any client sends, and few enough to refuse floods of `a&a&a&...` at once. */
const parameterCount = 16

export type RequestedCheck =
  | {
      readonly ok: true
      readonly requested: TargetRequest
      readonly fresh: boolean
      readonly format: AskedFormat | null
      readonly selected: AskedSelection
    }
  | { readonly ok: false; readonly detail: string }

const NOT_ENCODED =
  'The parameter url is not percent-encoded, so it ends at its first &. Encode all of it: encodeURIComponent(url) in JavaScript, quote(url, safe="") in Python, curl -G --data-urlencode "url=...".'

/** Parameters that links have, too. */
const OF_LINKS: ReadonlySet<string> = new Set(['format', 'fields', 'sections'])

const refuse = (detail: string): RequestedCheck => ({ ok: false, detail })

type ParameterName = keyof typeof CheckQuery.properties
const isName = (name: string | null): name is ParameterName =>
  name !== null && Object.hasOwn(CheckQuery.properties, name)
const NAMES = Object.keys(CheckQuery.properties)

/**
 * Parses the query string by hand: bounded, in linear time, strict about UTF-8. Returns the parameters
 * of `CheckQuery`, decoded once as application/x-www-form-urlencoded (so `+` is a space). One of them that is repeated, empty or not UTF-8 is
 * refused, and so is a name that is nearly one of them; other parameters are ignored. `raw` is the query string after the `?`.
 */
export function parseQuery(raw: string): RequestedCheck {
  const parameters = raw.split('&', parameterCount + 1)
  if (parameters.length > parameterCount) return refuse(`The query string has more than ${parameterCount} parameters.`)
  const values: { [Each in ParameterName]?: string } = {}
  let url: 'none' | 'encoded' | 'path' | 'query' = 'none'
  let hasOthers = false
  let isCut = false
  let misspelt: string | null = null
  for (const parameter of parameters) {
    const equals = parameter.indexOf('=')
    const name = decode(equals === -1 ? parameter : parameter.slice(0, equals))
    if (!isName(name)) {
      hasOthers ||= parameter !== ''
      isCut ||= parameter !== '' && url === 'path'
      misspelt ??= name === null ? null : misspeltParameter(name, NAMES)
      continue
    }
    if (url === 'query' && OF_LINKS.has(name)) hasOthers = true
    if (values[name] !== undefined) return refuse(`The parameter ${name} is repeated.`)
    const value = equals === -1 ? '' : decode(parameter.slice(equals + 1))
    if (value === '') return refuse(`The parameter ${name} is empty.`)
    if (value === null) return refuse(`The parameter ${name} is not percent-encoded UTF-8.`)
    values[name] = value
    if (name === 'url') url = parameter.includes('?') ? 'query' : parameter.includes('/') ? 'path' : 'encoded'
  }
  const { domain = null, ip = null, url: address = null, email, ...others } = values
  // What names the target is left to `parseTarget`, whose refusals have codes of their own.
  const how = readParameters(CheckQuery, others)
  if (!how.ok) return refuse(how.fault)
  // The rest of such a URL was split off at its first `&`: another page would be checked.
  if (isCut || (url === 'query' && hasOthers)) return refuse(NOT_ENCODED)
  if (misspelt !== null) return refuse(misspelt)
  const { visit = true, render = false, fresh = false, format = null, fields, sections } = how.values
  const request = {
    domain,
    ip,
    url: address,
    ...(email !== undefined && { email: withPlus(email) }),
    visit,
    ...(render && { render }),
  }
  const selection = { ...(fields !== undefined && { fields }), ...(sections !== undefined && { sections }) }
  return { ok: true, requested: request, fresh, format, selected: selection }
}

/** A `+` that was not percent-encoded arrives as a space, which only a quoted part before the `@` may have. */
const withPlus = (email: string): string => (email.startsWith('"') ? email : email.replaceAll(' ', '+'))

/** Null when the text is not UTF-8: overlong forms, surrogates and truncated sequences included (RFC 3629 section 3). */
function decode(text: string): string | null {
  if (!/[%+]/.test(text)) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return null
  }
}
