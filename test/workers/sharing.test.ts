// What workers share through the owner of the store, and what one that is gone gives back: two workers in this process.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { duplexPair } from 'node:stream'
import { describe, it, type TestContext } from 'node:test'
import { createLog } from '../../src/api/log.ts'
import { createServer } from '../../src/api/server.ts'
import { systemClock } from '../../src/clock.ts'
import { openLocalBackend } from '../../src/store/open_backend.ts'
import { type Grant, StoreError } from '../../src/store/store.ts'
import { createLink } from '../../src/workers/link.ts'
import { createStoreHost } from '../../src/workers/store_host.ts'
import { eventually } from '../api/service.ts'
import { cacheDefaults, limits, openWorker } from '../store/backends.ts'
import { freshDirectory } from '../store/fresh_directory.ts'

const config = { cache: cacheDefaults }
const polite = { at_once: 1, per_second: 1_000 }

async function twoWorkers(t: TestContext) {
  const keys = { prefix: 'assay', rotation_hours: 24 }
  const settings = { store: null, data: freshDirectory(t), keys, cache: cacheDefaults }
  const owned = await openLocalBackend(settings, systemClock, () => {})
  const host = createStoreHost(owned, limits(systemClock.monotonic), systemClock)
  const [one, two] = [openWorker(host, config), openWorker(host, config)]
  const end = async ({ link }: typeof one) => {
    link.close()
    await link.closed
  }
  t.after(async () => {
    for (const worker of [one, two]) await end(worker)
    await owned.close()
  })
  return { owned, host, one, two, end }
}

const later = () => new Promise(done => setTimeout(done, 20))

describe('the quota of two workers', () => {
  it('is exact, and a worker that is gone gives back what it reserved and keeps what it counted', async t => {
    const { owned, one, two, end } = await twoWorkers(t)
    const allowance = { quota: 10, period: 'month' } as const
    const asks = await Promise.all(
      [...Array(16).keys()].map(n => (n % 2 ? one : two).backend.quota.reserve('acc', allowance)),
    )
    const granted = asks.filter((ask): ask is Grant => ask.allowed)
    assert.equal(granted.length, 10)
    const ofOne = asks.filter((ask, n): ask is Grant => n % 2 === 1 && ask.allowed)
    const usages = await Promise.all(ofOne.slice(0, 2).map(grant => grant.commit()))
    assert.deepEqual(
      usages.map(({ used, remaining }) => [used, remaining]),
      [
        [1, 9],
        [2, 8],
      ],
    )
    await end(one)
    await later()
    assert.equal((await owned.quota.usage('acc', allowance)).used, 2)
    const left = await Promise.all(Array.from({ length: 9 }, () => two.backend.quota.charge?.('acc', allowance)))
    const more = left.filter(answer => answer !== undefined && !('allowed' in answer)).length
    assert.equal(more, 10 - 2 - (granted.length - ofOne.length))
  })
})

describe('the runs of two workers', () => {
  it('are shared, and follow another worker when theirs is gone', async t => {
    const { one, two, end } = await twoWorkers(t)
    let runs = 0
    const stuck = one.backend.flights.run('key', () => {
      runs += 1
      return new Promise(() => {})
    })
    stuck.catch(() => {})
    await later()
    const followed = two.backend.flights.run('key', async () => {
      runs += 1
      return Buffer.from('of two')
    })
    await later()
    assert.equal(runs, 1)
    await end(one)
    assert.deepEqual([String(await followed), runs], ['of two', 2])
  })

  it('are not left by a caller that goes away before it leads', async t => {
    const { one, two } = await twoWorkers(t)
    const left = new AbortController()
    const gone = one.backend.flights.run('key', async () => Buffer.from('never'), left.signal)
    left.abort(new Error('left'))
    await assert.rejects(gone, { message: 'left' })
    assert.equal(String(await two.backend.flights.run('key', async () => Buffer.from('two'))), 'two')
  })
})

describe('the slots of two workers at one target', () => {
  it('go to the workers in turn, and are given back by one that is gone', async t => {
    const { one, two, end } = await twoWorkers(t)
    const claim = (worker: typeof one) => worker.backend.targets.claim('a.com', new Map([['key', 5]]), polite)
    const turns: string[] = []
    const held = await claim(one)
    const ends = [one, two, one, two].map(async (worker, n) => {
      const got = await claim(worker)
      if (got.key === null) return
      turns.push(worker === one ? 'one' : 'two')
      if (n < 3) got.leave()
    })
    await later()
    assert.deepEqual(turns, [])
    if (held.key !== null) held.leave()
    await Promise.all(ends)
    assert.deepEqual(turns, ['one', 'two', 'one', 'two'])
    await end(two)
    const after = await claim(one)
    assert.equal(after.key, 'key')
  })
})

it('what one worker uses of an upstream, the other and a new one know', async t => {
  const { host, one, two } = await twoWorkers(t)
  assert.deepEqual([one.backend.upstreams.take('list', 3), one.backend.upstreams.take('list', 3)], [true, true])
  one.backend.upstreams.pause('registry', 60_000)
  // What one told arrives in order.
  await eventually(() => two.backend.upstreams.isPaused('registry'))
  assert.deepEqual([two.backend.upstreams.take('list', 3), two.backend.upstreams.take('list', 3)], [true, false])
  await later()
  const third = openWorker(host, config)
  assert.deepEqual(
    [third.backend.upstreams.take('list', 3), third.backend.upstreams.isPaused('registry')],
    [false, true],
  )
  third.link.close()
})

it('a result of one worker is found by the other, with its age', async t => {
  const { one, two } = await twoWorkers(t)
  assert.equal(await two.backend.cache.get('key'), null)
  await one.backend.cache.put('key', Buffer.from('bytes'), 'complete', 60_000)
  await later()
  assert.equal(String((await two.backend.cache.get('key'))?.bytes), 'bytes')
  assert.equal(String(two.backend.cache.peek('key')?.bytes), 'bytes')
})

describe('a link', () => {
  it('passes values and errors, in order, and rejects what is unanswered when it closes', async () => {
    const [near, far] = duplexPair()
    const seen: number[] = []
    const service = {
      echo: (value: unknown) => value,
      fail: () => Promise.reject(new StoreError('quota_store_error', 'no disk')),
      note: (n: number) => void seen.push(n),
      never: () => new Promise(() => {}),
    }
    createLink(far, { service })
    const link = createLink(near, {})
    const value = { date: new Date(0), bytes: Buffer.from('x'), map: new Map([['a', 1]]), none: undefined }
    assert.deepEqual(await link.call('service', 'echo', value), value)
    await assert.rejects(async () => link.call('service', 'fail'), { code: 'quota_store_error', message: 'no disk' })
    await assert.rejects(async () => link.call('service', 'toString'), /no method service\.toString/)
    const large = Buffer.alloc(3_000_000, 'y')
    for (let n = 0; n < 3; n++) link.tell('service', 'note', n)
    assert.deepEqual(Buffer.from((await link.call('service', 'echo', large)) as Buffer), large)
    assert.deepEqual(seen, [0, 1, 2])
    const never = link.call('service', 'never')
    never.catch(() => {})
    far.destroy()
    near.destroy()
    await assert.rejects(async () => never, { code: 'quota_store_error' })
  })
})

it('a server that does not listen itself cuts off slow clients, and drains', async () => {
  const log = createLog('silent', { write: () => {} })
  const server = createServer({
    handle: (_, response) => void response.end('hello'),
    log,
    clock: systemClock,
    limits: { headers_ms: 200, sweep_ms: 50, linger_ms: 50 },
  })
  const door = createTcpServer({ allowHalfOpen: true }, socket => server.take(socket)).listen(0)
  await once(door, 'listening')
  const open = () => connect((door.address() as AddressInfo).port, '127.0.0.1')
  const slow = open()
  slow.write('GET / HTTP/1.1\r\nHost: a')
  const [refusal] = await once(slow, 'data')
  assert.match(String(refusal), /^HTTP\/1\.1 408 /)
  const idle = open()
  idle.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  const [answer] = await once(idle, 'data')
  assert.match(String(answer), /^HTTP\/1\.1 200 /)
  const closed = once(idle, 'close')
  await server.drain()
  await closed
  door.close()
})
