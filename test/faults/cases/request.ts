// A: what clients send.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { FaultCase, Place, Scene, World } from '../case.ts'
import { healthyPage } from '../healthy.ts'

const healthySite = ({ name, address, issue }: Place): World => ({
  sites: [{ host: name, addresses: [address], https: healthyPage, credentials: issue() }],
})

/** Refused with this status and code, without a packet to anyone, and free of charge. */
const refused = (row: number, of: string, query: string, status: number, code: string): FaultCase => ({
  row,
  of,
  ask: () => query,
  expect: {
    status,
    code,
    connections: [],
    holds: ({ queries }) => assert.equal(queries.length, 0),
  },
})

/** One of each kind: `service/api/query.test.ts` and the tests of targets have all of them. */
const targets: readonly FaultCase[] = [
  refused(1, 'a request for nothing', '', 400, 'missing-target'),
  refused(4, 'a parameter named after prototypes', '__proto__[domain]=x', 400, 'missing-target'),
  refused(5, 'a doubled parameter', 'domain=a.lab&domain=b.lab', 400, 'invalid-parameter'),
  refused(5, 'a domain that would have to be trimmed', 'domain=%20example.com', 400, 'invalid-domain'),
  refused(5, 'an address in place of a name', 'domain=0x7f000001', 400, 'invalid-domain'),
  refused(5, 'a name that nobody can check', 'domain=printer.local', 422, 'target-not-checkable'),
  refused(7, 'an internationalised name that is none', 'domain=p%D0%B0ypal%00.lab', 400, 'invalid-domain'),
  refused(10, 'a control character inside a name', 'domain=exa%0Ample.com', 400, 'invalid-domain'),
  refused(11, 'a name encoded twice', 'domain=example.com%252eevil.com', 400, 'invalid-domain'),
  refused(13, 'an address in no canonical form', 'ip=010.0.0.1', 400, 'invalid-ip'),
  refused(14, 'an address with a zone', 'ip=fe80::1%25eth0', 400, 'invalid-ip'),
  refused(16, 'octets that are no UTF-8', 'domain=%C0%AE.lab', 400, 'invalid-parameter'),
]

const spellings: readonly FaultCase[] = [
  {
    row: 4,
    of: 'prototype pollution, told by the next request',
    world: healthySite,
    async play({ get, place }) {
      await get('__proto__[domain]=x&constructor.prototype.ip=8.8.8.8')
      const { body } = await get(`domain=${place.name}&__proto__=1&toString=2`)
      assert.equal(body['domain'], place.name)
    },
  },
  {
    row: 7,
    of: 'names that UTS 46 maps',
    async play({ get, place: { name } }) {
      for (const [written, ascii] of [
        ['fa\u00df', 'xn--fa-hia'],
        ['\ufb00', 'ff'],
        ['b\u00fc\u00adcher', 'xn--bcher-kva'],
        ['p\u0430ypal', 'xn--pypal-4ve'],
      ]) {
        const { status, body } = await get(`domain=${encodeURIComponent(`${written}.${name}`)}`)
        assert.deepEqual([status, body['domain']], [200, `${ascii}.${name}`])
      }
    },
  },
  {
    row: 8,
    of: 'one name in six spellings',
    world: healthySite,
    async play({ get, place: { name } }) {
      const six = [name, name.toUpperCase(), `${name}.`, name.replace('.', '\u3002'), name.replace('c', '\uff43')]
      for (const [at, written] of six.entries()) {
        const { body, headers } = await get(`domain=${encodeURIComponent(written)}`)
        assert.deepEqual([body['domain'], headers['x-cache']], [name, at === 0 ? 'MISS' : 'HIT'], written)
      }
      const { headers } = await get(`domain=${name.replace('a', '%61')}`)
      assert.equal(headers['x-cache'], 'HIT')
    },
  },
  {
    row: 13,
    of: 'an address that is an IPv4 one inside, and one that is compressed',
    async play({ get, place: { address6, address } }) {
      const [mapped, plain] = [await get(`ip=::ffff:${address}`), await get(`ip=${address}`)]
      assert.deepEqual([mapped.body['ip'], plain.headers['x-cache']], [address, 'HIT'])
      const long = await get(`ip=${address6.replace('::', ':0:0::').toUpperCase()}`)
      assert.deepEqual([long.status, long.body['ip']], [200, address6])
    },
  },
  {
    row: 164,
    of: 'names of what every object has',
    async play({ get, place: { name } }) {
      for (const word of ['constructor', '__proto__', 'tostring', 'hasownproperty', 'valueof']) {
        const [first, again] = [await get(`domain=${word}.${name}`), await get(`domain=${word}.${name}`)]
        assert.deepEqual([first.headers['x-cache'], again.headers['x-cache']], ['MISS', 'HIT'], word)
        assert.equal(again.body['domain'], `${word}.${name}`)
      }
    },
  },
]

const statusesOf = (text: string): string[] =>
  [...text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => status ?? '')

/** What comes back to octets: every status, in order, the connection closed by the service. */
const wire = (
  row: number,
  of: string,
  octets: (scene: Scene) => string | Buffer | readonly (string | Buffer)[],
  statuses: RegExp,
): FaultCase => ({
  row,
  of,
  async play(scene) {
    const sent = octets(scene)
    const parts = typeof sent === 'string' || Buffer.isBuffer(sent) ? [sent] : sent
    const answered = statusesOf(await scene.raw(...parts)).join(' ')
    assert.match(answered, statuses)
  },
})

const line = (path: string, key: string, more = '') =>
  `GET ${path} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\n${more}\r\n`
const hidden = (key: string) => `GET /api/v1/check?domain=hidden.lab HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\n\r\n`
/** A body that is a request, should anybody disagree on where it begins. */
const smuggled = (row: number, of: string, fields: string, body = '0\r\n\r\n'): FaultCase =>
  wire(row, of, ({ key }) => `POST /api/v1/check HTTP/1.1\r\nHost: a\r\n${fields}\r\n${body}${hidden(key)}`, /^4\d\d$/)

const octets: readonly FaultCase[] = [
  ...[9, 12, 64, 1024].map(kib =>
    wire(
      17,
      `a request line of ${kib} KiB`,
      ({ key }) => line(`/api/v1/check?domain=${'a'.repeat(kib * 1024)}`, key, 'Connection: close\r\n'),
      // Of more than sockets hold, a reset may arrive before the answer is read.
      kib < 1024 ? /^(414|431)$/ : /^(414|431)?$/,
    ),
  ),
  wire(
    17,
    'two thousand parameters without a key',
    () => `GET /api/v1/check?${'a&'.repeat(2_000)} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    /^(400|401)$/,
  ),
  wire(
    17,
    'eight thousand parameters without a key',
    () => `GET /api/v1/check?${'a&'.repeat(8_000)} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    /^(414|431)$/,
  ),
  wire(
    17,
    'seventeen parameters',
    ({ key }) => line(`/api/v1/check?domain=a.lab${'&a'.repeat(17)}`, key, 'Connection: close\r\n'),
    /^400$/,
  ),
  wire(17, 'headers of 20 KiB', ({ key }) => line('/api/v1/check', key, `X-Long: ${'a'.repeat(20_480)}\r\n`), /^431$/),
  wire(17, 'ten thousand header lines', ({ key }) => line('/api/v1/check', key, 'a:b\r\n'.repeat(10_000)), /^431$/),
  ...['a@b', '', '[::1', 'a,b', 'x'.repeat(8_192)].map(host =>
    wire(
      19,
      `a Host of ${host.slice(0, 10) || 'nothing'}`,
      ({ key }) => `GET /api/v1/check HTTP/1.1\r\nHost: ${host}\r\nX-API-Key: ${key}\r\nConnection: close\r\n\r\n`,
      /^400$/,
    ),
  ),
  wire(19, 'no Host', ({ key }) => `GET /api/v1/check HTTP/1.1\r\nX-API-Key: ${key}\r\n\r\n`, /^400$/),
  wire(
    19,
    'two Hosts',
    ({ key }) => `GET /api/v1/check HTTP/1.1\r\nHost: a\r\nHost: b\r\nX-API-Key: ${key}\r\n\r\n`,
    /^400$/,
  ),
  wire(
    19,
    'a header named after the prototype',
    ({ key }) => line('/api/v1/check', key, '__proto__: x\r\nconstructor: y\r\nConnection: close\r\n'),
    /^400$/,
  ),
  wire(
    19,
    'ten thousand commas in X-Forwarded-Proto',
    ({ key }) =>
      line(
        '/api/v1/check',
        key,
        `X-Forwarded-Proto: ${','.repeat(10_000)}\r\nX-Forwarded-For: 127.0.0.1\r\nX-Forwarded-Host: evil.lab\r\nConnection: close\r\n`,
      ),
    /^400$/,
  ),
  ...['POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'OPTIONS'].map(method =>
    wire(
      20,
      `the method ${method}`,
      ({ key }) => `${method} /api/v1/check HTTP/1.1\r\nHost: a\r\nX-API-Key: ${key}\r\nConnection: close\r\n\r\n`,
      /^(405|204|200)$/,
    ),
  ),
  wire(20, 'CONNECT', () => 'CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: a\r\n\r\n', /^405$/),
  wire(20, 'methods that are none', () => 'BREW /api/v1/check HTTP/1.1\r\nHost: a\r\n\r\n', /^400$/),
  wire(
    20,
    'a GET with 10 MiB of body announced',
    ({ key }) => line('/api/v1/check?domain=a.lab', key, 'Content-Length: 10485760\r\n'),
    /^413$/,
  ),
  wire(
    20,
    'a GET with a body that is sent',
    ({ key }) => [line('/api/v1/check', key, 'Content-Length: 10485760\r\n'), Buffer.alloc(256 * 1024)],
    /^413$/,
  ),
  smuggled(22, 'both a length and chunks', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n'),
  smuggled(22, 'chunks before a length', 'Transfer-Encoding: chunked\r\nContent-Length: 5\r\n'),
  smuggled(22, 'two lengths', 'Content-Length: 5\r\nContent-Length: 0\r\n'),
  smuggled(22, 'a list of lengths', 'Content-Length: 5, 5\r\n'),
  smuggled(22, 'a coding that is nearly chunked', 'Transfer-Encoding: xchunked\r\n'),
  smuggled(22, 'chunked twice', 'Transfer-Encoding: chunked, chunked\r\n'),
  smuggled(22, 'a negative length', 'Content-Length: -5\r\n'),
  smuggled(22, 'a length of 20 digits', 'Content-Length: 99999999999999999999\r\n'),
  smuggled(
    22,
    'a chunk extension of 1 MB',
    'Transfer-Encoding: chunked\r\n',
    `5;${'a'.repeat(1_000_000)}\r\nabcde\r\n0\r\n\r\n`,
  ),
  smuggled(22, 'a space before the colon', 'Content-Length : 5\r\n'),
  smuggled(22, 'a folded field', 'Content-Length:\r\n 5\r\n'),
  wire(22, 'lines that end in LF alone', ({ key }) => `GET /api/v1/check HTTP/1.1\nHost: a\n\n${hidden(key)}`, /^400$/),
  wire(
    22,
    'a CR inside a field',
    ({ key }) => `GET /api/v1/check HTTP/1.1\r\nHost: a\rX-API-Key: ${key}\r\n\r\n${hidden(key)}`,
    /^400$/,
  ),
  wire(22, 'an HTTP/2 preface', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', /^(400|405|505)$/),
  wire(22, 'a TLS hello', () => Buffer.from('16030100c8010000c40303', 'hex'), /^400$/),
]

const leaving: readonly FaultCase[] = [
  {
    row: 25,
    of: 'a client that leaves while its check waits',
    world: ({ name, address, issue }) => ({
      sites: [{ host: name, addresses: [address], credentials: issue(), https: () => new Promise(() => {}) }],
    }),
    async play({ connection, place: { name }, key, seen, charge }) {
      const { host, port, from } = connection()
      // A busy service may turn the client away before it can leave: then it comes again
      for (let tries = 0; tries < 10 && seen.web.requests.length === 0; tries++) {
        const socket = connect({ host, port, localAddress: from }, () =>
          socket.write(line(`/api/v1/check?domain=${name}`, key)),
        )
        socket.on('error', () => {})
        let answered = false
        socket.once('data', () => {
          answered = true
        })
        while (!answered && seen.web.requests.length === 0) await pause(10)
        socket.destroy()
        await pause(50)
      }
      charge(1)
    },
  },
  {
    row: 250,
    of: 'request ids of all kinds',
    async play({ request, key, place }) {
      for (const id of ['a'.repeat(65), 'a b', '\u00e9', '../x', "';--"]) {
        const { headers } = await request('GET', '/api/v1/check', { 'X-API-Key': key, 'X-Request-Id': id })
        assert.match(String(headers['x-request-id']), /^[A-Za-z0-9_-]{1,64}$/)
        assert.notEqual(headers['x-request-id'], id)
      }
      const { headers } = await request('GET', '/api/v1/check', {
        'X-API-Key': key,
        'X-Request-Id': place.name.replace('.', '-'),
        traceparent: '00-zz',
      })
      assert.equal(headers['x-request-id'], place.name.replace('.', '-'))
    },
  },
]

export const requestFaults: readonly FaultCase[] = [...targets, ...spellings, ...octets, ...leaving]
