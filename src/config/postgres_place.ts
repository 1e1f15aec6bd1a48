// How PostgreSQL is reached: a `postgres://` URL, checked when the configuration is read.
import type pg from 'pg'

/** Milliseconds to connect, and for one statement: an answer that cannot be counted within that time is refused. */
const CONNECT_MS = 2_000
const STATEMENT_MS = 5_000
/** Seconds that a URL may give for connecting, as libpq's `connect_timeout`: nobody waits longer for an answer. */
const LONGEST_CONNECT_S = 60
const APPLICATION = 'assay'

export interface PostgresPlace {
  /** `postgres://user:password@host:port/database`, with `connect_timeout`, `sslmode` and `sslrootcert` as libpq knows them. */
  readonly url: string
}

/** Without the URL, which may hold a password. */
const NO_URL =
  'must be a URL such as postgres://user:password@host:5432/assay; percent-encode special characters in the password'
const CONNECT_TIMEOUT = `connect_timeout must be a whole number of seconds from 1 to ${LONGEST_CONNECT_S}`
const REDIS = 'Redis is not a store any more: give the URL of a PostgreSQL database, such as postgres://host:5432/assay'

/** What is wrong with the URL of a store; null when nothing is. */
export function storeUrlFault(text: string): string | null {
  if (/^rediss?(\+sentinel)?:/.test(text)) return REDIS
  if (!isStoreUrl(text)) return NO_URL
  const seconds = new URL(text).searchParams.get('connect_timeout')
  return seconds === null || (/^\d+$/.test(seconds) && isBetween(Number(seconds))) ? null : CONNECT_TIMEOUT
}

const isBetween = (seconds: number): boolean => seconds >= 1 && seconds <= LONGEST_CONNECT_S

function isStoreUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^postgres(?:ql)?:$/.test(url.protocol)) return false
  return /^\/[^/]+$/.test(url.pathname) && [url.username, url.password, url.pathname].every(isDecodable)
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** Host, port and database, for people: without user and password. */
export function placeText({ url }: PostgresPlace): string {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[?::1\]?)$/i

/** The host of the URL; null for a Unix socket. */
export const hostOf = ({ url }: PostgresPlace): string | null => {
  const { hostname, searchParams } = new URL(url)
  const host = searchParams.get('host') ?? hostname
  return host === '' || host.startsWith('/') ? null : host
}

export const isLocal = (place: PostgresPlace): boolean => {
  const host = hostOf(place)
  return host === null || LOOPBACK.test(host)
}

/** Whether the connection is private: it stays on this machine, or is encrypted. */
export const isProtected = (place: PostgresPlace): boolean =>
  isLocal(place) ||
  !['disable', 'allow', 'prefer'].includes(new URL(place.url).searchParams.get('sslmode') ?? 'verify-full')

/** Beyond loopback the server's certificate is verified, unless the URL names another `sslmode`. */
export function connectionOptions(place: PostgresPlace): pg.PoolConfig {
  const url = new URL(place.url)
  if (!url.searchParams.has('sslmode') && !isLocal(place)) url.searchParams.set('sslmode', 'verify-full')
  const seconds = url.searchParams.get('connect_timeout')
  return {
    connectionString: url.href,
    application_name: APPLICATION,
    connectionTimeoutMillis: seconds === null ? CONNECT_MS : Number(seconds) * 1_000,
    query_timeout: STATEMENT_MS,
    statement_timeout: STATEMENT_MS,
    keepAlive: true,
  }
}
