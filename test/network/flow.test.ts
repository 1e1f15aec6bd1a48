// A body that its receiver holds back, over real sockets.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createSecureServer } from 'node:http2'
import type { AddressInfo, Server } from 'node:net'
import { connect } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { connect as tlsConnect } from 'node:tls'
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { capOctets } from '../../src/network/connection.ts'
import type { Flow, HttpRequest, HttpSession } from '../../src/network/http.ts'
import { limits } from '../../src/network/limits.ts'
import { openHttpSession } from '../../src/network/sessions.ts'
import { createAuthority } from '../../src/testing/lab_ca.ts'
import { request, reset, type Step, send, wait } from '../../src/testing/lab_script.ts'
import { type LabWeb, startLabWeb } from '../../src/testing/lab_web.ts'

const KiB = 1024
const MiB = 1024 * KiB

interface Sent {
  readonly coding: string | null
  readonly body: Buffer
}

/** What the servers answer, by path. */
const answers = new Map<string, Sent>()
const kinds = ['HTTP/1.1', 'HTTP/1.1 with TLS', 'HTTP/2'] as const
type Kind = (typeof kinds)[number]

const credentials = createAuthority().issue({ names: ['a.example'] })
const answer = (
  { url = '/' }: { readonly url?: string | undefined },
  response: { setHeader(name: string, value: string): void; end(body: Buffer): void },
) => {
  const { coding = null, body } = answers.get(url) ?? { body: Buffer.from('hi') }
  if (coding !== null) response.setHeader('content-encoding', coding)
  response.end(body)
}
const plain = createHttpServer((asked, response) => answer(asked, response))
const secure = createSecureServer({ ...credentials, allowHTTP1: true }, (asked, response) =>
  answer(asked, {
    setHeader: (name, value) => void response.setHeader(name, value),
    end: body => void response.end(body),
  }),
)
before(async () => {
  for (const server of [plain, secure]) await new Promise<void>(done => void server.listen(0, '127.0.0.1', done))
})
after(() => {
  plain.closeAllConnections()
  for (const server of [plain, secure]) server.close()
})

async function open(kind: Kind) {
  const server: Server = kind === 'HTTP/1.1' ? plain : (secure as unknown as Server)
  const tcp = connect((server.address() as AddressInfo).port, '127.0.0.1')
  await once(tcp, 'connect')
  const address = '93.184.216.34'
  if (kind === 'HTTP/1.1') return { tcp, session: openHttpSession({ socket: tcp, address }, limits) }
  const ALPNProtocols = kind === 'HTTP/2' ? ['h2'] : ['http/1.1']
  const socket = tlsConnect({ socket: tcp, rejectUnauthorized: false, servername: 'a.example', ALPNProtocols })
  await once(socket, 'secureConnect')
  return { tcp, session: openHttpSession({ socket, address, octets: capOctets(tcp, () => socket.destroy()) }, limits) }
}

/** Asks for a path and pauses at the first chunk of the body. */
function askHeld(session: HttpSession, path: string, more: Partial<HttpRequest> = {}) {
  const chunks: Buffer[] = []
  let flow: Flow = { pause() {}, resume() {} }
  let begun = () => {}
  const started = new Promise<void>(resolve => {
    begun = resolve
  })
  const result = session.send({
    url: new URL(`https://a.example${path}`),
    headers: {},
    max_bytes: 16 * MiB,
    headers_ms: 20_000,
    body_ms: 20_000,
    signal: new AbortController().signal,
    receive: (_head, given) => {
      flow = given
      return chunk => {
        if (chunks.length === 0) given.pause()
        chunks.push(Buffer.from(chunk))
        begun()
      }
    },
    ...more,
  })
  const body = () => Buffer.concat(chunks)
  return { result, started, body, resume: () => flow.resume(), pause: () => flow.pause() }
}

/** Waits until a figure stands still. */
async function still(figure: () => number): Promise<number> {
  for (let before = -1; ; ) {
    const now = figure()
    if (now === before) return now
    before = now
    await pause(50)
  }
}

const encoders: Record<string, (octets: Buffer) => Buffer> = {
  gzip: octets => gzipSync(octets),
  'deflate in zlib format': octets => deflateSync(octets),
  'deflate in raw format': octets => deflateRawSync(octets),
  br: octets => brotliCompressSync(octets, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  'gzip, gzip': octets => gzipSync(gzipSync(octets)),
}

describe('a body that is held back', () => {
  const noise = randomBytes(8 * MiB)
  for (const kind of kinds)
    it(`stays with the server over ${kind}, and is whole in the end`, async () => {
      answers.set('/noise', { coding: null, body: noise })
      const { tcp, session } = await open(kind)
      const { result, started, body, resume } = askHeld(session, '/noise')
      await started
      const read = await still(() => tcp.bytesRead)
      // Over HTTP/2, the server may send what its window allows.
      const most = kind === 'HTTP/2' ? 768 * KiB : 256 * KiB
      assert.ok(read < most, `${read} octets read`)
      assert.ok(body().length <= 128 * KiB, `${body().length} octets received`)
      resume()
      const { exchange } = await result
      session.close()
      assert.deepEqual([exchange?.truncated, exchange?.decoded_bytes], [null, noise.length])
      assert.ok(body().equals(noise))
    })

  const page = Buffer.from('<b>'.repeat(600_000))
  for (const [title, encode] of Object.entries(encoders))
    for (const kind of ['HTTP/1.1', 'HTTP/2'] as const)
      it(`is not decoded from ${title} over ${kind}, and is whole in the end`, async () => {
        answers.set('/page', { coding: title.replace(/ in .*/, ''), body: encode(page) })
        const { session } = await open(kind)
        const { result, started, body, resume, pause: hold } = askHeld(session, '/page')
        await started
        const received = await still(() => body().length)
        assert.ok(received <= 128 * KiB, `${received} octets received`)
        // Again, after the connection has told the end.
        resume()
        hold()
        assert.ok((await still(() => body().length)) <= 256 * KiB)
        resume()
        const { exchange } = await result
        session.close()
        assert.deepEqual([exchange?.truncated, exchange?.decoded_bytes], [null, page.length])
        assert.ok(body().equals(page))
      })

  it('does not use up its time', async () => {
    answers.set('/noise', { coding: null, body: noise.subarray(0, MiB) })
    const { session } = await open('HTTP/1.1')
    const { result, started, resume } = askHeld(session, '/noise', { body_ms: 700 })
    await started
    await pause(800)
    resume()
    assert.equal((await result).exchange?.truncated, null)
    session.close()
  })

  for (const kind of kinds) {
    it(`does not hold back the next response over ${kind} once it has arrived`, async () => {
      answers.set('/page', { coding: 'gzip', body: gzipSync(page) })
      const { session } = await open(kind)
      const held = askHeld(session, '/page')
      const next = session.send({
        url: new URL('https://a.example/next'),
        headers: {},
        max_bytes: 9,
        headers_ms: 20_000,
        body_ms: 20_000,
        signal: new AbortController().signal,
      })
      assert.equal((await next).exchange?.decoded_bytes, 2)
      await held.started
      held.resume()
      assert.equal((await held.result).exchange?.decoded_bytes, page.length)
      session.close()
    })

    it(`is cut at the latest time over ${kind}, with what has been decoded`, async () => {
      answers.set('/noise', { coding: null, body: noise })
      const { session } = await open(kind)
      const { result, body } = askHeld(session, '/noise', { until: performance.now() + 400 })
      const { exchange } = await result
      session.close()
      assert.equal(exchange?.truncated, 'timeout')
      assert.ok(body().equals(noise.subarray(0, body().length)) && body().length === exchange?.decoded_bytes)
    })

    it(`ends with its check over ${kind}`, async () => {
      answers.set('/page', { coding: 'gzip', body: gzipSync(page) })
      const { session } = await open(kind)
      const over = new AbortController()
      answers.set('/noise', { coding: null, body: noise })
      const { result, started } = askHeld(session, '/noise', { signal: over.signal })
      await started
      over.abort()
      assert.equal((await result).exchange?.truncated, 'timeout')
      session.close()
    })

    it(`survives that its connection is closed here over ${kind}`, async () => {
      answers.set('/noise', { coding: null, body: noise })
      const { tcp, session } = await open(kind)
      const { result, started } = askHeld(session, '/noise')
      await started
      tcp.destroy()
      assert.equal((await result).exchange?.truncated, 'closed')
      session.close()
    })
  }
})

describe('a connection that ends while its body is held back', () => {
  let web: LabWeb
  before(async () => {
    web = await startLabWeb()
  })
  after(() => web.close())

  const head = (lines: string) => send(`HTTP/1.1 200 OK\r\n${lines}\r\n`)
  const body = send(Buffer.alloc(600 * KiB))
  const table: Record<string, Step[]> = {
    'has a length': [head(`Content-Length: ${MiB}\r\n`), body],
    'has a length, on a connection that closes': [head(`Connection: close\r\nContent-Length: ${MiB}\r\n`), body],
    'is chunked': [head('Transfer-Encoding: chunked\r\n'), send('96000\r\n'), body],
  }
  for (const [title, steps] of Object.entries(table))
    it(`cuts a body that ${title}, if the server breaks it`, async () => {
      let broken = () => {}
      const over = new Promise<void>(resolve => {
        broken = resolve
      })
      await web.script('93.184.216.34', 80, [request(), ...steps, wait(100), reset(), () => broken()])
      const tcp = web.dial('93.184.216.34', 80)
      await once(tcp, 'connect')
      const session = openHttpSession({ socket: tcp, address: '93.184.216.34' }, limits)
      const { result, started, resume } = askHeld(session, '/')
      await started
      await over
      resume()
      assert.equal((await result).exchange?.truncated, 'closed')
      session.close()
    })

  it('cuts a body that ends with the connection, if the check breaks it', async () => {
    await web.script('93.184.216.34', 80, [request(), head(''), body, wait(60_000)])
    const tcp = web.dial('93.184.216.34', 80)
    await once(tcp, 'connect')
    const session = openHttpSession({ socket: tcp, address: '93.184.216.34' }, limits)
    const { result, started } = askHeld(session, '/')
    await started
    tcp.destroy()
    assert.equal((await result).exchange?.truncated, 'closed')
    session.close()
  })
})
