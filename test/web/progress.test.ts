// Progress: the same operation told as events. What is told, to whom, and what it costs.
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { Analysis } from '../../src/engine/analysis.ts'
import { AnalysisUnavailable } from '../../src/engine/analysis.ts'
import type { Checker } from '../../src/service/api/answers.ts'
import { preferredForm } from '../../src/service/api/negotiation.ts'
import { createChannels, createSectionWatch } from '../../src/service/api/progress.ts'
import { eventReader } from '../../src/web/event_stream.js'
import { analyzerNamed, EXAMPLE, engineOf } from '../engine/engine_of.ts'
import { dial, eventually, result, type Service, startService } from '../service/api/service.ts'

describe('an Accept header', () => {
  const named = [
    'text/event-stream',
    'Text/Event-Stream',
    'text/event-stream, application/json;q=0.5',
    'text/event-stream;q=0.9, */*;q=0.1',
  ]
  for (const accept of named) it(`requests events for ${accept}`, () => assert.equal(preferredForm(accept), 'events'))

  const others = [
    undefined,
    '',
    '*/*',
    'text/*',
    'application/json',
    'text/event-stream;q=0',
    'application/json, text/event-stream;q=0.5',
    'text/event-streams',
    `text/event-stream, ${'a/b, '.repeat(300)}`,
  ]
  for (const accept of others)
    it(`requests no events for ${String(accept).slice(0, 60)}`, () => assert.notEqual(preferredForm(accept), 'events'))
})

describe('a channel', () => {
  it('sends all earlier events to late subscribers, and nothing to those that left', () => {
    const { subscribe } = createChannels()
    const [early, late]: [string[], string[]] = [[], []]
    const leader = subscribe('a', null)
    leader.emit('1')
    const first = subscribe('a', event => early.push(event))
    leader.emit('2')
    const second = subscribe('a', event => late.push(event))
    first.unsubscribe()
    leader.unsubscribe()
    leader.emit('3')
    second.unsubscribe()
    assert.deepEqual(
      [early, late],
      [
        ['1', '2'],
        ['1', '2', '3'],
      ],
    )
  })

  it('starts again without subscribers, and is separate for each name', () => {
    const { subscribe } = createChannels()
    const first = subscribe('a', null)
    first.emit('1')
    first.unsubscribe()
    const heard: string[] = []
    subscribe('a', event => heard.push(event))
    subscribe('b', null).emit('2')
    first.emit('3')
    assert.deepEqual(heard, [])
  })
})

/** An analyzer that waits for evidence of its own. */
const waiting = (name: string, evidence: string) => analyzerNamed(name, { needs: [evidence] })

describe('a watched engine', () => {
  it('reports each section when it is finished, and returns the same result as without a watcher', async () => {
    const { extension, watch } = createSectionWatch()
    const analyzers = [waiting('slow_one', 'slow'), analyzerNamed('quick_one'), waiting('lost_one', 'lost')]
    const evidence = {
      slow: () => new Promise(resolve => setTimeout(resolve, 20, {})),
      lost: () => Promise.reject(new Error('gone')),
    }
    const told: string[] = []
    const watched = await engineOf([extension, ...analyzers], { evidence }).check(EXAMPLE, {
      observe: analysis => watch(analysis, event => told.push(event)),
    })
    const events = told.flatMap(eventReader()).map(({ event, data }) => [event, JSON.parse(data)])
    assert.deepEqual(events[0], ['sections', { sections: ['slow_one', 'quick_one', 'lost_one'] }])
    const { sections } = watched.result['coverage'] as { sections: Record<string, object> }
    assert.deepEqual(
      Object.fromEntries(events.slice(1).map(([, { section, ...coverage }]) => [section, coverage])),
      sections,
    )
    assert.equal(events.at(-1)?.[1].section, 'slow_one')
    const unwatched = await engineOf(analyzers, { evidence }).check(EXAMPLE)
    assert.equal(JSON.stringify(watched.result), JSON.stringify(unwatched.result))
  })
})

/** An engine that says what it is told to, when it is told to. */
function played() {
  const checks: { tell(event: string): void; end(): void; fail(error: Error): void; readonly signal: AbortSignal }[] =
    []
  const tells = new Map<Analysis, (event: string) => void>()
  const checker: Checker = {
    check: (_, { signal, observe }) =>
      new Promise((resolve, reject) => {
        const analysis = {} as Analysis
        observe?.(analysis)
        signal.addEventListener('abort', () => reject(signal.reason))
        const end = () => resolve({ result, class: 'complete' })
        checks.push({ signal, end, fail: reject, tell: event => tells.get(analysis)?.(event) })
      }),
  }
  return {
    checks,
    parts: { checker, watch: (analysis: Analysis, tell: (event: string) => void) => void tells.set(analysis, tell) },
  }
}

const path = '/api/v1/check?domain=example.com'
const asking = ({ key }: Service) => ({
  headers: { 'x-api-key': key, accept: 'text/event-stream', 'x-request-id': 'r' },
})
const read = async (response: Response) => eventReader()(await response.text())
const one = (name: string) => `event: ${name}\ndata: {}\n\n`

async function used({ store }: Service): Promise<number> {
  const [key] = await store.keys.list()
  return (await store.quota.usage(key?.account ?? '', { quota: 10_000, period: 'month' })).used
}

async function begun(t: TestContext) {
  const { checks, parts } = played()
  const service = await startService(t, { ...parts, monotonic: () => 0 })
  const answer = service.get(path, asking(service))
  await eventually(() => checks.length === 1)
  return { service, answer, checks, check: checks[0] as (typeof checks)[0] }
}

describe('a check as an event stream', () => {
  it('reports progress as it happens, and ends with the result', async t => {
    const { service, answer, check } = await begun(t)
    check.tell(one('sections'))
    const response = await answer
    const { headers } = response
    assert.equal(headers.get('content-type'), 'text/event-stream; charset=utf-8')
    assert.deepEqual(
      ['x-cache', 'x-ratelimit-remaining', 'cache-control', 'x-request-id'].map(name => headers.get(name)),
      ['MISS', '9999', 'private, no-store', 'r'],
    )
    check.tell(one('section'))
    check.end()
    const events = await read(response)
    assert.deepEqual(
      events.map(({ event }) => event),
      ['sections', 'section', 'result'],
    )
    const plain = await service.get(path)
    assert.equal(events[2]?.data.replace('"cached":false', '"cached":true'), await plain.text())
    assert.deepEqual([plain.headers.get('x-cache'), await used(service)], ['HIT', 2])
  })

  it('is one event for a cached result, with the exact remaining quota', async t => {
    const service = await startService(t)
    await service.get(path)
    const response = await service.get(path, asking(service))
    assert.deepEqual([response.headers.get('x-cache'), response.headers.get('x-ratelimit-remaining')], ['HIT', '9998'])
    assert.deepEqual(
      (await read(response)).map(({ event }) => event),
      ['result'],
    )
  })

  it('joins a running check, and receives its earlier events', async t => {
    const { checks, parts } = played()
    const service = await startService(t, parts)
    const plain = service.get(path)
    await eventually(() => checks.length === 1)
    checks[0]?.tell(one('sections'))
    const response = await service.get(path, asking(service))
    checks[0]?.end()
    assert.deepEqual(
      (await read(response)).map(({ event }) => event),
      ['sections', 'result'],
    )
    assert.equal((await plain).headers.get('content-type'), 'application/json; charset=utf-8')
    assert.deepEqual([checks.length, await used(service)], [1, 2])
  })

  it('that fails before the first event is an ordinary problem response', async t => {
    const { service, answer, check } = await begun(t)
    check.fail(new AnalysisUnavailable({ reason: 'dns_timeout' }))
    const response = await answer
    assert.deepEqual(
      [response.status, response.headers.get('content-type')],
      [503, 'application/problem+json; charset=utf-8'],
    )
    assert.deepEqual([response.headers.get('x-ratelimit-remaining'), await used(service)], ['10000', 0])
  })

  it('that fails later ends with a problem event, and does not count', async t => {
    const { service, answer, check } = await begun(t)
    check.tell(one('sections'))
    const response = await answer
    check.fail(new AnalysisUnavailable({ reason: 'dns_timeout' }))
    const events = await read(response)
    assert.deepEqual(
      events.map(({ event }) => event),
      ['sections', 'problem'],
    )
    const { code, status, request_id } = JSON.parse(events[1]?.data ?? '')
    assert.deepEqual([code, status, request_id, await used(service)], ['analysis-unavailable', 503, 'r', 0])
    assert.equal(service.lines()[0]?.['code'], 'analysis-unavailable')
  })

  it('stops when its client disconnects, and counts', async t => {
    const { checks, parts } = played()
    const service = await startService(t, parts)
    const socket = await dial(service.port)
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${service.key}\r\nAccept: text/event-stream\r\n\r\n`)
    await eventually(() => checks.length === 1)
    checks[0]?.tell(one('sections'))
    socket.destroy()
    await eventually(() => checks[0]?.signal.aborted === true && service.lines().length === 1)
    const [line] = service.lines()
    assert.deepEqual([line?.['status'], line?.['code'], await used(service)], [null, 'client-closed', 1])
  })

  it('is refused like a plain check', async t => {
    const service = await startService(t)
    const { headers } = asking(service)
    const refused = [
      [path, { ...headers, 'x-api-key': '' }, 401],
      [path, { ...headers, 'x-api-key': 'x' }, 403],
      ['/api/v1/check?domain=com', headers, 422],
      [path, { ...headers, accept: 'text/html' }, 406],
    ] as const
    for (const [at, given, status] of refused) {
      const response = await service.get(at, { headers: given })
      assert.deepEqual(
        [response.status, response.headers.get('content-type')],
        [status, 'application/problem+json; charset=utf-8'],
      )
    }
  })

  it('has no body for HEAD', async t => {
    const service = await startService(t)
    const response = await service.get(path, { ...asking(service), method: 'HEAD' })
    assert.deepEqual(
      [response.status, response.headers.get('content-type'), await response.text()],
      [200, 'text/event-stream; charset=utf-8', ''],
    )
    assert.equal(await used(service), 1)
  })
})
