// Mutated HTTP responses over real sockets, read by the safe client: it always ends, in time, and never throws.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import { createNetwork } from '../../src/network/create_network.ts'
import { createFetch } from '../../src/network/fetch.ts'
import { createGuard } from '../../src/network/guard.ts'
import { PAGE } from '../faults/healthy.ts'
import { chance } from './corpus.ts'
import { mutated } from './mutate.ts'
import type { ResponseFindings } from './responses.ts'

const LANES = 16
/** Milliseconds a fetch may take, and what is more than that by far. */
const LIMIT_MS = 2_000
const HANG_MS = 10_000
const zipped = gzipSync(PAGE)

const seeds = [
  Buffer.from(`HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ${PAGE.length}\r\n\r\n${PAGE}`),
  Buffer.from(
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n5\r\nhello\r\n6;a=b\r\n world\r\n0\r\nX: y\r\n\r\n',
  ),
  Buffer.from(
    'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 302 Found\r\nLocation: /next\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n',
  ),
  Buffer.concat([
    Buffer.from(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${zipped.length}\r\n\r\n`),
    zipped,
  ]),
]
const words = [
  '\r\n',
  '\r',
  '\n',
  '\0',
  ':',
  'Content-Length: 5\r\n',
  'Transfer-Encoding: chunked\r\n',
  'HTTP/1.1 100 Continue\r\n\r\n',
  'Location: http://127.0.0.1/\r\n',
  ' ',
  '\x1f\x8b',
  'ffffffff\r\n',
  'Content-Encoding: br, gzip\r\n',
  '99999',
]

export async function fuzzHttpResponses(count: number, seed: number): Promise<ResponseFindings> {
  const dice = chance(seed)
  const faults: string[] = []
  const server = createServer(socket => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(mutated(dice.pick(seeds), dice, words)))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const dial = () => connect({ port, host: '127.0.0.1', noDelay: true })
  const network = createNetwork({
    resolvers: ['127.0.0.1:1'],
    guard: createGuard({ own: () => [] }),
    dial,
    fetch: createFetch(),
    limits: { headers_ms: LIMIT_MS, body_ms: LIMIT_MS },
  })
  let [read, slowest] = [0, 0]
  const lane = async () => {
    while (read < count) {
      read += 1
      const ended = new AbortController()
      const began = performance.now()
      const check = network.open({ signal: ended.signal, deadline: began + HANG_MS })
      try {
        JSON.stringify(
          await check.fetch({
            url: 'http://93.184.216.34/',
            signal: ended.signal,
            max_bytes: 65_536,
            timeout_ms: LIMIT_MS,
            redirects: 2,
          }),
        )
      } catch (error) {
        if (faults.length < 5) faults.push(String((error as Error)?.stack ?? error).slice(0, 400))
      }
      ended.abort()
      const took = performance.now() - began
      slowest = Math.max(slowest, took)
      if (took > HANG_MS) faults.push(`took ${Math.round(took)} ms`)
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  await network.close()
  server.close()
  return { kind: 'HTTP responses', read, slowest_ms: Math.round(slowest), faults }
}
