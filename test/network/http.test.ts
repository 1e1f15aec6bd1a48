import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { connect as tlsConnect } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { capOctets } from '../../src/network/connection.ts'
import type { HttpRequest, HttpResult } from '../../src/network/http.ts'
import { limits } from '../../src/network/limits.ts'
import { openHttpSession } from '../../src/network/sessions.ts'
import { createAuthority } from '../../src/testing/lab_ca.ts'
import { close, drip, flood, request, requests, reset, type Step, send, wait } from '../../src/testing/lab_script.ts'
import { type LabWeb, startLabWeb } from '../../src/testing/lab_web.ts'

const address = '93.184.216.34'
const credentials = createAuthority().issue({ names: ['a.example'] })
let web: LabWeb
before(async () => {
  web = await startLabWeb()
})
after(() => web.close())

/** Opens a session `after_ms` milliseconds after the connection was made. */
async function open(secure = false, after_ms = 0) {
  const tcp = web.dial(address, 80)
  if (!secure) {
    await once(tcp, 'connect')
    await pause(after_ms)
    return openHttpSession({ socket: tcp, address }, limits)
  }
  const socket = tlsConnect({ socket: tcp, rejectUnauthorized: false, servername: 'a.example' })
  await once(socket, 'secureConnect')
  await pause(after_ms)
  return openHttpSession({ socket, address, octets: capOctets(tcp, () => socket.destroy()) }, limits)
}

function asking(path: string, chunks: Buffer[], more: Partial<HttpRequest>): HttpRequest {
  return {
    url: new URL(`http://a.example${path}`),
    headers: { 'user-agent': 'test' },
    max_bytes: limits.page_bytes,
    headers_ms: 200,
    body_ms: 300,
    signal: new AbortController().signal,
    receive: () => chunk => void chunks.push(Buffer.from(chunk)),
    ...more,
  }
}

/** For what does not depend on time: a busy machine may take long. */
const PATIENT = { headers_ms: 20_000, body_ms: 20_000 }

/** Sends one request to a server that plays the script. */
async function get(steps: readonly Step[], more: Partial<HttpRequest> = {}, secure = false) {
  await web.script(address, 80, steps, secure ? credentials : undefined)
  const session = await open(secure)
  const chunks: Buffer[] = []
  const result = await session.send(asking('/', chunks, more))
  session.close()
  return { ...result, body: Buffer.concat(chunks).toString('latin1') }
}

const whole = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi'
const head = (lines: string) => `HTTP/1.1 200 OK\r\n${lines}\r\n`
const early = (status: string) => `HTTP/1.1 ${status}\r\nLink: </a>\r\n\r\n`
const told = ({ exchange, failure }: HttpResult) => (exchange ? [exchange.status, exchange.truncated] : failure)

describe('one exchange', () => {
  it('keeps the head in order with duplicates, and counts octets', async () => {
    const body = gzipSync('<p>hi</p>'.repeat(100))
    const steps = [
      request(),
      send(
        `HTTP/1.0 404 Nope\r\nX-B: 2\r\nx-a:  1 \r\nX-B: \u00e9\r\nX-C: \u00c3\u00a9\r\nSet-Cookie: sid=secret; Path=/\r\nContent-Encoding: gzip\r\n\r\n`,
      ),
      send(body),
      close(),
    ]
    const { exchange } = await get(steps, PATIENT)
    assert.deepEqual(exchange, {
      url: 'http://a.example/',
      address,
      status: 404,
      http_version: '1.0',
      headers: [
        ['x-b', '2'],
        ['x-a', '1'],
        ['x-b', '\u00e9'],
        ['x-c', '\u00e9'],
        ['set-cookie', 'sid=<6>; Path=/'],
        ['content-encoding', 'gzip'],
      ],
      wire_bytes: body.length,
      decoded_bytes: 900,
      truncated: null,
    })
  })

  describe('the times', () => {
    const opening = { began: 1_000, connected: 1_020, secured: 1_051 }
    const both = [
      request(),
      send(`${head('Content-Length: 2\r\n')}hi`),
      request(),
      send(`${head('Content-Length: 2\r\n')}ho`),
      close(),
    ]
    async function timed(since: number | undefined) {
      await web.script(address, 80, both)
      const tcp = web.dial(address, 80)
      await once(tcp, 'connect')
      const session = openHttpSession({ socket: tcp, address, opening }, limits)
      const ask = () => session.send(asking('/', [], { ...PATIENT, since }))
      const results = [await ask(), await ask()]
      session.close()
      return results.map(({ exchange }) => exchange?.timing)
    }

    it('of the first request include the opening of the connection, those of the next do not', async () => {
      const [first, second] = await timed(990)
      assert.deepEqual([first?.started_ms, first?.connect_ms, first?.tls_ms], [10, 20, 31])
      assert.deepEqual([second?.connect_ms, second?.tls_ms], [null, null])
      const numbers = [first, second].flatMap(one => [one?.queued_ms, one?.wait_ms, one?.receive_ms])
      assert.ok(
        numbers.every(ms => Number.isInteger(ms) && Number(ms) >= 0),
        `${numbers}`,
      )
    })

    it('are absent unless asked for', async () => assert.deepEqual(await timed(undefined), [undefined, undefined]))
  })

  it('sends only the necessary header fields', async () => {
    const seen: string[] = []
    await get([socket => void socket.on('data', chunk => seen.push(String(chunk))), request(), send(whole), close()], {
      headers: { 'user-agent': 'test', accept: 'text/html' },
    })
    assert.equal(
      seen.join(''),
      'GET / HTTP/1.1\r\nhost: a.example\r\nconnection: keep-alive\r\nuser-agent: test\r\naccept: text/html\r\n\r\n',
    )
  })

  const chunked = head('Transfer-Encoding: chunked\r\n')
  const table: [title: string, steps: Step[], outcome: unknown, more?: Partial<HttpRequest>][] = [
    ['a body that ends with the connection', [send(`${head('')}hi`), close()], [200, null]],
    ['nothing after an empty body', [send(head('Content-Length: 0\r\n'))], [200, null]],
    ['no body after 204', [send('HTTP/1.1 204 No\r\n\r\n')], [204, null]],
    ['a status without reason', [send('HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n')], [200, null]],
    ['early hints before the answer', [send(`HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\n${whole}`)], [200, null]],
    ['a 100 before the answer', [send(`${early('100 Continue')}${whole}`)], [200, null]],
    [
      'a 100 in octets of their own',
      [drip(`${early('100 Continue')}${whole}`, 1, 1)],
      [200, null],
      { headers_ms: 5_000 },
    ],
    [
      'a 100 among others',
      [send(early('103 Early') + early('100') + early('102') + early('100') + whole)],
      [200, null],
    ],
    ['a 100 and then nothing', [send(early('100 Continue')), close()], 'closed'],
    ['a 100 and then garbage', [send(`${early('100 Continue')}garbage`), wait(999)], 'protocol_error'],
    [
      'too many header octets of a 100',
      [send(early(`100\r\nX: ${'y'.repeat(70_000)}`)), wait(999)],
      'headers_too_large',
    ],
    ['20 of 100', [send(early('100').repeat(20) + whole)], [200, null]],
    ['21 of 100', [send(early('100').repeat(21) + whole)], 'protocol_error'],
    ['a reset before the head', [send('HTTP/1.1 200 OK\r\nContent-'), wait(20), reset()], 'reset'],
    ['an end before the head', [send('HTTP/1.1 200 OK\r\nContent-'), close()], 'closed'],
    ['an end before anything', [close()], 'closed'],
    ['a reset in the body', [send(`${head('Content-Length: 9\r\n')}hi`), wait(20), reset()], [200, 'closed']],
    ['an end in the body', [send(`${head('Content-Length: 9\r\n')}hi`), close()], [200, 'closed']],
    ['a missing last chunk', [send(`${chunked}2\r\nhi\r\n`), close()], [200, 'closed']],
    ['a chunk size that overflows', [send(`${chunked}fffffffffffffffff\r\nhi`), wait(999)], [200, 'closed']],
    ['a dripping head', [drip(head('X: y\r\n'.repeat(99)), 1, 20)], 'timeout'],
    ['silence', [wait(999)], 'timeout'],
    ['a dripping body', [send(head('')), drip('x'.repeat(99), 1, 20)], [200, 'timeout']],
    ['too many header octets', [send(head(`X: ${'y'.repeat(70_000)}\r\n`)), wait(999)], 'headers_too_large'],
    ['too many header lines', [send(head('X: y\r\n'.repeat(513))), wait(999)], 'headers_too_large'],
    [
      'trailers without end',
      [send(`${chunked}2\r\nhi\r\n0\r\n${'X: y\r\n'.repeat(50_000)}`), wait(999)],
      [200, 'closed'],
    ],
    ['20 informational responses', [send('HTTP/1.1 102 P\r\n\r\n'.repeat(20) + whole)], [200, null]],
    ['21 informational responses', [send('HTTP/1.1 102 P\r\n\r\n'.repeat(21) + whole)], 'protocol_error'],
    ['an unrequested upgrade', [send('HTTP/1.1 101 S\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n')], 'protocol_error'],
    ['two content lengths', [send(head('Content-Length: 2\r\nContent-Length: 3\r\n'))], 'protocol_error'],
    ['a negative content length', [send(head('Content-Length: -2\r\n'))], 'protocol_error'],
    ['a content length of 30 digits', [send(head(`Content-Length: ${'9'.repeat(30)}\r\n`))], 'protocol_error'],
    ['both framings', [send(head('Content-Length: 2\r\nTransfer-Encoding: chunked\r\n'))], 'protocol_error'],
    ['NUL in a header', [send(head('X: a\0b\r\n'))], 'protocol_error'],
    ['space before the colon', [send(head('X : a\r\n'))], 'protocol_error'],
    ['status 000', [send('HTTP/1.1 000 X\r\n\r\n'), close()], 'protocol_error'],
    ['status 099', [send('HTTP/1.1 099 X\r\nConnection: close\r\n\r\n'), close()], 'protocol_error'],
    ['status 600', [send('HTTP/1.1 600 X\r\n\r\n'), close()], 'protocol_error'],
    ['status 999', [send('HTTP/1.1 999 X\r\nContent-Length: 0\r\n\r\n')], 'protocol_error'],
    ['status 99999', [send('HTTP/1.1 99999 X\r\n\r\n')], 'protocol_error'],
    ['HTTP/0.9', [send('<html>hi</html>'), close()], 'protocol_error'],
    ['ICY', [send('ICY 200 OK\r\n\r\n'), close()], 'protocol_error'],
    ['an HTTP/2 preface', [send(Buffer.from('000012040000000000', 'hex')), close()], 'protocol_error'],
    ['HTTP/2.0 in words', [send('HTTP/2.0 200 OK\r\n\r\n'), close()], 'protocol_error'],
    [
      'an unsupported coding',
      [send(`${head('Content-Encoding: zstd\r\nContent-Length: 2\r\n')}hi`)],
      [200, 'bad_encoding'],
    ],
    [
      'a body that does not match its coding',
      [send(`${head('Content-Encoding: gzip\r\nContent-Length: 20\r\n')}${'hi'.repeat(10)}`)],
      [200, 'bad_encoding'],
    ],
    ['a body at the cap', [send(`${head('Content-Length: 9\r\n')}${'x'.repeat(9)}`)], [200, null], { max_bytes: 9 }],
    [
      'a body over the cap',
      [send(`${head('Content-Length: 10\r\n')}${'x'.repeat(10)}`)],
      [200, 'too_large'],
      { max_bytes: 9 },
    ],
    ['an endless body', [send(head('')), flood(Buffer.alloc(65_536, 'x'))], [200, 'too_large']],
    [
      'an endless chunk extension',
      [send(`${chunked}2;`), flood(Buffer.alloc(65_536, 'x'))],
      [200, 'closed'],
      { body_ms: 60_000 },
    ],
  ]
  for (const secure of [false, true]) {
    for (const [title, steps, outcome, more] of table) {
      // A reset happens below TLS, so that one case covers both.
      if (secure && title.includes('reset')) continue
      it(`handles ${title} ${secure ? 'over TLS' : 'over plain TCP'}`, async () => {
        const limits = JSON.stringify(outcome).includes('timeout') ? more : { ...PATIENT, ...more }
        assert.deepEqual(told(await get([request(), ...steps], limits, secure)), outcome)
      })
    }
  }

  const folded: [title: string, lines: string, value: string][] = [
    ['with CRLF', 'X: a;\r\n  b;\r\n c\r\n', 'a;    b;   c'],
    ['with LF alone, as nginx writes values of several lines', 'X: a;\n  b;\n c\r\n', 'a;   b;  c'],
    ['to nothing', 'X: a\r\n \r\n', 'a'],
    ['at its beginning', 'X:\r\n a\r\n', 'a'],
    ['with a bare CR', 'X: a\r b\r\n', 'a  b'],
  ]
  for (const [title, lines, value] of folded) {
    it(`reads a field that is folded ${title}, whole or octet by octet`, async () => {
      const answer = `${early('103 Early')}${head(`${lines}Content-Length: 6\r\n`)}hi\r\n x`
      for (const steps of [[send(answer)], [drip(answer, 1, 1)]]) {
        const { exchange, body } = await get([request(), ...steps], { headers_ms: 5_000, body_ms: 5_000 })
        assert.deepEqual(
          [exchange?.headers, body],
          [
            [
              ['x', value],
              ['content-length', '6'],
            ],
            'hi\r\n x',
          ],
        )
      }
    })
  }

  it('does not change a body that looks like a 100, and reports the version of the final response', async () => {
    const text = `\r\n\r\n${early('100 Continue')}`
    const answer = `HTTP/1.0 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`
    const { body, exchange } = await get([request(), send(early('100 Continue') + answer)])
    assert.deepEqual([body, exchange?.http_version], [text, '1.0'])
  })

  it('returns what arrived before the cut', async () => {
    const { body, exchange } = await get([request(), send(`${head('')}${'x'.repeat(10)}`), wait(999)], { max_bytes: 9 })
    assert.deepEqual([body, exchange?.wire_bytes, exchange?.decoded_bytes], ['x'.repeat(9), 9, 9])
  })

  it('ends at once when the check ends', async () => {
    const ending = new AbortController()
    setTimeout(() => ending.abort(), 20)
    assert.equal(told(await get([request(), wait(999)], { signal: ending.signal, headers_ms: 9_999 })), 'cancelled')
    assert.equal(told(await get([request(), wait(999)], { signal: ending.signal })), 'cancelled')
  })

  it('cuts a body that is still arriving at `until`', async () => {
    for (const ms of [100, -100]) {
      const steps = [request(), send(`${head('Content-Length: 1001\r\n')}hi`), drip('x'.repeat(999), 1, 20)]
      const { exchange, failure } = await get(steps, { body_ms: 60_000, until: performance.now() + ms })
      assert.deepEqual([exchange?.status, exchange?.truncated, failure], [200, 'timeout', null])
    }
  })

  it('survives a cut after any octet', async () => {
    const answer = `${head('Content-Type: text/html\r\nTransfer-Encoding: chunked\r\n')}5\r\nhello\r\n3;x=y\r\nabc\r\n0\r\nT: u\r\n\r\n`
    for (let cut = 0; cut <= answer.length; cut += 1) {
      const result = await get([request(), send(answer.slice(0, cut)), close()], PATIENT)
      const expected = cut < answer.indexOf('5\r\n') ? 'closed' : [200, cut < answer.length ? 'closed' : null]
      assert.deepEqual(told(result), expected, `cut at ${cut}`)
    }
  })
})

describe('several exchanges on one connection', () => {
  const echo: Step = socket => {
    socket.on('data', chunk => {
      for (const [, path = ''] of String(chunk).matchAll(/GET (\S+)/g)) {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${path.length}\r\n\r\n${path}`)
      }
    })
  }

  it('run in sequence', async () => {
    await web.script(address, 80, [echo])
    const session = await open()
    const connections = web.seen.connections.length
    for (const path of ['/', '/robots.txt', '/sitemap.xml']) {
      assert.ok(session.reusable())
      const chunks: Buffer[] = []
      assert.deepEqual(told(await session.send(asking(path, chunks, {}))), [200, null])
      assert.equal(String(Buffer.concat(chunks)), path)
    }
    assert.equal(web.seen.connections.length, connections)
    session.close()
  })

  it('are each given their own time limit, also when sent together', async () => {
    await web.script(address, 80, [request(), wait(900), send(whole), wait(900), send(whole)])
    const session = await open()
    const limits = { headers_ms: 1_500, body_ms: 1_500 }
    const results = await Promise.all(['/', '/robots.txt'].map(path => session.send(asking(path, [], limits))))
    assert.deepEqual(results.map(told), [
      [200, null],
      [200, null],
    ])
    session.close()
  })

  /**
   * Answers the first request only in part, and notes the paths seen by then and after each further response begins: those
   * that are expected, and any that arrive in the 30 ms after them.
   */
  const inParts = (seen: string[], server: string, expected: readonly string[]): Step => {
    return async (socket, signal, wire) => {
      let paths = ''
      await requests(path => {
        paths += `${path} `
      })(socket, signal, wire)
      for (const [count, awaited] of expected.entries()) {
        while (paths.length < awaited.length) await pause(1, undefined, { signal })
        await pause(30, undefined, { signal })
        seen.push(paths)
        socket.write(`${count > 0 ? 'hi' : ''}${head(`Content-Length: 2\r\n${server}`)}`)
      }
    }
  }
  const orders: [title: string, server: string, seen: string[]][] = [
    ['one at a time', '', ['/1 ', '/1 /2 ', '/1 /2 /3 ']],
    ['one at a time to a server of a similar name', 'Server: nginx-unit\r\n', ['/1 ', '/1 /2 ', '/1 /2 /3 ']],
    ['all at once to a server that reads ahead', 'Server: nginx/1.29\r\n', ['/1 ', '/1 /2 /3 ', '/1 /2 /3 ']],
  ]
  for (const [title, server, expected] of orders) {
    it(`are sent ${title} once the response before has begun`, async () => {
      const seen: string[] = []
      await web.script(address, 80, [inParts(seen, server, expected), wait(9_000)])
      const session = await open()
      const limits = { headers_ms: 20_000, body_ms: 20_000 }
      const sent = ['/1', '/2', '/3'].map(path => session.send(asking(path, [], limits)))
      const [first, second] = await Promise.all(sent.slice(0, 2))
      assert.deepEqual(
        [first && told(first), second && told(second)],
        [
          [200, null],
          [200, null],
        ],
      )
      session.close()
      await sent[2]
      assert.deepEqual(seen, expected)
    })
  }

  it('goes on with the next when one is cancelled before it is sent', async () => {
    const paths: string[] = []
    const answer = requests((path, socket) => {
      paths.push(path)
      setTimeout(() => socket.write(whole), 50)
    })
    await web.script(address, 80, [answer, wait(9_000)])
    const session = await open()
    const ending = new AbortController()
    const results = ['/1', '/2', '/3'].map(path =>
      session.send(asking(path, [], path === '/2' ? { ...PATIENT, signal: ending.signal } : PATIENT)),
    )
    ending.abort()
    assert.deepEqual((await Promise.all(results)).map(told), [[200, null], 'cancelled', [200, null]])
    assert.deepEqual(paths, ['/1', '/3'])
    session.close()
  })

  it('leave later requests unanswered when the server closes the connection', async () => {
    const steps = [request(), send(`${head('Connection: close\r\nContent-Length: 2\r\n')}hi`), close()]
    await web.script(address, 80, steps)
    const session = await open()
    const results = await Promise.all(['/', '/robots.txt'].map(path => session.send(asking(path, [], {}))))
    assert.deepEqual(results.map(told), [[200, null], 'closed'])
    assert.equal(session.reusable(), false)
    session.close()
  })

  it('never use an unrequested response', async () => {
    for (const unasked of ['HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nDisallow:', 'garbage']) {
      await web.script(address, 80, [request(), send(whole + unasked), wait(999)])
      const session = await open()
      assert.deepEqual(told(await session.send(asking('/', [], {}))), [200, null])
      await new Promise(resolve => setTimeout(resolve, 5))
      assert.equal(session.reusable(), false)
      assert.equal(told(await session.send(asking('/robots.txt', [], {}))), 'closed')
      session.close()
    }
  })

  for (const secure of [false, true]) {
    it(`never use what arrived before the first request ${secure ? 'over TLS' : 'over plain TCP'}`, async () => {
      for (const unasked of [whole, 'HTTP/1.1 200 OK\r\n', whole + whole, 'garbage']) {
        const steps = [send(unasked), request(), send(whole), wait(999)]
        await web.script(address, 80, steps, secure ? credentials : undefined)
        for (const [before_ms, after_ms] of [
          [20, 0],
          [0, 20],
        ]) {
          const session = await open(secure, before_ms)
          await pause(after_ms)
          const results = await Promise.all(['/', '/robots.txt'].map(path => session.send(asking(path, [], {}))))
          assert.deepEqual(results.map(told), ['protocol_error', 'closed'])
          assert.equal(session.reusable(), false)
          session.close()
        }
      }
    })
  }

  it('end with the connection after a cut', async () => {
    await web.script(address, 80, [request(), send(`${head('Content-Length: 10\r\n')}${'x'.repeat(10)}`), wait(999)])
    const session = await open()
    await session.send(asking('/', [], { max_bytes: 9 }))
    assert.equal(session.reusable(), false)
    session.close()
  })
})
