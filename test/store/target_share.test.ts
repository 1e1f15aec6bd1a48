// Whose turn it is at a target: in one process, and between two instances on a real Redis.
import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import fc from 'fast-check'
import { createLink, type RedisLink, type RunCommand } from '../../src/store/redis/link.ts'
import { createTargetShare } from '../../src/store/redis/target_share.ts'
import {
  type Claim,
  createLocalTargetShare,
  type TargetLimits,
  type TargetShare,
} from '../../src/store/target_share.ts'
import { type RedisServer, startRedis, withoutRedis } from '../redis_server.ts'
import { PATIENT_MS } from './backends.ts'

const polite: TargetLimits = { at_once: 2, per_second: 1_000 }

let names = 0
const fresh = () => `d${++names}-${process.pid}.com`

const granted = (claim: Claim) => (claim.key === null ? assert.fail(`no place: ${claim.wait_ms}`) : claim)

/** Keys in the order of their turns, each with what it waits for. */
const waiting = (...counts: readonly (readonly [string, number])[]) => new Map(counts)

describe('the slots of one process', () => {
  const on = () => {
    const clock = { now: 0 }
    return { clock, share: createLocalTargetShare(() => clock.now) }
  }

  it('are given to the first waiting key, up to the limit', () => {
    const { share } = on()
    const first = granted(share.claim('a.com', waiting(['a', 1], ['b', 1]), polite))
    const second = granted(share.claim('a.com', waiting(['b', 1], ['c', 1]), polite))
    assert.deepEqual([first.key, second.key], ['a', 'b'])
    assert.deepEqual(share.claim('a.com', waiting(['c', 1]), polite), { key: null, wait_ms: null })
    assert.equal(granted(share.claim('b.com', waiting(['c', 1]), polite)).key, 'c')
    first.leave()
    first.leave()
    assert.equal(granted(share.claim('a.com', waiting(['c', 1]), polite)).key, 'c')
    assert.equal(share.claim('a.com', waiting(['d', 1]), polite).key, null)
  })

  it('are limited per second, with the time of the next one', () => {
    const { clock, share } = on()
    const limits = { at_once: 10, per_second: 2 }
    for (const at of [0, 300]) {
      clock.now = at
      granted(share.claim('a.com', waiting(['a', 1]), limits))
    }
    clock.now = 400
    assert.deepEqual(share.claim('a.com', waiting(['a', 1]), limits), { key: null, wait_ms: 600 })
    clock.now = 1_000
    granted(share.claim('a.com', waiting(['a', 1]), limits))
    assert.deepEqual(share.claim('a.com', waiting(['a', 1]), limits), { key: null, wait_ms: 300 })
  })

  it('are all given to one key only if no other asked within ten seconds', () => {
    const { clock, share } = on()
    granted(share.claim('a.com', waiting(['b', 1]), polite)).leave()
    granted(share.claim('a.com', waiting(['a', 2]), polite))
    clock.now = 4_000
    assert.deepEqual(share.claim('a.com', waiting(['a', 1]), polite), { key: null, wait_ms: 6_000 })
    clock.now = 10_000
    granted(share.claim('a.com', waiting(['a', 1]), polite))
  })

  it('are given one at a time if the limit is one, whoever has asked', () => {
    const { share } = on()
    const limits = { at_once: 1, per_second: 1_000 }
    granted(share.claim('a.com', waiting(['b', 1]), limits)).leave()
    granted(share.claim('a.com', waiting(['a', 2]), limits)).leave()
    granted(share.claim('a.com', waiting(['a', 1]), limits))
  })

  it('are counted while they are held, however many other targets are checked', () => {
    const { share } = on()
    for (let n = 0; n < 20_000; n++) granted(share.claim(`d${n}.com`, waiting(['a', 1]), polite)).leave()
    const limits = { at_once: 1, per_second: 1 }
    granted(share.claim('a.com', waiting(['a', 1]), limits))
    assert.equal(share.claim('a.com', waiting(['a', 1]), limits).key, null)
  })
})

describe('the slots of two instances on one Redis', { skip: withoutRedis }, () => {
  let redis: RedisServer
  before(async () => {
    redis = await startRedis()
  })
  after(() => redis.stop())

  /** `silent_ms`: long where nobody is to be passed over, however busy the machine is. */
  async function instances(t: TestContext, silent_ms = 9_000) {
    const connect = async () => {
      const link: RedisLink = createLink({ url: redis.confined, command_ms: PATIENT_MS })
      await link.start()
      t.after(() => link.close())
      return link
    }
    const links = [await connect(), await connect()] as const
    const shareOf = (link: RedisLink) =>
      createTargetShare(
        link.run,
        createLocalTargetShare(() => performance.now()),
        silent_ms,
      )
    /** Waits until Redis knows what was given back. */
    const running = async (target: string, checks: number) => {
      const end = performance.now() + PATIENT_MS
      const count = () => links[0].run(client => client.zCard(`assay:v1:target-running:${target}`))
      while ((await count()) !== checks) assert.ok(performance.now() < end)
    }
    return { links, running, one: shareOf(links[0]), two: shareOf(links[1]) }
  }

  it('are as many as those of one instance', async t => {
    const { one, two, running } = await instances(t)
    const target = fresh()
    const first = granted(await one.claim(target, waiting(['a', 1]), polite))
    granted(await two.claim(target, waiting(['a', 1]), polite))
    for (const share of [one, two]) {
      const { key, ...rest } = await share.claim(target, waiting(['a', 1]), polite)
      assert.deepEqual([key, rest], [null, { wait_ms: 50 }])
    }
    first.leave()
    await running(target, 1)
    granted(await two.claim(target, waiting(['a', 1]), polite))
  })

  it('are limited per second', async t => {
    const { one, two } = await instances(t)
    const [target, limits] = [fresh(), { at_once: 10, per_second: 2 }]
    granted(await one.claim(target, waiting(['a', 1]), limits)).leave()
    granted(await two.claim(target, waiting(['a', 1]), limits)).leave()
    const claim = await one.claim(target, waiting(['a', 1]), limits)
    assert.ok(claim.key === null && claim.wait_ms !== null && claim.wait_ms > 0 && claim.wait_ms <= 1_000)
  })

  it('rotate between keys across instances', async t => {
    const { one, two, running } = await instances(t)
    const [target, limits] = [fresh(), { at_once: 1, per_second: 1_000 }]
    const order: string[] = []
    let held = granted(await one.claim(target, waiting(['a', 9]), limits))
    assert.equal((await one.claim(target, waiting(['a', 8]), limits)).key, null)
    assert.equal((await two.claim(target, waiting(['b', 4], ['c', 1]), limits)).key, null)
    const left = { a: 8, b: 4, c: 1 }
    for (let turn = 0; turn < 6; turn++) {
      held.leave()
      await running(target, 0)
      // The first instance always asks first, and has its turn no sooner for it.
      const claims = [
        await one.claim(target, waiting(['a', left.a]), limits),
        await two.claim(target, waiting(['b', left.b], ...(left.c > 0 ? [['c', left.c] as const] : [])), limits),
      ]
      const given = claims.filter(claim => claim.key !== null)
      assert.equal(given.length, 1)
      held = granted(given[0] ?? assert.fail())
      order.push(held.key)
      left[held.key as keyof typeof left] -= 1
    }
    assert.deepEqual(order, ['a', 'b', 'c', 'a', 'b', 'a'])
  })

  it('are not all given to one key if another key asked recently at another instance', async t => {
    const { one, two, running } = await instances(t)
    const target = fresh()
    granted(await two.claim(target, waiting(['b', 1]), polite)).leave()
    await running(target, 0)
    granted(await one.claim(target, waiting(['a', 2]), polite))
    assert.deepEqual(await one.claim(target, waiting(['a', 1]), polite), { key: null, wait_ms: 50 })
    granted(await two.claim(target, waiting(['b', 1]), polite))
  })

  it('are not reserved for a key that left or whose instance is gone', async t => {
    const [target, limits] = [fresh(), { at_once: 1, per_second: 1_000 }]
    const { one, two } = await instances(t)
    const held = granted(await one.claim(target, waiting(['a', 1]), limits))
    await two.claim(target, waiting(['b', 1]), limits)
    await one.claim(target, waiting(['c', 1]), limits)
    held.leave()
    two.withdraw(target, 'b')
    const next = granted(await claimed(one, target, ['c', 1], limits))
    await two.claim(target, waiting(['b', 1]), limits)
    const impatient = await instances(t, 100)
    next.leave()
    granted(await claimed(impatient.one, target, ['d', 1], limits))
  })

  it('leave nothing in Redis that does not expire', async t => {
    const { links, one, running } = await instances(t)
    const target = fresh()
    one.withdraw(target, 'a')
    granted(await one.claim(target, waiting(['a', 1]), polite)).leave()
    await running(target, 0)
    granted(await one.claim(target, waiting(['b', 1]), polite))
    one.withdraw(target, 'a')
    const keys = ['running', 'begun', 'asked', 'order'].map(part => `assay:v1:target-${part}:${target}`)
    const lives = await links[0].run(client => Promise.all(keys.map(key => client.pTTL(key))))
    assert.ok(
      lives.every(ms => ms > 0 && ms <= 10_000),
      `${lives}`,
    )
    const never = fresh()
    one.withdraw(never, 'a')
    assert.equal(await links[0].run(client => client.exists(`assay:v1:target-asked:${never}`)), 0)
  })

  it('are released when it is unknown whether they were granted', async t => {
    const { links, two } = await instances(t)
    const [target, limits] = [fresh(), { at_once: 1, per_second: 1_000 }]
    let answers = false
    const deaf: RunCommand = async command => {
      const reply = await links[0].run(command)
      if (!answers) throw new Error('not answered')
      return reply
    }
    const one = createTargetShare(
      Object.assign(deaf, { key: links[0].run.key }),
      createLocalTargetShare(() => performance.now()),
    )
    // Each instance keeps to the limits alone then.
    const alone = granted(await one.claim(target, waiting(['a', 1]), limits))
    assert.deepEqual(await one.claim(target, waiting(['a', 1]), limits), { key: null, wait_ms: null })
    answers = true
    granted(await claimed(two, target, ['b', 1], limits)).leave()
    alone.leave()
  })

  it('never exceed the limit, and starve no key: while one waits, no other gets the last slot twice', async t => {
    const { one, two, running: known } = await instances(t)
    const shares = [one, two]
    const steps = fc.array(
      fc.oneof(
        { weight: 4, arbitrary: fc.record({ asks: fc.constantFrom('a', 'a', 'b', 'c'), at: fc.nat(1) }) },
        { weight: 4, arbitrary: fc.record({ ends: fc.nat(1) }) },
        { weight: 1, arbitrary: fc.record({ leaves: fc.constantFrom('a', 'b', 'c'), at: fc.nat(1) }) },
      ),
      { minLength: 10, maxLength: 40 },
    )
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 3 }), steps, async (at_once, steps) => {
        const target = fresh()
        const limits = { at_once, per_second: 1_000_000 }
        /** What waits at each instance, and the places that are taken. */
        const queues = [new Map<string, number>(), new Map<string, number>()] as const
        const running: { key: string; leave(): void }[] = []
        const others = new Map<string, string[]>()
        // A slot beside the last one takes nothing from a key whose instance has yet to claim.
        const look = (given: readonly string[]) => {
          assert.ok(running.length <= at_once)
          const had = running.length < at_once ? [] : given
          for (const key of ['a', 'b', 'c']) {
            const waits = queues.some(queue => queue.has(key))
            if (!waits || given.includes(key) || running.some(place => place.key === key)) others.delete(key)
            else others.set(key, [...(others.get(key) ?? []), ...had])
            const turns = others.get(key) ?? []
            assert.equal(new Set(turns).size, turns.length, `${key} waited for turns of ${turns}`)
          }
        }
        const claimAll = async () => {
          for (let given = true; given; ) {
            given = false
            for (const [n, share] of shares.entries()) {
              const queue = queues[n as 0 | 1]
              if (queue.size === 0) continue
              const claim = await share.claim(target, queue, limits)
              if (claim.key === null) continue
              given = true
              const left = (queue.get(claim.key) ?? 0) - 1
              queue.delete(claim.key)
              if (left > 0) queue.set(claim.key, left)
              running.push(claim)
              look([claim.key])
            }
          }
        }
        for (const step of steps) {
          if ('asks' in step) {
            const queue = queues[step.at as 0 | 1]
            queue.set(step.asks, (queue.get(step.asks) ?? 0) + 1)
          } else if ('ends' in step) {
            for (const place of running.splice(step.ends % Math.max(1, running.length), 1)) place.leave()
            await known(target, running.length)
          } else if (queues[step.at as 0 | 1].delete(step.leaves)) shares[step.at]?.withdraw(target, step.leaves)
          look([])
          await claimAll()
        }
        for (const place of running.splice(0)) place.leave()
        await claimAll()
        for (const place of running) place.leave()
      }),
      { numRuns: 60 },
    )
  })
})

/** Claims until there is a place: what was left or withdrawn by another connection may reach Redis later. */
async function claimed(share: TargetShare, target: string, key: readonly [string, number], limits: TargetLimits) {
  const end = performance.now() + PATIENT_MS
  for (;;) {
    const claim = await share.claim(target, waiting(key), limits)
    if (claim.key !== null || performance.now() > end) return claim
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}
