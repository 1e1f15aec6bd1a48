// What happens to log lines that are not read.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  LogOutput,
  type LogOutputOptions,
  type LogSink,
  readableLine,
  readableLines,
} from '../../../src/service/api/log_output.ts'
import { eventually } from './service.ts'

/** Octets per line in this test, and the number of buffered lines. */
const line_bytes = 100
const room = 10

const line = (n: number) => `${String(n).padEnd(line_bytes - 1, '.')}\n`

interface Shelf extends LogSink {
  /** Numbers of the lines that were written. */
  taken(): number[]
  /** The result of each write from now on; `null` makes it hang. */
  answer: number | Error | null
  /** Ends a hanging write. */
  release(): void
}

function shelf(): Shelf {
  let text = ''
  let release = () => {}
  const sink: Shelf = {
    answer: Number.POSITIVE_INFINITY,
    taken: () => text.split('\n').slice(0, -1).map(Number.parseFloat),
    release: () => release(),
    write(octets, done) {
      const attempt = () => {
        const { answer } = sink
        if (answer === null) {
          release = attempt
          return
        }
        if (answer instanceof Error) {
          done(answer)
          return
        }
        const taken = Math.min(answer, octets.length)
        text += octets.toString('latin1', 0, taken)
        done(null, taken)
      }
      setImmediate(attempt)
    },
    end(octets) {
      if (sink.answer instanceof Error) throw sink.answer
      text += octets.toString('latin1')
    },
  }
  return sink
}

function output(sink: LogSink, options: LogOutputOptions = {}) {
  const made = new LogOutput({ sink, unwritten_bytes: room * line_bytes, retry_ms: 1, ...options })
  /** Each line is a batch of its own. */
  const say = async (from: number, to: number) => {
    for (let n = from; n < to; n++) {
      made.write(line(n))
      await made.written(0)
    }
  }
  return { made, say }
}

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n)

describe('a line on a terminal', () => {
  const rows: readonly (readonly [event: object, text: string])[] = [
    [
      {
        level: 'info',
        time: 0,
        request_id: 'x',
        method: 'GET',
        path: '/api/v1/check',
        status: 200,
        cache: 'MISS',
        target: 'example.com',
        client: '192.0.2.0/24',
        duration_ms: 18.5,
        waited_ms: { slot: 4 },
      },
      '00:00:00 info  GET /api/v1/check 200 18.5 ms cache=MISS target=example.com client=192.0.2.0/24 waited_ms={"slot":4}',
    ],
    [
      { level: 'info', time: 1_000, method: 'GET', path: '/', status: null, code: 'client-closed', duration_ms: 1 },
      '00:00:01 info  GET / no answer 1 ms code=client-closed',
    ],
    [
      { level: 'warn', time: 0, notice: 'two words \u001b[2J', datasets_missing: ['a'] },
      '00:00:00 warn  notice="two words \\u001b[2J" datasets_missing=["a"]',
    ],
  ]
  for (const [event, text] of rows)
    it(`is ${text.slice(0, 40)}`, () => assert.equal(readableLine(`${JSON.stringify(event)}\n`), `${text}\n`))

  it('stays as it is when it is no JSON, and among others', () => {
    const lines = Buffer.from('no JSON\n{"level":"warn","time":0,"é":"é"}\n')
    assert.equal(readableLines(lines).toString(), 'no JSON\n00:00:00 warn  é="é"\n')
  })

  it('is written in place of JSON, also for those of other processes', async () => {
    let written = ''
    const sink: LogSink = {
      write(octets, done) {
        written += octets
        done(null)
      },
      end() {},
    }
    const terminal = new LogOutput({ sink, readable: true })
    terminal.write('{"level":"info","time":0,"a":1}\n')
    terminal.append(Buffer.from('{"level":"info","time":0,"b":2}\n'), 1)
    await terminal.written(1_000)
    assert.equal(written, '00:00:00 info  a=1\n00:00:00 info  b=2\n')
  })
})

describe('the output of the log', () => {
  it('writes simultaneous lines at once and in order', async () => {
    const sink = shelf()
    const { made } = output(sink)
    for (const n of numbers(0, room)) made.write(line(n))
    assert.deepEqual(sink.taken(), [])
    await made.written(10_000)
    assert.deepEqual(sink.taken(), numbers(0, room))
  })

  it('continues after a partial write', async () => {
    const sink = shelf()
    sink.answer = 7
    const { made } = output(sink)
    for (const n of numbers(0, room)) made.write(line(n))
    await made.written(10_000)
    assert.deepEqual(sink.taken(), numbers(0, room))
  })

  const troubles: readonly (readonly [what: string, trouble: Error | null])[] = [
    ['a reader that does not read', null],
    ['a reader that is gone', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })],
    ['a disk that is full', Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })],
  ]
  for (const [what, trouble] of troubles) {
    it(`buffers lines from ${what} up to a limit, counts the rest, and reports the count afterwards`, async () => {
      const sink = shelf()
      sink.answer = trouble
      const told: number[] = []
      const { made, say } = output(sink, { onResume: dropped => told.push(dropped) })
      await say(0, room + 5)
      assert.deepEqual([made.dropped, told, sink.taken()], [5, [], []])
      sink.answer = Number.POSITIVE_INFINITY
      sink.release()
      await eventually(() => told.length > 0)
      await say(room + 5, room + 6)
      await made.written(10_000)
      assert.deepEqual([made.dropped, told, sink.taken()], [5, [5], [...numbers(0, room), room + 5]])
    })
  }

  it('waits for a reader at the end only as long as allowed', async () => {
    const sink = shelf()
    sink.answer = null
    const { made } = output(sink)
    made.write(line(0))
    await made.written(50)
    made.end()
  })

  it('flushes the rest at the end', () => {
    const sink = shelf()
    const { made } = output(sink)
    made.write(line(0))
    made.end()
    assert.deepEqual(sink.taken(), [0])
  })

  it('ends silently when nobody reads the rest', () => {
    const sink = shelf()
    sink.answer = new Error('write EPIPE')
    const { made } = output(sink)
    made.write(line(0))
    made.end()
    assert.deepEqual(sink.taken(), [])
  })
})
