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

  played(254, 'an answer before any settings', [asked, send(page), forever], broken),
  played(254, 'one stream at once', [send(set(SETTING.streams, 1)), asked, send(page), forever], whole),
  played(254, 'no stream ever', [send(set(SETTING.streams, 0)), forever], late),
]

const WINDOW = 2 ** 31 - 1

const windowFaults: readonly FaultCase[] = [
  ahead(
    255,
    'a window that overflows',
    repeated(2, () => windowUpdate(0, WINDOW)),
    broken,
  ),

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
]

const ROBOTS: readonly LabField[] = [
  [':method', 'GET'],
  [':scheme', 'https'],
  [':authority', 'pushed.lab'],
  [':path', '/robots.txt'],
]
const pushed = Buffer.concat([pushPromise(1, 2, ROBOTS), head(2), data(2, '<title>pushed</title>')])

const pushFaults: readonly FaultCase[] = [
  ahead(257, 'a push after it was agreed that there is none', Buffer.concat([settingsAck(), pushed]), broken),

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

  instead(258, 'a reset in the middle of the page', Buffer.concat([started, rstStream(1, CODE.internal)]), cut),

  instead(258, 'a farewell between head and body', Buffer.concat([started, goaway(1, CODE.none), data(1, 'x')]), whole),

  flooded(258, 'farewells without end', goaway(2 ** 31 - 1, CODE.none), limited),
  played(258, 'a close after the head', [send(settings()), asked, send(started), wait(50), close()], cut),
  played(258, 'a reset of the connection', [send(settings()), asked, reset()], limited),
]

const frameFaults: readonly FaultCase[] = [
  flooded(259, 'pings', ping(), broken),
  flooded(259, 'answers to pings that nobody sent', frame(FRAME.ping, FLAG.ack, 0, Buffer.alloc(8)), broken),

  flooded(259, 'frames of unknown types without end', frame(0xbe, 0, 0), limited),
  flooded(259, 'priorities without end', frame(FRAME.priority, 0, 1, Buffer.from([0, 0, 0, 3, 7])), limited),

  flooded(259, 'data of a stream that is over, without end', data(1, 'x'), whole, page),
  flooded(259, 'empty data without end', data(1, '', { end: false }), cut, started),
  flooded(
    259,
    'padding without end',
    frame(FRAME.data, FLAG.padded, 1, Buffer.concat([Buffer.from([255]), Buffer.alloc(255)])),
    cut,
    started,
  ),

  flooded(259, 'trailers without end', trailers(1, [['x', 'y']]), cut, started),
  flooded(259, 'early hints without end', head(1, [['link', '</x>']], '103'), limited),

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
