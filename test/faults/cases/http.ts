// E: what web servers say, or do not say.
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { limits } from '../../../src/network/limits.ts'
import { close, drip, flood, request, requests, reset, type Step, send, wait } from '../../../src/testing/lab_script.ts'
import type { LabHandler } from '../../../src/testing/lab_web.ts'
import { type Expected, type FaultCase, visitsOf } from '../case.ts'
import { judgesTimes } from '../client.ts'
import { healthyPage } from '../healthy.ts'
import { COOKIE_CANARY } from '../secrets.ts'
import { DEADLINE_MS, LIMITS } from '../setting.ts'

/** Anything but a failure of ours. */
const answered: Expected = { holds: ({ answer }) => assert.equal(answer.status, 200) }

/** A server on port 443 that goes through this script for each connection. */
const scripted = (row: number, of: string, steps: readonly Step[], expect: Expected = answered): FaultCase => ({
  row,
  of,
  world: () => ({ scripts: [{ port: 443, steps, tls: true }] }),
  expect,
})

/** The same octets for whatever is asked. */
const says = (row: number, of: string, response: string | Buffer, expect: Expected = answered): FaultCase =>
  scripted(row, of, [request(), send(response), close()], expect)

const handled = (row: number, of: string, https: LabHandler, expect: Expected = answered): FaultCase => ({
  row,
  of,
  world: ({ name, address, issue }) => ({ sites: [{ host: name, addresses: [address], https, credentials: issue() }] }),
  expect,
})

const ok = (fields: string, body = ''): string => `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n${fields}\r\n${body}`
const page = '<html><head><title>What arrived</title></head><body>x</body></html>'

const slow: readonly FaultCase[] = [
  scripted(94, 'headers at an octet each 100 ms', [request(), drip(ok('', page), 1, 100)], {
    sections: { web: 'unavailable timeout' },
    within_ms: DEADLINE_MS,
  }),
  scripted(94, 'headers that never come', [request(), wait(20_000)], { within_ms: DEADLINE_MS }),
  scripted(94, 'one header that never ends', [
    request(),
    send('HTTP/1.1 200 OK\r\nX: '),
    flood(Buffer.alloc(16_384, 'a')),
  ]),
  scripted(94, 'header lines that never end', [
    request(),
    send('HTTP/1.1 200 OK\r\n'),
    flood(Buffer.from('A: b\r\n'.repeat(1_000))),
  ]),
  scripted(
    95,
    'a body at an octet each 200 ms',
    [request(), send(ok('Content-Length: 100000\r\n', page)), drip('a'.repeat(1_000), 1, 200)],
    { fields: { 'content_analysis.title': 'What arrived' }, within_ms: DEADLINE_MS },
  ),
  scripted(95, 'a body that never ends', [request(), send(ok('', page)), flood(Buffer.alloc(65_536, 'a '))], {
    fields: { 'content_analysis.title': 'What arrived' },
  }),
  scripted(
    95,
    'chunks of one octet that never end',
    [
      request(),
      send(ok('Transfer-Encoding: chunked\r\n', `${page.length.toString(16)}\r\n${page}\r\n`)),
      flood(Buffer.from('1\r\na\r\n'.repeat(500))),
    ],
    { fields: { 'content_analysis.title': 'What arrived' } },
  ),
  handled(
    112,
    'an honest page that takes its time',
    async () => {
      await new Promise(resolve => setTimeout(resolve, LIMITS.headers_ms / 2))
      return { body: page }
    },
    { sections: { web: 'completed' } },
  ),
]

const MIB = 1024 * 1024
/** Brotli's best takes ten seconds for what is all the same. */
const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }
const plain = { gzip: gzipSync, deflate: deflateSync, br: (body: Buffer) => brotliCompressSync(body, quick) }
const bomb = () => Buffer.concat([Buffer.from(page), Buffer.alloc(64 * MIB, ' ')])
const stacked = (codings: readonly (keyof typeof plain)[]) => () =>
  codings.reduce<Buffer>((body, coding) => plain[coding](body), bomb())
/** The body is made when the case is played: a bomb takes a quarter of a second. */
const coded = (of: string, coding: string, make: () => Buffer, expect: Expected = answered): FaultCase => ({
  row: 97,
  of,
  world: ({ name, address, issue }) => {
    const body = make()
    const https: LabHandler = () => ({ headers: [['Content-Encoding', coding]], body })
    return { sites: [{ host: name, addresses: [address], https, credentials: issue() }] }
  },
  expect,
})
const swallowed: Expected = { fields: { 'content_analysis.title': 'What arrived' } }

const bombs = (): readonly FaultCase[] => [
  coded('a gzip bomb', 'gzip', stacked(['gzip']), swallowed),
  coded('a deflate bomb', 'deflate', stacked(['deflate']), swallowed),
  coded('a raw deflate bomb', 'deflate', () => deflateRawSync(bomb()), swallowed),
  coded('a Brotli bomb', 'br', stacked(['br']), swallowed),
  coded('a bomb of gzip in gzip', 'gzip, gzip', stacked(['gzip', 'gzip']), swallowed),
  coded('a bomb of Brotli in gzip', 'br, gzip', stacked(['br', 'gzip']), swallowed),
  coded('a bomb of gzip in Brotli', 'gzip, br', stacked(['gzip', 'br']), swallowed),
  coded('three codings', 'gzip, gzip, gzip', stacked(['gzip', 'gzip', 'gzip'])),
]

const codings: readonly FaultCase[] = [
  ...(
    [
      ['an unknown coding', 'snappy', Buffer.from(page)],
      ['zstd, which was not asked for', 'zstd', Buffer.from('28b52ffd00580100', 'hex')],
      ['gzip that is none', 'gzip', Buffer.from(page)],
      ['Brotli that is none', 'br', Buffer.alloc(1_000, 0xff)],
      ['deflate that is none', 'deflate', Buffer.alloc(1_000, 0x55)],
      ['gzip cut in the middle', 'gzip', gzipSync(page.repeat(50)).subarray(0, 60)],
      ['gzip with something behind', 'gzip', Buffer.concat([gzipSync(page), Buffer.alloc(1_000, 1)])],
      ['forty codings', Array(40).fill('gzip').join(', '), Buffer.from(page)],
      ['an empty coding', ',,', Buffer.from(page)],
      ['gzip of nothing', 'gzip', Buffer.alloc(0)],
    ] as const
  ).map(([of, coding, body]): FaultCase => ({ ...coded(of, coding, () => body), row: 98 })),
]

const heads: readonly FaultCase[] = [
  ...['100 Continue', '102 Processing', '103 Early Hints'].map(line =>
    scripted(
      100,
      `${line} for ever`,
      [request(), flood(Buffer.from(`HTTP/1.1 ${line}\r\nLink: </x>\r\n\r\n`.repeat(50)))],
      { within_ms: DEADLINE_MS },
    ),
  ),
  says(
    100,
    'twenty of 103 before the answer',
    `${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(20)}${ok(`Content-Length: ${page.length}\r\n`, page)}`,
    swallowed,
  ),
  says(
    100,
    'one 100 before the answer',
    `HTTP/1.1 100 Continue\r\n\r\n${ok(`Content-Length: ${page.length}\r\n`, page)}`,
    { sections: { web: 'completed' }, ...swallowed },
  ),

  ...[
    page,
    'ICY 200 OK\r\n\r\n',
    'SSH-2.0-OpenSSH_9.6\r\n',
    '220 mail ESMTP\r\n',
    'HTTP/2 200\r\n\r\n',
    '\u0000\u0000\u0012\u0004\u0000\u0000\u0000\u0000\u0000',
    '\r\n\r\n\r\n',
    'HTTP/1.1\r\n\r\n',
    'HTTP/9.9 200 OK\r\n\r\n',
  ].map(octets => says(103, `what is no HTTP/1.1: ${JSON.stringify(octets.slice(0, 12))}`, octets)),
  ...(
    [
      ['both a length and chunks', 'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n', '3\r\nabc\r\n0\r\n\r\n'],
      ['two lengths', 'Content-Length: 3\r\nContent-Length: 5\r\n', 'abcde'],
      ['a negative length', 'Content-Length: -3\r\n', 'abc'],
      ['a length of 20 digits', 'Content-Length: 99999999999999999999\r\n', 'abc'],
      ['a chunk size that overflows', 'Transfer-Encoding: chunked\r\n', 'ffffffffffffffffff\r\nabc\r\n'],
      ['a chunk size that is none', 'Transfer-Encoding: chunked\r\n', 'zz\r\nabc\r\n'],
      ['a chunk extension of 1 MB', 'Transfer-Encoding: chunked\r\n', `3;${'a'.repeat(MIB)}\r\nabc\r\n0\r\n\r\n`],
      ['no last chunk', 'Transfer-Encoding: chunked\r\n', '3\r\nabc\r\n'],
      ['trailers of 1 MB', 'Transfer-Encoding: chunked\r\n', `3\r\nabc\r\n0\r\n${'T: x\r\n'.repeat(170_000)}\r\n`],
      ['a coding that is nearly chunked', 'Transfer-Encoding: xchunked\r\n', 'abc'],
    ] as const
  ).map(([of, fields, body]) => says(104, of, ok(fields, body))),

  ...(
    [
      ['NUL', 'X: a\u0000b\r\n'],
      ['octets of eight bits', 'X: \u00e9\u00ff\u0080\r\nServer: \u00e9vil\r\n'],
      ['a folded field', 'X: a\r\n b\r\nServer: c\r\n\td\r\n'],
      ['a bare CR', 'X: a\rb\r\n'],
      ['a space before the colon', 'Server : x\r\n'],
      ['a line without a colon', 'nonsense\r\n'],
      ['a name of punctuation', '(),/: x\r\n'],
      ['an escape sequence in Server', 'Server: \u001b[31mred\u0007\r\n'],
      ['a field named after the prototype', '__proto__: x\r\nconstructor: y\r\nhasOwnProperty: z\r\n'],
    ] as const
  ).map(([of, fields]) =>
    says(107, `a response header with ${of}`, ok(`${fields}Content-Length: ${page.length}\r\n`, page), {
      holds: ({ answer }) =>
        assert.ok(
          answer.status === 200 && !/[\u0000-\u001f]|\\u00(?:0|1|7f)/.test(answer.text),
          'nothing raw comes through',
        ),
    }),
  ),
  says(116, 'a page of nothing', ok('Content-Length: 0\r\n'), { fields: { 'content_analysis.title': null } }),
  says(
    116,
    'an upgrade that nobody asked for',
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n\u0081\u0005hello',
  ),
]

/** Cut after these octets: each a case, over the whole of a small response. */
const response = ok(`Set-Cookie: a=b\r\nContent-Length: ${page.length}\r\n`, page)
const cuts: readonly FaultCase[] = Array.from({ length: 12 }, (_, at) =>
  Math.floor((response.length * at) / 12),
).flatMap(octets => [
  scripted(106, `a close after ${octets} octets`, [request(), send(response.slice(0, octets)), close()]),
  scripted(106, `a reset after ${octets} octets`, [request(), send(response.slice(0, octets)), reset()]),
])

const leadsTo = (
  row: number,
  of: string,
  to: (hop: number, name: string) => string,
  expect: Expected = answered,
): FaultCase => {
  return handled(
    row,
    of,
    ({ url, host }) => ({ status: 302, headers: [['Location', to(Number(url.slice(1)) || 0, host)]] }),
    expect,
  )
}

const fiveHops: LabHandler = ({ url }) =>
  Number(url.slice(1)) < 5 || url === '/'
    ? { status: 301, headers: [['Location', `/${(Number(url.slice(1)) || 0) + 1}`]] }
    : { body: page }

const redirects: readonly FaultCase[] = [
  leadsTo(101, 'a redirect to itself', () => '/', {
    holds: ({ answer, web }) =>
      assert.ok(answer.text.includes('redirect_loop') && visitsOf(web) <= 2, `${visitsOf(web)} visits`),
  }),

  leadsTo(101, 'redirects without end', hop => `/${hop + 1}`, {
    holds: ({ answer, web }) =>
      assert.ok(
        answer.text.includes('too_many_redirects') &&
          web.requests.length <= limits.page_requests + limits.file_requests + limits.entrance_requests &&
          web.requests.every(({ url }) => url !== `/${limits.redirects + 1}`),
        web.requests.map(({ url }) => url).join(' '),
      ),
  }),
  handled(101, 'five honest hops', fiveHops, swallowed),
  {
    row: 101,
    of: 'five honest hops of a name about which much else is asked',
    ask: ({ registered }) => `domain=${registered}`,
    world: ({ registered: name, address, other_address, issue }) => ({
      zones: {
        [name]: { A: [address] },
        [`www.${name}`]: { A: [address] },
        [`_mta-sts.${name}`]: { TXT: ['v=STSv1; id=1'] },
        [`mta-sts.${name}`]: { A: [other_address] },
      },
      sites: [
        { host: name, addresses: [address], https: fiveHops, http: fiveHops, credentials: issue({ names: [name] }) },
        {
          host: `mta-sts.${name}`,
          addresses: [other_address],
          https: () => ({ body: 'version: STSv1\r\nmode: none\r\nmax_age: 86400\r\n' }),
          credentials: issue({ names: [`mta-sts.${name}`] }),
        },
      ],
    }),
    expect: swallowed,
  },

  {
    row: 115,
    of: 'a redirect to another site, which learns nothing of the first',
    world: ({ name, address, other, other_address, issue }) => ({
      zones: { [name]: { A: [address] }, [other]: { A: [other_address] } },
      sites: [
        {
          host: name,
          addresses: [address],
          credentials: issue(),
          https: () => ({
            status: 302,
            headers: [
              ['Location', `https://${other}/`],
              ['Set-Cookie', `sid=${COOKIE_CANARY}; Domain=lab`],
            ],
          }),
        },
        {
          host: other,
          addresses: [other_address],
          credentials: issue({ names: [other] }),
          https: () => ({ body: page }),
        },
      ],
    }),
    expect: {
      holds: ({ web }, { other, name }) => {
        const asked = web.requests.filter(({ host }) => host === other)
        assert.ok(asked.length >= 1, 'the other host is asked')
        for (const { headers } of asked) {
          assert.deepEqual(
            [headers['cookie'], headers['authorization'], headers['referer']],
            [undefined, undefined, undefined],
          )
          assert.match(String(headers['user-agent']), /assay/i)
        }
        assert.ok(
          web.requests.some(({ host }) => host === name),
          'the first host is asked',
        )
      },
    },
  },
]

const cookies: readonly FaultCase[] = [
  handled(
    109,
    'ten thousand cookies',
    () => ({
      headers: Array.from({ length: 400 }, (_, at) => ['Set-Cookie', `c${at}=${COOKIE_CANARY}; Secure`] as const),
      body: page,
    }),
    {
      holds: ({ answer }) => {
        const { items, total } = answer.body['cookies'] as { items: unknown[]; total: number }
        assert.ok(items.length <= 50 && total === 400, `${items.length} of ${total}`)
      },
    },
  ),
  ...(
    [
      '__proto__=x; Path=/',
      '__Host-a=x; Domain=evil.lab',
      '__Secure-b=x',
      '=novalue',
      'novalue',
      ';;;;',
      'a=b; Expires=never; Max-Age=1e99',
      'a=b; SameSite=bogus; HttpOnly=1; secure',
      `a=${'x'.repeat(8_000)}`,
      'a="b;c"; Path="/x"',
      'a=b; Domain=.com',
      'a=b; Path=\u00e9',
      'a=b; Max-Age=-99999999999999',
      'a=b, c=d; Expires=Wed, 09 Jun 2021 10:18:14 GMT',
    ] as const
  ).map(cookie =>
    handled(
      109,
      `the cookie ${JSON.stringify(cookie.slice(0, 24))}`,
      () => ({
        headers: [
          ['Set-Cookie', `canary=${COOKIE_CANARY}`],
          ['Set-Cookie', cookie],
        ],
        body: page,
      }),
      { sections: { cookies: 'completed' } },
    ),
  ),
]

const whole = (body: string): string => ok(`Content-Length: ${body.length}\r\n`, body)
const genuine: Readonly<Record<string, string>> = {
  '/': whole(page),
  '/robots.txt': whole('User-agent: *\nAllow: /\n'),
  '/sitemap.xml': whole('<urlset/>'),
}
const forged = whole('User-agent: *\nDisallow: /\n')

const genuineRule: Expected['holds'] = ({ answer: { body } }) => {
  const { robots_txt } = body['seo_health'] as { robots_txt: { rule: string | null } | null }
  const rule = robots_txt?.rule ?? null
  // On a busy machine the file may come too late to be read.
  if (judgesTimes() || rule !== null) assert.equal(rule, 'Allow: /')
}

/** A forged robots.txt behind the page, and what else the server answers. */
const unasked: readonly [of: string, answer: (path: string, socket: Socket) => void][] = [
  ['a response more than was asked for', (path, socket) => socket.write(genuine[path] + (path === '/' ? forged : ''))],
  [
    'a response that nobody asked for, and the end of the connection',
    (path, socket) => (path === '/' ? socket.end(genuine[path] + forged) : socket.write(genuine[path] ?? '')),
  ],
]

const others: readonly FaultCase[] = [
  ...unasked.map(
    ([of, answer]): FaultCase => ({
      ...scripted(110, of, [requests(answer), wait(9_000)], {
        fields: { 'content_analysis.title': 'What arrived' },
        holds: genuineRule,
      }),
      ask: ({ address }) => `ip=${address}`,
    }),
  ),
  ...[401, 403, 429, 500, 502, 503].map(status =>
    handled(
      113,
      `a site that answers ${status}`,
      () => ({
        status,
        headers: [['Retry-After', '3600']],
        body: '<title>Attention Required! | Cloudflare</title>checking your browser',
      }),
      {
        holds: ({ answer, web }) => {
          assert.equal(answer.status, 200)
          assert.equal(visitsOf(web), 1, 'no second try')
        },
      },
    ),
  ),
  handled(113, 'a healthy page with every header twice', ({ url, host, ...rest }) => {
    const response = healthyPage({ url, host, ...rest })
    return 'then' in response
      ? response
      : { ...response, headers: [...(response.headers ?? []), ...(response.headers ?? [])] }
  }),
]

export const httpFaults: readonly FaultCase[] = [
  ...slow,
  ...bombs(),
  ...codings,
  ...heads,
  ...cuts,
  ...redirects,
  ...cookies,
  ...others,
]
