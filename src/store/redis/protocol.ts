// The keys of this service in Redis, and checks of the replies: a broken server, or one that is not Redis, must not
// look like an empty one. All keys share a prefix, so that others may use the server too; all but API keys, accounts,
// watches, jobs, the layout version and the secret of URL keys expire.
import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'

/** Changes when earlier releases cannot read what is stored. */
const version = 'v1'

/** The key of a part of the store, for one of its names. */
export type KeyOf = (part: string, name?: string) => string

export const usual_prefix = 'assay'

/** `part` never contains a colon and `name` comes last, so that no two names share a key. */
export const keysUnder =
  (prefix: string): KeyOf =>
  (part, name = '') =>
    `${prefix}:${version}:${part}${name === '' ? '' : `:${name}`}`

/** The link drops the connection: later replies cannot be trusted either. */
export class Misread extends TypeError {
  override readonly name = 'Misread'
}

export const isWhole = (reply: unknown): boolean => Number.isSafeInteger(reply)

/** Throws `Misread` for anything but a text or null. */
export function textOrNone(reply: unknown): string | null {
  if (reply === null || typeof reply === 'string') return reply
  throw new Misread('expected a text')
}

/** The fields of a hash from alternating names and values; empty when there is no hash. Throws `Misread` for anything else. */
export function fieldsOf(reply: unknown): Readonly<Record<string, string>> {
  if (!isTexts(reply) || reply.length % 2 !== 0) throw new Misread('expected a hash')
  const pairs = reply.flatMap((name, at) => (at % 2 === 0 ? [[name, reply[at + 1] ?? ''] as const] : []))
  return Object.fromEntries(pairs)
}

/** Throws `Misread` for anything but a list of texts. */
export function textsOf(reply: unknown): readonly string[] {
  if (isTexts(reply)) return reply
  throw new Misread('expected a list of texts')
}

export function isTexts(reply: unknown): reply is readonly string[] {
  return Array.isArray(reply) && reply.every(part => typeof part === 'string')
}

/** Bytes of one reply: several times the largest expected one, a page of the feed or a result. */
export const reply_max = 4 * 1024 * 1024
/** Bytes allocated for one array element. */
const value_bytes = 16

const NEWLINE = 10

/**
 * Checks all received bytes in order (RESP 2, https://redis.io/docs/latest/develop/reference/protocol-spec/). The client
 * itself allocates any announced length. Throws on an invalid or oversized reply.
 */
export function createReplyBound(most: number = reply_max): (chunk: Buffer) => void {
  let left = most
  /** Values of the reply that are still to come, and remaining bytes of the current one. */
  let values = 1
  let skip = 0
  let line = ''

  function spend(octets: number): void {
    left -= octets
    if (left < 0) throw new Misread('a reply is too large')
  }

  function begin(line: string): void {
    const kind = line[0]
    values -= 1
    if (kind === '+' || kind === '-' || kind === ':') return
    const length = /^[$*](?:\d{1,15}|-1)\r$/.test(line) ? Number.parseInt(line.slice(1), 10) : Number.NaN
    if (Number.isNaN(length)) throw new Misread('unknown type of reply')
    if (length === -1) return
    if (kind === '*') {
      spend(length * value_bytes)
      values += length
    } else {
      spend(length)
      skip = length + 2
    }
  }

  return chunk => {
    for (let at = 0; at < chunk.length; ) {
      if (skip > 0) {
        const passed = Math.min(skip, chunk.length - at)
        skip -= passed
        at += passed
        continue
      }
      if (values === 0) [values, left] = [1, most]
      const newline = chunk.indexOf(NEWLINE, at)
      const end = newline === -1 ? chunk.length : newline
      spend(end - at + 1)
      line += chunk.toString('latin1', at, end)
      at = end + 1
      if (newline === -1) return
      begin(line)
      line = ''
    }
  }
}

interface Decoder {
  write(chunk: Buffer): void
}

/** The same module instance as the client loads. */
const decoders = createRequire(import.meta.url)('@redis/client/dist/lib/RESP/decoder') as {
  Decoder: new (...args: unknown[]) => Decoder
}

/**
 * Makes the client that `open` creates check replies before it parses them. The client has no option for this and does not
 * expose its socket, but it takes its decoder from this module.
 */
export function withBoundReplies<Client>(open: () => Client): Client {
  const { Decoder } = decoders
  decoders.Decoder = new Proxy(Decoder, { construct: (Decoder, args) => bounded(new Decoder(...args)) })
  try {
    return open()
  } finally {
    decoders.Decoder = Decoder
  }
}

function bounded(decoder: Decoder): Decoder {
  const read = decoder.write.bind(decoder)
  const look = createReplyBound()
  decoder.write = chunk => {
    look(chunk)
    read(chunk)
  }
  return decoder
}

/**
 * A tag that ties bytes in Redis to the names they were stored under; bytes without it are not trusted. 43 ASCII characters.
 */
export const integrityTag = (names: readonly string[], bytes: Buffer): string =>
  createHash('sha256').update(JSON.stringify(names)).update(bytes).digest('base64url')

export const tag_length = 43

/** Bytes after the tag that ties them to `names`. */
export const tagged = (names: readonly string[], content: Uint8Array): Buffer => {
  const bytes = Buffer.from(content)
  return Buffer.concat([Buffer.from(integrityTag(names, bytes)), bytes])
}

/** The bytes that `tagged` made this of; null for anything else. */
export function untagged(names: readonly string[], stored: Buffer): Buffer | null {
  const bytes = Buffer.from(stored.subarray(tag_length))
  return stored.toString('latin1', 0, tag_length) === integrityTag(names, bytes) ? bytes : null
}
