// Checks of one target that wait for each other, on a fake clock, with a share that responds at once or later.
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import fc from 'fast-check'
import { createTargetQueue } from '../../src/api/fair_queue.ts'
import { createLocalTargetShare, type TargetLimits, type TargetShare } from '../../src/store/target_share.ts'

const polite: TargetLimits = { at_once: 2, per_second: 5 }

const shares = {
  'at once': (monotonic: () => number): TargetShare => createLocalTargetShare(monotonic),
  later: (monotonic: () => number): TargetShare => {
    const local = createLocalTargetShare(monotonic)
    return { ...local, claim: async (...asked) => local.claim(...asked) }
  },
} as const

interface Check {
  readonly key: string
  /** `waits`, `runs`, `done`, or the code of its refusal. */
  state: string
  retry_after: string | null
  end(): Promise<void>
  leave(): Promise<void>
}

const settled = async () => {
  for (let n = 0; n < 5; n++) await new Promise(resolve => setImmediate(resolve))
}

interface Stage {
  readonly limits?: TargetLimits
  readonly wait_ms?: number
  readonly share?: keyof typeof shares
}

type Clock = Pick<TestContext['mock'], 'timers'>

/** Checks that end on demand. */
function stage({ timers }: Clock, { limits = polite, wait_ms = 3_000, share = 'at once' }: Stage = {}) {
  timers.enable({ apis: ['setTimeout'] })
  let now = 0
  const monotonic = () => now
  const queue = createTargetQueue({ limits, share: shares[share](monotonic), monotonic, wait_ms })
  const checks: Check[] = []
  const ask = (key: string, target = 'victim.com') => {
    const leaving = new AbortController()
    let finish = () => {}
    const ended = new Promise<void>(resolve => {
      finish = resolve
    })
    const check: Check = {
      key,
      state: 'waits',
      retry_after: null,
      end: () => {
        finish()
        return settled()
      },
      leave: () => {
        leaving.abort({ code: 'left' })
        return settled()
      },
    }
    const work = async () => {
      check.state = 'runs'
      await ended
    }
    queue.run({ target, key, signal: leaving.signal, wait_ms: 60_000 }, work).then(
      () => {
        check.state = 'done'
      },
      ({ code, headers }) => {
        check.state = code
        check.retry_after = headers?.['Retry-After'] ?? null
      },
    )
    checks.push(check)
    return check
  }
  const pass = async (ms: number) => {
    now += ms
    timers.tick(ms)
    await settled()
  }
  const states = () => checks.map(({ state }) => state)
  const over = () => {
    timers.reset()
  }
  return { queue, checks, ask, pass, states, over, now: monotonic }
}

for (const share of ['at once', 'later'] as const) {
  describe(`checks of one target, with a share that responds ${share}`, () => {
    it('run two at once; a third waits until one has ended, and other targets do not wait', async t => {
      const { ask, states } = stage(t.mock, { share })
      const first = ask('a')
      for (let n = 0; n < 2; n++) ask('a')
      ask('a', 'bystander.com')
      await settled()
      assert.deepEqual(states(), ['runs', 'runs', 'waits', 'runs'])
      await first.end()
      assert.deepEqual(states(), ['done', 'runs', 'runs', 'runs'])
    })

    it('start five per second; a sixth waits for the next second', async t => {
      const { checks, ask, pass, states } = stage(t.mock, { share })
      for (let n = 0; n < 7; n++) {
        ask('a')
        await settled()
        await checks[n]?.end()
        await pass(10)
      }
      assert.deepEqual(states(), [...Array(5).fill('done'), 'waits', 'waits'])
      await pass(1_000 - 70)
      assert.deepEqual(states().slice(5), ['done', 'waits'])
      await pass(10)
      assert.deepEqual(states().slice(5), ['done', 'done'])
    })

    it('are refused after waiting, with the time of their next turn', async t => {
      const { queue, ask, pass, states, checks } = stage(t.mock, { share })
      for (let n = 0; n < 4; n++) ask('a')
      await settled()
      await pass(2_999)
      assert.deepEqual(states(), ['runs', 'runs', 'waits', 'waits'])
      await pass(1)
      assert.deepEqual(states(), ['runs', 'runs', 'target-busy', 'target-busy'])
      // No turn for three seconds: with another waiter ahead it takes twice as long.
      assert.deepEqual(
        checks.slice(2).map(({ retry_after }) => retry_after),
        ['6', '3'],
      )
      assert.equal(queue.waiting, 0)
    })

    it('wait only if they can start in time, whatever one key sends; others are refused at once', async t => {
      const { queue, ask, states, checks } = stage(t.mock, { share })
      for (let n = 0; n < 2; n++) ask('a')
      await settled()
      for (let n = 0; n < 1_000; n++) ask('a')
      await settled()
      assert.equal(queue.waiting, 15)
      assert.deepEqual(states().slice(2, 17), Array(15).fill('waits'))
      assert.deepEqual(new Set(states().slice(17)), new Set(['target-busy']))
      assert.equal(checks.at(-1)?.retry_after, '4')
      const other = ask('b')
      await settled()
      assert.deepEqual([other.state, checks[16]?.state, checks[15]?.state], ['waits', 'target-busy', 'waits'])
      await checks[0]?.end()
      await checks[1]?.end()
      assert.deepEqual([other.state, checks[2]?.state], ['runs', 'runs'])
    })

    it('leave the last slot to recently active keys, so that slow checks of one key block nobody', async t => {
      const { ask, pass } = stage(t.mock, { share, wait_ms: 60_000 })
      const slow = [ask('a'), ask('a'), ask('a'), ask('a')]
      await settled()
      const other = ask('b')
      await slow[0]?.end()
      assert.deepEqual([other.state, slow[2]?.state], ['runs', 'waits'])
      await other.end()
      assert.equal(slow[2]?.state, 'waits')
      await pass(5_000)
      const again = ask('b')
      await settled()
      assert.equal(again.state, 'runs')
      await again.end()
      await pass(9_999)
      assert.equal(slow[2]?.state, 'waits')
      await pass(1)
      assert.deepEqual([slow[2]?.state, slow[3]?.state], ['runs', 'waits'])
    })

    it('free their slot when their client leaves, waiting or running', async t => {
      const { queue, ask, states, checks } = stage(t.mock, { share, limits: { at_once: 1, per_second: 100 } })
      for (let n = 0; n < 3; n++) ask('a')
      await settled()
      await checks[1]?.leave()
      assert.deepEqual([states(), queue.waiting], [['runs', 'left', 'waits'], 1])
      await checks[0]?.end()
      assert.deepEqual(states(), ['done', 'left', 'runs'])
    })

    it('never exceed the limits, and starve no key', async t => {
      const step = fc.oneof(
        { weight: 4, arbitrary: fc.record({ asks: fc.constantFrom('a', 'a', 'a', 'b', 'c') }) },
        { weight: 3, arbitrary: fc.record({ ends: fc.nat(3) }) },
        { weight: 1, arbitrary: fc.record({ leaves: fc.nat(30) }) },
        { weight: 3, arbitrary: fc.record({ passes: fc.integer({ min: 1, max: 400 }) }) },
      )
      const limits = fc.record({ at_once: fc.integer({ min: 1, max: 3 }), per_second: fc.integer({ min: 1, max: 6 }) })
      await fc.assert(
        fc.asyncProperty(limits, fc.array(step, { maxLength: 60 }), async (limits, steps) => {
          const { checks, ask, pass, over, now } = stage(t.mock, { share, limits, wait_ms: 1_000 })
          const began: number[] = []
          const seen = new Set<Check>()
          /** Turns of others since a key waits without a slot. */
          const others = new Map<string, string[]>()
          const running = () => checks.filter(({ state }) => state === 'runs')
          const look = () => {
            const fresh = running().filter(check => !seen.has(check))
            for (const check of fresh) {
              seen.add(check)
              began.push(now())
            }
            assert.ok(running().length <= limits.at_once)
            const second = began.filter(at => at > now() - 1_000)
            assert.ok(second.length <= limits.per_second, `${second}`)
            for (const key of ['a', 'b', 'c']) {
              const waits = checks.some(check => check.key === key && check.state === 'waits')
              const holds = running().some(check => check.key === key)
              if (!waits || holds) others.delete(key)
              else if (others.has(key)) others.get(key)?.push(...fresh.map(check => check.key))
              else others.set(key, [])
              const had = others.get(key) ?? []
              assert.equal(new Set(had).size, had.length, `${key} waited for turns of ${had}`)
            }
          }
          for (const step of steps) {
            if ('asks' in step) ask(step.asks)
            else if ('ends' in step) await running()[step.ends]?.end()
            else if ('leaves' in step) {
              const check = checks[step.leaves]
              if (check?.state === 'waits') await check.leave()
            } else await pass(step.passes)
            await settled()
            look()
          }
          while (running().length > 0) {
            for (const check of running()) await check.end()
            look()
          }
          await pass(1_000)
          over()
        }),
        { numRuns: 60 },
      )
    })
  })
}

describe('a check whose client leaves while it claims a slot', () => {
  it('keeps no slot', async t => {
    const { ask } = stage(t.mock, { share: 'later', limits: { at_once: 1, per_second: 100 } })
    const left = ask('a')
    await Promise.all([left.leave(), settled()])
    const next = ask('b')
    await settled()
    assert.deepEqual([left.state, next.state], ['left', 'runs'])
  })
})
