// J: HTTP/2. Frames that RFC 9113 forbids, and those it allows but nobody needs so many of.
import assert from 'node:assert/strict'
import {
  data,
  FLAG,
  FRAME,
  fieldBlock,
  frame,
  goaway,
  head,
  headers,
  indexedField,
  type LabField,
  paddedData,
  ping,
  pushPromise,
  rstStream,
  settings,
  settingsAck,
  streams,
  tableField,
  trailers,
  windowUpdate,
} from '../../../src/testing/lab_http2.ts'
import { close, drip, flood, reset, type Step, send, wait } from '../../../src/testing/lab_script.ts'
import type { Expected, FaultCase } from '../case.ts'
import { statusOf } from '../play.ts'
import { COOKIE_CANARY } from '../secrets.ts'
import { DEADLINE_MS } from '../setting.ts'

const markup = '<html><head><title>What arrived</title></head><body>x</body></html>'
const page = Buffer.concat([head(1, [['content-type', 'text/html']]), data(1, markup)])

/** The page came in spite of it. */
const whole: Expected = { sections: { web: 'completed' }, fields: { 'content_analysis.title': 'What arrived' } }
/** There is no page for this reason, and nothing is claimed of it. */
const unseen = (reason: string): Expected => ({
  sections: { web: reason, ssl_info: 'completed' },
  fields: { content_analysis: null, verdict: 'safe', recommendation: 'review' },
})
const broken = unseen('not_applicable protocol_error')
const closed = unseen('not_applicable closed')
const large = unseen('not_applicable headers_too_large')
const late = unseen('unavailable timeout')
/** Whichever limit ends it first: that of octets, of frames or of time. */
const limited: Expected = {
  sections: { ssl_info: 'completed' },
  fields: { content_analysis: null, verdict: 'safe', recommendation: 'review' },
  holds: ({ answer }) =>
    assert.match(
      statusOf(answer.body, 'content_analysis'),
      /^(?:not_applicable (?:closed|reset|protocol_error|headers_too_large)|unavailable timeout)$/,
    ),
}
/** nghttp2 says farewell and reads no more. Node 20 tells nobody, and the time for an answer passes. */
const isNode20 = process.versions.node.startsWith('20.')
const deaf = isNode20 ? late : broken

/** The request for the page has come, which is stream 1. */
const asked: Step = socket =>
  new Promise<void>(resolve => {
    socket.once('close', resolve)
    streams(() => resolve())(socket, new AbortController().signal, socket)
  })
const forever = wait(60_000)

/** A server that speaks only HTTP/2 and plays this on each connection. */
const played = (row: number, of: string, steps: readonly Step[], expect: Expected): FaultCase => ({
  row,
  of: `HTTP/2 with ${of}`,
  world: ({ issue }) => ({ scripts: [{ port: 443, steps, tls: { ...issue(), ALPNProtocols: ['h2'] } }] }),
  expect: { within_ms: DEADLINE_MS, ...expect },
})

/** Settings, then this instead of an answer, then silence. */
const instead = (row: number, of: string, octets: Buffer, expect: Expected): FaultCase =>
  played(row, of, [send(settings()), asked, send(octets), forever], expect)

/** This, and then the page. */
const ahead = (row: number, of: string, octets: Buffer, expect: Expected): FaultCase =>
  instead(row, of, Buffer.concat([octets, page]), expect)

/** Full of the same frame, as fast as it is read, behind these octets. */
const flooded = (
  row: number,
  of: string,
  octets: Buffer,
  expect: Expected,
  first: Buffer = Buffer.alloc(0),
): FaultCase => {
  const many = Buffer.concat(Array.from({ length: Math.ceil(16_384 / octets.length) }, () => octets))
  return played(row, of, [send(settings()), asked, send(first), flood(many)], expect)
}

const repeated = (count: number, of: (at: number) => Buffer): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, at) => of(at)))

/** Identifiers of settings (RFC 9113 section 6.5.2). */
const SETTING = { table: 1, push: 2, streams: 3, window: 4, frame: 5, list: 6 } as const
const MOST = 2 ** 32 - 1
const set = (id: number, value: number) => settings([[id, value]])

const settingsFaults: readonly FaultCase[] = [
  flooded(254, 'settings', settings(), broken),
  flooded(
    254,
    'settings of many values',
    repeated(30, at => set(SETTING.window, at)),
    broken,
  ),
  flooded(254, 'acknowledgements of settings', settingsAck(), broken),
  ahead(254, 'a window that is larger than windows may be', set(SETTING.window, 2 ** 31), broken),
  ahead(254, 'frames of no octets', set(SETTING.frame, 0), broken),
  ahead(254, 'frames of 4 GiB', set(SETTING.frame, MOST), broken),
  ahead(254, 'a push setting of 2', set(SETTING.push, 2), broken),
  ahead(254, 'a table of 4 GiB', set(SETTING.table, MOST), whole),
  ahead(254, 'no table', set(SETTING.table, 0), whole),
  ahead(254, 'header lists of no octet', set(SETTING.list, 0), whole),
  ahead(254, 'an unknown setting', set(0xbad, MOST), whole),
  ahead(254, 'settings of a stream', frame(FRAME.settings, 0, 1), broken),
  ahead(254, 'settings of five octets', frame(FRAME.settings, 0, 0, Buffer.alloc(5)), deaf),
  ahead(254, 'an acknowledgement with settings', frame(FRAME.settings, FLAG.ack, 0, Buffer.alloc(6)), deaf),
  played(254, 'an answer before any settings', [asked, send(page), forever], broken),
  played(254, 'one stream at once', [send(set(SETTING.streams, 1)), asked, send(page), forever], whole),
  played(254, 'no stream ever', [send(set(SETTING.streams, 0)), forever], late),
]

const WINDOW = 2 ** 31 - 1

const windowFaults: readonly FaultCase[] = [
  ahead(255, 'a window that stays closed', set(SETTING.window, 0), whole),
  ahead(255, 'a window that opens by nothing', windowUpdate(0, 0), broken),
  ahead(255, 'a window of the stream that opens by nothing', windowUpdate(1, 0), broken),
  ahead(
    255,
    'a window that overflows',
    repeated(2, () => windowUpdate(0, WINDOW)),
    broken,
  ),
  ahead(
    255,
    'a window of the stream that overflows',
    repeated(2, () => windowUpdate(1, WINDOW)),
    broken,
  ),
  ahead(
    255,
    'a setting that makes a window overflow',
    Buffer.concat([windowUpdate(1, 2 ** 30), set(SETTING.window, WINDOW)]),
    broken,
  ),
  ahead(255, 'a window of three octets', frame(FRAME.window_update, 0, 0, Buffer.alloc(3)), deaf),
  flooded(255, 'window updates', windowUpdate(0, 1), limited),
  flooded(
    255,
    'a body that heeds no window, without end',
    data(1, Buffer.alloc(16_000, ' '), { end: false }),
    { fields: { 'content_analysis.title': 'What arrived' } },
    Buffer.concat([head(1, [['content-type', 'text/html']]), data(1, markup, { end: false })]),
  ),
]

const OK: LabField = [':status', '200']
/** A head that goes on in the next frame. */
const begun = frame(FRAME.headers, 0, 1, fieldBlock([OK]))
const continuation = (block: Buffer) => frame(FRAME.continuation, 0, 1, block)
const instructed = (...octets: number[]) => headers(1, Buffer.concat([Buffer.from(octets), fieldBlock([OK])]))

const compressionFaults: readonly FaultCase[] = [
  flooded(256, 'continuations without end', continuation(fieldBlock([['x', 'y']])), limited, begun),
  flooded(256, 'empty continuations without end', continuation(Buffer.alloc(0)), limited, begun),
  flooded(
    256,
    'continuations of 16 KiB without end',
    continuation(fieldBlock([['x', 'y'.repeat(16_000)]])),
    limited,
    begun,
  ),
  instead(256, 'a head that never ends', begun, late),
  instead(256, 'another frame inside a head', Buffer.concat([begun, ping()]), deaf),
  instead(
    256,
    'another stream inside a head',
    Buffer.concat([begun, frame(FRAME.continuation, FLAG.end_headers, 3)]),
    deaf,
  ),
  instead(256, 'a continuation of nothing', continuation(Buffer.alloc(0)), deaf),
  instead(
    256,
    'a header bomb: 12 000 times one entry of the table',
    headers(
      1,
      Buffer.concat([
        fieldBlock([OK]),
        indexedField(['bomb', 'b'.repeat(4_000)]),
        repeated(12_000, () => tableField(62)),
      ]),
    ),
    limited,
  ),
  flooded(
    256,
    'a header bomb on every stream without end',
    Buffer.concat(
      [1, 3, 5].map(stream =>
        headers(stream, Buffer.concat([indexedField(['b', 'b'.repeat(4_000)]), repeated(3_000, () => tableField(62))])),
      ),
    ),
    limited,
  ),
  instead(256, 'a table of 4 GiB in a head', instructed(0x3f, 0xe0, 0xff, 0xff, 0xff, 0x0f), deaf),
  instead(256, 'a table size after a field', headers(1, Buffer.concat([fieldBlock([OK]), Buffer.from([0x20])])), deaf),
  instead(
    256,
    'an entry that the table does not have',
    headers(1, Buffer.concat([fieldBlock([OK]), tableField(99)])),
    deaf,
  ),
  instead(256, 'entry zero of the table', instructed(0x80), deaf),
  instead(256, 'an integer without end', instructed(0xff, ...Array(60).fill(0xff)), deaf),
  instead(256, 'a name that is longer than the head', instructed(0x00, 0x7f, 0xff, 0x7f), deaf),
  instead(256, 'Huffman codes that are none', instructed(0x00, 0x84, 0xff, 0xff, 0xff, 0xff, 0x00), deaf),
  instead(256, 'a thousand fields', headers(1, fieldBlock([OK, ...Array(1_000).fill(['x', 'y'])])), large),
  instead(256, 'a field of 70 000 octets', headers(1, fieldBlock([OK, ['x', 'y'.repeat(70_000)]])), deaf),
]

const ROBOTS: readonly LabField[] = [
  [':method', 'GET'],
  [':scheme', 'https'],
  [':authority', 'pushed.lab'],
  [':path', '/robots.txt'],
]
const pushed = Buffer.concat([pushPromise(1, 2, ROBOTS), head(2), data(2, '<title>pushed</title>')])

const pushFaults: readonly FaultCase[] = [
  ahead(257, 'a push before its end was acknowledged', pushed, whole),
  ahead(257, 'a push after it was agreed that there is none', Buffer.concat([settingsAck(), pushed]), broken),
  ahead(257, 'a promise on a stream of the server', pushPromise(2, 4, ROBOTS), broken),
  ahead(257, 'a promise of a stream of the client', pushPromise(1, 3, ROBOTS), broken),
  ahead(257, 'a promise that is taken back', Buffer.concat([pushPromise(1, 2, ROBOTS), rstStream(2, 8)]), whole),
  played(
    257,
    'promises without end',
    [
      send(settings()),
      asked,
      async (socket, signal, wire) => {
        for (let at = 1; !signal.aborted && at < 200; at++) {
          const many = repeated(100, of => pushPromise(1, 2 * (100 * at + of), ROBOTS))
          await send(many)(socket, signal, wire)
          await wait(1)(socket, signal, wire)
        }
      },
      forever,
    ],
    late,
  ),
]

/** Error codes (RFC 9113 section 7). */
const CODE = { none: 0, protocol: 1, internal: 2, refused: 7, cancel: 8, calm: 11, http1: 13 } as const
const started = Buffer.concat([head(1, [['content-type', 'text/html']]), data(1, markup, { end: false })])
const cut: Expected = { fields: { 'content_analysis.title': 'What arrived' } }

const endFaults: readonly FaultCase[] = [
  played(
    258,
    'a reset of every stream',
    [send(settings()), streams((stream, socket) => void socket.write(rstStream(stream, CODE.cancel))), forever],
    closed,
  ),
  played(
    258,
    'a refusal of every stream',
    [send(settings()), streams((stream, socket) => void socket.write(rstStream(stream, CODE.refused))), forever],
    closed,
  ),
  flooded(258, 'resets without end', rstStream(1, CODE.cancel), limited),
  flooded(258, 'resets of streams that are not there', rstStream(99, CODE.cancel), broken),
  instead(
    258,
    'a reset that asks for HTTP/1.1, which there is none of',
    rstStream(1, CODE.http1),
    unseen('not_applicable http_1_1_required'),
  ),
  instead(258, 'a reset in the middle of the page', Buffer.concat([started, rstStream(1, CODE.internal)]), cut),
  ahead(258, 'a reset of three octets', frame(FRAME.rst_stream, 0, 1, Buffer.alloc(3)), deaf),
  instead(258, 'a farewell before the answer', goaway(0, CODE.none), closed),
  instead(258, 'a farewell between head and body', Buffer.concat([started, goaway(1, CODE.none), data(1, 'x')]), whole),
  instead(258, 'an angry farewell between head and body', Buffer.concat([started, goaway(1, CODE.calm)]), cut),
  instead(258, 'a farewell after the answer', Buffer.concat([page, goaway(1, CODE.none)]), whole),
  ahead(258, 'a farewell that keeps what was asked', goaway(1, CODE.none), whole),
  instead(258, 'a farewell in anger', goaway(0, CODE.calm), large),
  instead(258, 'a farewell of 16 KiB', frame(FRAME.goaway, 0, 0, Buffer.alloc(16_384)), closed),
  flooded(258, 'farewells without end', goaway(2 ** 31 - 1, CODE.none), limited),
  played(258, 'a close after the head', [send(settings()), asked, send(started), wait(50), close()], cut),
  played(258, 'a reset of the connection', [send(settings()), asked, reset()], limited),
]

const frameFaults: readonly FaultCase[] = [
  flooded(259, 'pings', ping(), broken),
  flooded(259, 'answers to pings that nobody sent', frame(FRAME.ping, FLAG.ack, 0, Buffer.alloc(8)), broken),
  ahead(259, 'a ping of seven octets', frame(FRAME.ping, 0, 0, Buffer.alloc(7)), deaf),
  flooded(259, 'frames of unknown types without end', frame(0xbe, 0, 0), limited),
  flooded(259, 'priorities without end', frame(FRAME.priority, 0, 1, Buffer.from([0, 0, 0, 3, 7])), limited),
  ahead(
    259,
    'frames of unknown types',
    repeated(50, () => frame(0xbe, 7, 1, Buffer.alloc(99))),
    whole,
  ),
  ahead(
    259,
    'a stream that depends on itself',
    frame(FRAME.priority, 0, 1, Buffer.from([0, 0, 0, 1, 7])),
    isNode20 ? deaf : whole,
  ),
  ahead(259, 'data of no stream', data(0, 'x'), deaf),
  ahead(259, 'data of a stream that nobody opened', data(99, 'x'), deaf),
  instead(259, 'data before the head', data(1, markup), deaf),
  flooded(259, 'data of a stream that is over, without end', data(1, 'x'), whole, page),
  flooded(259, 'empty data without end', data(1, '', { end: false }), cut, started),
  flooded(
    259,
    'padding without end',
    frame(FRAME.data, FLAG.padded, 1, Buffer.concat([Buffer.from([255]), Buffer.alloc(255)])),
    cut,
    started,
  ),
  instead(259, 'padding', Buffer.concat([started, paddedData(1, 'x'), data(1, 'x')]), whole),
  instead(
    259,
    'padding that is longer than its frame',
    Buffer.concat([started, frame(FRAME.data, FLAG.padded, 1, Buffer.from([9, 1]))]),
    cut,
  ),
  instead(259, 'a frame that is longer than frames may be', frame(FRAME.data, 0, 1, Buffer.alloc(16_385)), deaf),
  instead(259, 'a frame that is announced and never comes', page.subarray(0, 20), late),
  instead(259, 'trailers without a head', trailers(1, [['x', 'y']]), broken),
  instead(259, 'a head that is all', headers(1, fieldBlock([OK]), { end: true }), {
    sections: { security_headers: 'completed' },
  }),
  flooded(259, 'trailers without end', trailers(1, [['x', 'y']]), cut, started),
  flooded(259, 'early hints without end', head(1, [['link', '</x>']], '103'), limited),
  instead(259, 'a change of protocols, which HTTP/2 has none of', head(1, [], '101'), broken),
  ...(['20', '600', '', 'abc'] as const).map(status =>
    instead(259, `the status "${status}"`, Buffer.concat([head(1, [], status), data(1, markup)]), broken),
  ),
  instead(259, 'two statuses', Buffer.concat([head(1, [OK]), data(1, markup)]), broken),
  instead(
    259,
    'a field of the connection',
    Buffer.concat([head(1, [['connection', 'close']]), data(1, markup)]),
    broken,
  ),
  instead(259, 'a name in upper case', Buffer.concat([head(1, [['X-Upper', 'x']]), data(1, markup)]), broken),
  instead(
    259,
    'NUL, CR and LF in a value',
    Buffer.concat([head(1, [['x', 'a\u0000b\r\nset-cookie: c=d']]), data(1, markup)]),
    {
      holds: ({ answer }) => assert.equal(answer.status, 200),
    },
  ),
  instead(
    259,
    'a cookie',
    Buffer.concat([
      head(1, [
        ['content-type', 'text/html'],
        ['set-cookie', `sid=${COOKIE_CANARY}`],
      ]),
      data(1, markup),
    ]),
    whole,
  ),
  instead(259, 'HTTP/1.1', Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na'), deaf),
  flooded(259, 'noise without end', Buffer.alloc(16_384, 0xaa), limited),
  played(259, 'the page at an octet each 100 ms', [send(settings()), asked, drip(page, 1, 100)], late),
  played(259, 'silence, which never ends', [forever], late),
]

export const http2Faults: readonly FaultCase[] = [
  ...settingsFaults,
  ...windowFaults,
  ...compressionFaults,
  ...pushFaults,
  ...endFaults,
  ...frameFaults,
]
