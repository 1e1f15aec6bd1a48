// Where a Redis is and how it is reached. Its URL names one server, some nodes of a cluster, or the Sentinels that know which
// server is the primary.

export interface RedisPlace {
  readonly url: string
  /** All keys begin with it; `assay` when absent. In a cluster its hash tag keeps all keys in one slot. */
  readonly prefix?: string | undefined
  /** Milliseconds that a command may take; 250 when absent. */
  readonly command_ms?: number | undefined
  /** PEM files: the authorities to trust in place of the system's, and the certificate of this client with its key. */
  readonly ca_file?: string | null
  readonly cert_file?: string | null
  readonly key_file?: string | null
}

export interface RedisNode {
  /** A name or an address, IPv6 without brackets. */
  readonly host: string
  readonly port: number
}

export interface RedisAddress {
  readonly is_encrypted: boolean
  /** Empty for the default user. */
  readonly username: string
  /** Empty without one. */
  readonly password: string
  /** At least one; tried in turn. */
  readonly nodes: readonly RedisNode[]
  /** The name under which the Sentinels in `nodes` know the primary; null when `nodes` are servers. */
  readonly primary: string | null
  readonly database: number
}

const form = /^redis(s?)(\+sentinel)?:\/\/(?:([^/?#]*)@)?([^/?#@]+)(?:\/([^?#]*))?(?:[?#].*)?$/
const PORT = 6379
const SENTINEL_PORT = 26_379

/**
 * Reads `redis://user:password@host:6379/0`, with TLS `rediss://`; several hosts are separated by commas. With
 * `redis+sentinel://host:26379,…/name/0`, the hosts are Sentinels. Null for anything else.
 */
export function readRedisUrl(text: string): RedisAddress | null {
  const [, secure, sentinel, credentials = '', hosts = '', path = ''] = form.exec(text) ?? []
  if (secure === undefined) return null
  const [name, number = '', ...more] = sentinel === undefined ? [null, path] : path.split('/')
  const nodes = hosts.split(',').map(host => readNode(host, sentinel === undefined ? PORT : SENTINEL_PORT))
  const [username = '', password = ''] = splitOnce(credentials).map(decoded)
  const isValid = more.length === 0 && /^\d{0,5}$/.test(number) && (name === null || /^[\w.-]{1,100}$/.test(name))
  if (!isValid || !nodes.every(node => node !== null) || username === null || password === null) return null
  return { is_encrypted: secure === 's', username, password, nodes, primary: name, database: Number(number) }
}

/** As `readRedisUrl`, for a URL that the configuration has accepted. */
export function addressOf(url: string): RedisAddress {
  const address = readRedisUrl(url)
  if (address === null) throw new TypeError('not the URL of a Redis')
  return address
}

function readNode(text: string, usual: number): RedisNode | null {
  const url = URL.canParse(`redis://${text}`) ? new URL(`redis://${text}`) : null
  if (url === null || url.hostname === '') return null
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port === '' ? usual : Number(url.port) }
}

/** A password may hold colons. */
function splitOnce(credentials: string): [string, string] {
  const at = credentials.indexOf(':')
  return at === -1 ? [credentials, ''] : [credentials.slice(0, at), credentials.slice(at + 1)]
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/** Hosts and ports, for people. */
export const placesOf = ({ nodes }: Pick<RedisAddress, 'nodes'>): string => nodes.map(placeOf).join(', ')

export const placeOf = ({ host, port }: RedisNode): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`

/** The part of keys that decides on their slot (https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#hash-tags). */
export const hasHashTag = (prefix: string): boolean => /^[^{]*\{[^}]+\}/.test(prefix)
