// Results in Redis that were altered, cut or written by a process that was killed, and a Redis whose clock was set.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { after, before, describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createClient, RESP_TYPES } from '@redis/client'
import type { ResultClass } from '../../src/engine/completeness.ts'
import { bucketStart } from '../../src/store/quota_rule.ts'
import { integrityTag } from '../../src/store/redis/protocol.ts'
import type { ResultCache } from '../../src/store/result_cache.ts'
import { testProgram } from '../assay.ts'
import { type RedisServer, startRedis, withoutRedis } from '../redis_server.ts'
import { openFor, PATIENT_MS } from './backends.ts'
import { freshDirectory } from './fresh_directory.ts'
import { bodyOf } from './putting_process.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

let redis: RedisServer
let names = 0
const fresh = () => `name-${++names}`

const connect = (url: string) => createClient({ url })
let client: ReturnType<typeof connect>
before(async () => {
  if (withoutRedis) return
  redis = await startRedis()
  client = await connect(redis.url).connect()
})
after(async () => {
  client?.destroy()
  await redis?.stop()
})

const entryOf = (name: string) => `assay:v1:result:${createHash('sha256').update(name).digest('base64url')}`

/** Two instances: what the first put, the second can only have from Redis. */
async function two(t: TestContext): Promise<readonly [ResultCache, ResultCache]> {
  const [writer, reader] = [
    await openFor(t, { store: redis.confined, command_ms: PATIENT_MS }),
    await openFor(t, { store: redis.confined, command_ms: PATIENT_MS }),
  ]
  return [writer.cache, reader.cache]
}

const read = async (cache: ResultCache, name: string) =>
  [(await cache.get(name))?.bytes.toString() ?? null, (await cache.getStale(name))?.bytes.toString() ?? null] as const

describe('a result in Redis', { skip: withoutRedis }, () => {
  const text = '{"domain":"example.com","risk_score":3,"process_time_ms":'
  const set = (field: string, value: string) => (entry: string) => client.hSet(entry, field, value)
  const altered: Readonly<Record<string, (entry: string) => Promise<unknown>>> = {
    'is cut': set('bytes', text.slice(0, -1)),
    'is cut to nothing': set('bytes', ''),
    'has one octet flipped': set('bytes', text.replace('3', '2')),
    'has an octet more': set('bytes', `${text} `),
    'lost its octets': entry => client.hDel(entry, 'bytes'),
    'lost its seal': entry => client.hDel(entry, 'seal'),
    'has another seal': set('seal', randomBytes(32).toString('base64url')),
    'is said to be of another class': set('class', 'not_found'),
    'is said to be of no class': set('class', 'whatever'),
    'has no birth': entry => client.hDel(entry, 'born'),
    'has a birth that is no number': set('born', 'nan'),
    'is said to live longer than any': async entry => {
      await client.hSet(entry, 'life', `${10 * day}`)
      await client.hSet(entry, 'born', `${Date.now() - 2 * day}`)
    },
    'was born before all time': set('born', '-inf'),
    'is another name’s': async entry => client.copy(entryOf('other'), entry, { REPLACE: true }),
    'is no hash': async entry => {
      await client.del(entry)
      await client.set(entry, text)
    },
    'is larger than any result': set('bytes', 'x'.repeat(2 ** 20 + 1)),
  }
  for (const [how, alter] of Object.entries(altered)) {
    it(`that ${how} is never served`, async t => {
      const [writer, reader] = await two(t)
      await writer.put('other', Buffer.from('{"domain":"other.example"'), 'complete')
      const name = fresh()
      await writer.put(name, Buffer.from(text), 'complete')
      await alter(entryOf(name))
      assert.deepEqual(await read(reader, name), [null, null])
      assert.deepEqual(await read(writer, name), [text, text], 'what an instance has itself is as it was')
    })
  }

  for (const life of ['inf', '1e308', 'nan', '-1', 'text', '']) {
    it(`with the lifetime "${life}" can be served as stale, but is not a hit`, async t => {
      const [writer, reader] = await two(t)
      const name = fresh()
      await writer.put(name, Buffer.from(text), 'complete')
      await client.hSet(entryOf(name), 'life', life)
      assert.deepEqual(await read(reader, name), [null, text])
    })
  }

  it('that is damaged is logged once until a sound one is read', async t => {
    const events: Record<string, unknown>[] = []
    const [writer] = await two(t)
    const { cache } = await openFor(t, { store: redis.confined, command_ms: PATIENT_MS, events })
    const damaged = () => events.filter(({ store }) => store === 'result-damaged').length
    const names = [fresh(), fresh(), fresh()] as const
    for (const name of names) await writer.put(name, Buffer.from(text), 'complete')
    await client.hSet(entryOf(names[0]), 'bytes', 'other')
    await client.del(entryOf(names[1]))
    await client.set(entryOf(names[1]), text)
    for (const name of [names[0], names[1], names[0]]) assert.equal(await cache.get(name), null)
    assert.equal(damaged(), 1)
    assert.equal((await cache.get(names[2]))?.bytes.toString(), text)
    assert.equal(await cache.get(names[1]), null)
    assert.equal(damaged(), 2)
  })

  it('that is kept behind an incomplete one has an integrity tag too', async t => {
    const [writer, reader] = await two(t)
    const name = fresh()
    await writer.put(name, Buffer.from(text), 'complete', 1)
    await pause(20)
    await writer.put(name, Buffer.from('part'), 'incomplete')
    assert.deepEqual(await read(reader, name), ['part', text])
    await client.hSet(entryOf(name), 'whole', text.replace('3', '2'))
    assert.deepEqual(await read((await two(t))[1], name), ['part', null])
  })

  it('of a class that only another version knows is a miss, and any other result replaces it', async t => {
    for (const kind of ['incomplete', 'withheld', 'not_found', 'complete'] as const) {
      const [writer, reader] = await two(t)
      const name = fresh()
      await writer.put(name, Buffer.from(text), 'complete')
      const seal = integrityTag([name, 'of_tomorrow'], Buffer.from(text))
      await client.hSet(entryOf(name), { class: 'of_tomorrow', seal })
      assert.deepEqual(await read(reader, name), [null, null])
      await reader.put(name, Buffer.from('new'), kind)
      assert.equal((await read((await two(t))[1], name))[0], 'new', kind)
    }
  })

  it('that was damaged is replaced by the next', async t => {
    const [writer, reader] = await two(t)
    const name = fresh()
    await writer.put(name, Buffer.from(text), 'complete')
    for (const value of ['damaged', null]) {
      if (value === null) await client.set(entryOf(name), 'no hash')
      else await client.hSet(entryOf(name), 'bytes', value)
      assert.deepEqual(await read((await two(t))[1], name), [null, null])
      await reader.put(name, Buffer.from('new'), 'complete')
      assert.deepEqual(await read((await two(t))[1], name), ['new', 'new'])
    }
  })
})

describe('the index of results in Redis', { skip: withoutRedis }, () => {
  const keys = ['assay:v1:results-order', 'assay:v1:results-sizes', 'assay:v1:results-bytes'] as const
  const [order, sizes, total] = keys
  const broken: readonly [what: string, how: () => Promise<unknown>][] = [
    ['order is a text', () => client.set(order, 'text')],
    ['order is a list', () => client.multi().del(order).rPush(order, 'text').exec()],
    ['sizes are a set', () => client.multi().del(sizes).sAdd(sizes, 'text').exec()],
    ['sum is a hash', () => client.multi().del(total).hSet(total, 'a', 'b').exec()],
    ['sum is no number', () => client.set(total, 'many')],
    ['sum is endless', () => client.set(total, 'inf')],
    ['sum is more than a number holds', () => client.set(total, '9'.repeat(30))],
  ]
  for (const [what, how] of broken) {
    it(`is rebuilt when its ${what}, and this is logged once`, async t => {
      const events: Record<string, unknown>[] = []
      const settings = { store: redis.confined, command_ms: PATIENT_MS }
      const { cache } = await openFor(t, { ...settings, events })
      await cache.put(fresh(), Buffer.from('before'), 'complete')
      await how()
      const names = [fresh(), fresh()]
      for (const name of names) await cache.put(name, Buffer.from('shared'), 'complete')
      const other = (await two(t))[1]
      for (const name of names) assert.equal((await other.get(name))?.bytes.toString(), 'shared')
      assert.deepEqual(
        events.filter(({ store }) => store === 'results-index-reset').map(({ level }) => level),
        ['warn'],
      )
      const held = Object.values(await client.hGetAll(sizes)).reduce((sum, size) => sum + Number(size), 0)
      assert.deepEqual([await client.zCard(order), Number(await client.get(total))], [await client.hLen(sizes), held])
    })
  }

  it('accepts an incomplete result in place of one without expiry', async t => {
    const [writer, reader] = await two(t)
    const name = fresh()
    await writer.put(name, Buffer.from('whole'), 'complete')
    await client.hSet(entryOf(name), 'life', 'inf')
    await reader.put(name, Buffer.from('part'), 'incomplete')
    assert.equal((await (await two(t))[1].get(name))?.bytes.toString(), 'part')
  })

  it('a refusal of Redis to store results is logged once', async t => {
    const events: Record<string, unknown>[] = []
    const { cache } = await openFor(t, { store: redis.confined, command_ms: PATIENT_MS, events })
    await client.sendCommand(['ACL', 'SETUSER', 'service', '-hset'])
    t.after(() => client.sendCommand(['ACL', 'SETUSER', 'service', '+hset']))
    const names = [fresh(), fresh()]
    for (const name of names) await cache.put(name, Buffer.from('own'), 'complete')
    assert.deepEqual(
      events.filter(({ store }) => store === 'results-not-shared').map(({ level }) => level),
      ['error'],
    )
    await client.sendCommand(['ACL', 'SETUSER', 'service', '+hset'])
    await cache.put(names[0] ?? '', Buffer.from('shared'), 'complete')
    assert.equal((await (await two(t))[1].get(names[0] ?? ''))?.bytes.toString(), 'shared')
    await client.sendCommand(['ACL', 'SETUSER', 'service', '-hset'])
    await cache.put(names[1] ?? '', Buffer.from('own'), 'complete')
    assert.equal(events.filter(({ store }) => store === 'results-not-shared').length, 2)
  })
})

describe('the outcome of a leader', { skip: withoutRedis }, () => {
  /** What was told of another name. */
  async function ofAnother(t: TestContext, kind?: ResultClass): Promise<Buffer> {
    const { flights } = await openFor(t, { store: redis.confined, command_ms: PATIENT_MS })
    await client.del('assay:v1:outcome:leader')
    for (const key of await client.keys('assay:v1:outcome:*')) await client.del(key)
    const name = fresh()
    await flights.run(name, async (_, put) => {
      const bytes = Buffer.from('{"domain":"other.example"')
      if (kind !== undefined) await put?.(name, bytes, kind)
      return bytes
    })
    const [key = ''] = await client.keys('assay:v1:outcome:*')
    return client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer }).get(key) as Promise<unknown> as Promise<Buffer>
  }

  const ways: readonly [what: string, kind: ResultClass | null, isInCache: boolean, bytes_max?: number][] = [
    ['is the result in the cache, which is written once', 'incomplete', true],
    ['has the bytes of a result that does not replace a better one', 'withheld', false],
    ['has the bytes of a result that is not cached', null, false],
    ['has the bytes of a result for which the cache has no room', 'complete', false, 0],
  ]
  for (const [what, kind, isInCache, shared_max_bytes = 2 ** 26] of ways) {
    it(`${what}, and reaches those that wait at other instances`, async t => {
      const open = () => openFor(t, { store: redis.confined, command_ms: PATIENT_MS, cache: { shared_max_bytes } })
      const [one, other] = [await open(), await open()]
      const [name, bytes] = [fresh(), Buffer.from('x'.repeat(1_000))]
      if (!isInCache) await one.cache.put(name, Buffer.from('better'), 'complete')
      for (const key of await client.keys('assay:v1:outcome:*')) await client.del(key)
      let follows: Promise<Buffer> | undefined
      const led = await one.flights.run(`${name} fresh`, async (_, put) => {
        follows = other.flights.run(`${name} fresh`, () => assert.fail('one leads'))
        // So long that the other one asks for the lead meanwhile.
        await pause(100)
        if (kind !== null) await put?.(name, bytes, kind)
        return bytes
      })
      const [key = ''] = await client.keys('assay:v1:outcome:*')
      assert.deepEqual([led, await follows], [bytes, bytes])
      assert.equal((await client.strLen(key)) < 200, isInCache)
      assert.equal(await client.exists(`assay:v1:flight:${name} fresh`), 0)
    })
  }

  it('is waited for as long as it takes, whenever the lead was begun while an aborted one ended', async t => {
    const open = () => openFor(t, { store: redis.confined, command_ms: PATIENT_MS })
    const [one, other] = [await open(), await open()]
    const untilAborted = (signal: AbortSignal) =>
      new Promise<Buffer>((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))))
    const found = async () => {
      // Longer than a lead that is not renewed.
      await pause(3_000)
      return Buffer.from('found')
    }
    // Redis knows the scripts from now on, so that each is one command.
    await one.flights.run(fresh(), async () => Buffer.alloc(0))
    const lead = async (microtasks: number) => {
      const [name, leaving] = [fresh(), new AbortController()]
      const aborted = one.flights.run(name, untilAborted, leaving.signal)
      aborted.catch(() => {})
      await pause(100)
      leaving.abort()
      for (let n = 0; n < microtasks; n++) await null
      const next = one.flights.run(name, found)
      await pause(2_600)
      return [await other.flights.run(name, () => assert.fail('one leads')), await next].map(String)
    }
    for (const outcomes of await Promise.all(Array.from({ length: 8 }, (_, microtasks) => lead(microtasks))))
      assert.deepEqual(outcomes, ['found', 'found'])
  })

  it('is a result that was stored before the lead was taken', async t => {
    const [writer] = await two(t)
    const { flights } = await openFor(t, { store: redis.confined, command_ms: PATIENT_MS })
    const name = fresh()
    await writer.put(name, Buffer.from('stored'), 'complete')
    assert.equal((await flights.run(name, () => assert.fail('there is a result'))).toString(), 'stored')
    for (const alter of [() => client.hSet(entryOf(name), 'seal', 'x'), () => client.set(entryOf(name), 'no hash')]) {
      const other = await openFor(t, { store: redis.confined, command_ms: PATIENT_MS })
      await alter()
      assert.equal((await other.flights.run(name, async () => Buffer.from('found'))).toString(), 'found')
    }
  })

  const garbage: Readonly<Record<string, (t: TestContext) => Promise<Buffer>>> = {
    'a result without a seal': async () => Buffer.from('+{"domain":"evil.example"'),
    'a failure without a seal': async () => Buffer.from('-whatever'),
    nothing: async () => Buffer.alloc(0),
    'random octets': async () => randomBytes(100),
    'another name’s': ofAnother,
    'another name’s, cut': async t => (await ofAnother(t)).subarray(0, -1),
    'a result in the cache without a seal': async () => Buffer.from('=evil.example'),
    'another name’s result in the cache': t => ofAnother(t, 'complete'),
  }
  for (const [what, outcome] of Object.entries(garbage)) {
    it(`is not trusted when it is ${what}: waiting instances run the check themselves`, async t => {
      const { flights } = await openFor(t, { store: redis.confined, command_ms: PATIENT_MS })
      const name = fresh()
      const told = await outcome(t)
      await client.set('assay:v1:outcome:leader', told)
      await client.set(`assay:v1:flight:${name}`, 'leader', { PX: 300 })
      assert.equal((await flights.run(name, async () => Buffer.from('found'))).toString(), 'found')
    })
  }
})

describe('results in Redis whose writer is killed', { skip: withoutRedis }, () => {
  it('are always complete or absent', async t => {
    const script = fileURLToPath(new URL('./putting_process.ts', import.meta.url))
    let whole = 0
    for (let round = 1; round <= 3; round++) {
      const writer = spawn(process.execPath, [...testProgram(script), redis.url, freshDirectory(t)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      t.after(() => writer.kill('SIGKILL'))
      await once(writer.stdout, 'data')
      await pause(Math.random() * 100)
      writer.kill('SIGKILL')
      await once(writer, 'exit')
      const { cache } = await openFor(t, { store: redis.confined, command_ms: PATIENT_MS })
      for (let n = 0; n < 50; n++) {
        const found = await cache.get(`killed-${n}`)
        if (found === null) continue
        whole += 1
        const text = found.bytes.toString()
        assert.equal(text, bodyOf(n, Number(/"round":(\d+)/.exec(text)?.[1])))
      }
    }
    assert.ok(whole > 0)
  })
})

/** A clock that goes back by so much makes what there is seem born so much later. */
const shift = async (name: string, field: string, ms: number) => {
  const born = Number(await client.hGet(entryOf(name), field))
  assert.ok(born > 0)
  await client.hSet(entryOf(name), field, `${born + ms}`)
}

describe('a Redis whose clock changes', { skip: withoutRedis }, () => {
  const jumps: readonly [how: string, ms: number, living: boolean, standing_in: boolean][] = [
    ['back by a second', -1_000, false, false],
    ['back by an hour', -hour, false, false],
    ['back by a day', -day, false, false],
    ['on by half an hour', hour / 2, true, true],
    ['on by an hour and a tenth', 1.1 * hour, false, true],
    ['on by a day', day, false, false],
  ]
  for (const [how, ms, living, standing_in] of jumps) {
    it(`${how} makes no result permanent, and none of negative age is served`, async t => {
      const [writer, reader] = await two(t)
      const name = fresh()
      await writer.put(name, Buffer.from('kept'), 'complete')
      await shift(name, 'born', -ms)
      assert.deepEqual(await read(reader, name), [living ? 'kept' : null, standing_in ? 'kept' : null])
      assert.equal((await writer.get(name))?.bytes.toString(), 'kept', 'an instance’s own clock is never set')
      if (living) return
      await reader.put(name, Buffer.from('part'), 'incomplete')
      assert.deepEqual(await read((await two(t))[1], name), ['part', standing_in ? 'kept' : null])
    })
  }

  it('back by a day leaves no entry that uses space for a day', async t => {
    const [writer] = await two(t)
    const name = fresh()
    await writer.put(name, Buffer.from('ghost'), 'complete')
    const [order, id] = ['assay:v1:results-order', entryOf(name).split(':').at(-1) ?? '']
    const ends = Number(await client.zScore(order, id))
    assert.ok(ends > Date.now() + 23 * hour)
    await client.zAdd(order, { score: ends + day, value: id })
    await writer.put(fresh(), Buffer.from('next'), 'complete')
    assert.deepEqual([await client.exists(entryOf(name)), await client.zScore(order, id)], [0, null])
  })

  for (const [lead, end] of [
    ['for a day', { PX: day }],
    ['without an end', {}],
  ] as const) {
    it(`leaves no target locked by a dead leader whose lease is ${lead}`, async t => {
      const { flights } = await openFor(t, { store: redis.confined, command_ms: PATIENT_MS })
      const name = fresh()
      await client.set(`assay:v1:flight:${name}`, 'gone', end)
      assert.equal((await flights.run(name, async () => Buffer.from('found'))).toString(), 'found')
    })
  }

  it('back by a day leaves no target busy for a day', async t => {
    const { targets } = await openFor(t, { store: redis.confined, command_ms: PATIENT_MS })
    const name = fresh()
    const members = [1, 2].map(n => ({ score: Date.now() + day, value: `before-${n}` }))
    for (const set of ['target-running', 'target-begun']) await client.zAdd(`assay:v1:${set}:${name}`, members)
    await client.zAdd(`assay:v1:target-asked:${name}`, { score: Date.now() + day, value: 'other' })
    await client.zAdd(`assay:v1:target-order:${name}`, { score: (Date.now() + day) * 1_000, value: 'other' })
    const claim = async () => (await targets.claim(name, new Map([['a', 1]]), { at_once: 2, per_second: 5 })).key
    assert.deepEqual([await claim(), await claim(), await claim()], ['a', 'a', null])
  })

  it('back by a day leaves no reservations of a dead instance', async t => {
    const { quota } = await openFor(t, { store: redis.confined, command_ms: PATIENT_MS })
    const account = fresh()
    const [start, ends] = [bucketStart('month', Date.now()), Date.now() + day]
    await client.hSet(`assay:v1:quota-month:${account}`, { start, used: 0, 'i:gone': `1 0 5 ${ends}` })
    assert.equal((await quota.reserve(account, { quota: 5, period: 'month' })).allowed, true)
  })

  it('does not affect how long an instance caches a result from Redis', async t => {
    const [writer, reader] = await two(t)
    const name = fresh()
    await writer.put(name, Buffer.from('short'), 'complete', 1_000)
    assert.equal((await reader.get(name))?.bytes.toString(), 'short')
    await shift(name, 'born', hour)
    await pause(1_100)
    assert.equal(await reader.get(name), null)
  })
})
