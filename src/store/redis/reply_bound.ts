// How much one reply of Redis may hold: the client itself believes whatever length it is told and makes room for it.
import { createRequire } from 'node:module'
import { Misread } from './reply.ts'

/** Octets of one reply: several times the largest that is asked for, a page of the feed or a result. */
export const reply_max = 4 * 1024 * 1024
/** What room for one value of an array takes, in octets. */
const value_bytes = 16

const NEWLINE = 10

/** Looks at all that comes, in order (RESP 2, https://redis.io/docs/latest/develop/reference/protocol-spec/); throws at what is no reply, or too large. */
export function createReplyBound(most: number = reply_max): (chunk: Buffer) => void {
  let left = most
  /** Of the reply, those to come; and octets of the one that is coming. */
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
    if (Number.isNaN(length)) throw new Misread('no reply begins like this')
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

/** As the client itself loads it. */
const decoders = createRequire(import.meta.url)('@redis/client/dist/lib/RESP/decoder') as {
  Decoder: new (...args: unknown[]) => Decoder
}

/**
 * The client that `open` makes looks before it reads. It has no option for it and shows its socket to nobody, but
 * takes its decoder from here.
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
