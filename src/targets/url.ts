// The canonical form of a link. Ambiguous spellings are rejected, not repaired: a link is judged only as every browser
// would open it.

/** An http or https URL as it is checked: normalised by the URL standard, without user information and fragment. */
export interface TargetUrl {
  /** ASCII, at most 2048 characters. */
  readonly href: string
  readonly scheme: 'http' | 'https'
  readonly port: number
  /** Begins with a slash; percent-encoded. */
  readonly path: string
  /** Without the question mark; null without one. */
  readonly query: string | null
}

/** A URL with its host as written. */
export interface WrittenUrl {
  readonly scheme: TargetUrl['scheme']
  /** Without brackets. */
  readonly host: string
  /** The host was in brackets, as only IPv6 addresses are. */
  readonly bracketed: boolean
  readonly port: number
  /** Path and query as written, without the fragment. */
  readonly rest: string
}

export type SplitUrl =
  | { readonly ok: true; readonly written: WrittenUrl }
  | { readonly ok: false; readonly detail: string }

/** Characters of a URL, as written and as normalised: what browsers, servers and gateways commonly accept. */
export const URL_CHARACTERS = 2_048

/** The usual ports of web servers. Others belong to services that a check must not poke. */
export const DEFAULT_URL_PORTS: readonly number[] = [80, 443, 8080, 8443]

const TOO_LONG = `The url is longer than ${URL_CHARACTERS} characters when percent-encoded.`
const INVALID_HOST = 'The url has an invalid host or port.'
const USER_INFO = 'The url contains user information (a name or password before @); remove it.'

/** What a URL must not contain, the most telling fault first. */
const FAULTS: readonly (readonly [pattern: RegExp, detail: string])[] = [
  [/\p{Surrogate}/u, 'The url is not well-formed Unicode.'],
  [/\p{Control}/u, 'The url contains a control character, such as a tab or a line break.'],
  [/\s/, 'The url contains white space; percent-encode it.'],
  [/^(?!https?:)/i, 'The url does not start with http:// or https://; only these schemes can be checked.'],
  [/^[^?#]*\\/, 'The url contains a backslash, which browsers read as a slash.'],
  [/^\w+:(?!\/\/[^/])/, 'The url must have exactly two slashes after the scheme, and a host.'],
]

const URL_SHAPE = /^(?<scheme>https?):\/\/(?<authority>[^/?#]*)(?<rest>[^#]*)/i

const HOST_AND_PORT = /^(?:\[(?<literal>[^[\]]*)\]|(?<name>[^:[\]]*))(?::(?<port>\d{1,5}))?$/

const MAX_PORT = 65_535
const DEFAULT_PORTS = { http: 80, https: 443 } as const

/** Takes a URL apart. Trims nothing. Runs in linear time; never throws. */
export function splitUrl(text: string): SplitUrl {
  const refuse = (detail: string): SplitUrl => ({ ok: false, detail })
  if (text.length > URL_CHARACTERS) return refuse(TOO_LONG)
  const fault = FAULTS.find(([pattern]) => pattern.test(text))
  if (fault !== undefined) return refuse(fault[1])
  const { scheme: schemeName = '', authority = '', rest = '' } = URL_SHAPE.exec(text)?.groups ?? {}
  if (authority.includes('@')) return refuse(USER_INFO)
  if (authority.includes('%')) return refuse('The host of the url is percent-encoded.')
  const parts = HOST_AND_PORT.exec(authority)?.groups
  if (parts === undefined) return refuse(INVALID_HOST)
  const { literal, name = '', port: portText } = parts
  const host = literal ?? name
  if (host === '') return refuse('The url has no host.')
  if (literal !== undefined && !literal.includes(':')) return refuse('The url has no IPv6 address within the brackets.')
  const scheme = schemeName.toLowerCase() === 'http' ? 'http' : 'https'
  const port = portText === undefined ? DEFAULT_PORTS[scheme] : Number(portText)
  if (port < 1 || port > MAX_PORT) return refuse(INVALID_HOST)
  return { ok: true, written: { scheme, host, bracketed: literal !== undefined, port, rest } }
}

/** Puts a URL together with its host in canonical form; returns the fault when it cannot be. */
export function normaliseUrl({ scheme, port, rest }: WrittenUrl, host: string): TargetUrl | string {
  const text = `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}${rest}`
  if (!URL.canParse(text)) return INVALID_HOST
  const { href, pathname, search } = new URL(text)
  if (href.length > URL_CHARACTERS) return TOO_LONG
  return { href, scheme, port, path: pathname, query: search === '' ? null : search.slice(1) }
}

/** The host without brackets and without the final dot of an absolute name. */
export const bareHost = (host: string): string => host.replace(/^\[|\]$/g, '').replace(/\.$/, '')
