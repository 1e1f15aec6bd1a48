// Turns are fair to keys, whichever arrive, leave or are refused.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createFairQueue } from '../../src/api/fair_queue.ts'

const refused = new Error('refused')
const never = new AbortController().signal

/** A queue that records what became of each waiter. */
function recorded() {
  const queue = createFairQueue<string>()
  const outcomes: string[] = []
  const wait = (key: string, signal = never, background = false) => {
    const name = `${key}${outcomes.length}`
    outcomes.push(name)
    const settle = (outcome: string) => {
      outcomes[outcomes.indexOf(name)] = `${name} ${outcome}`
    }
    queue
      .wait({ key, background, signal, wait_ms: 60_000, refusal: () => refused })
      .then(settle, (error: Error) => settle(error.message))
  }
  return { queue, outcomes, wait }
}

const settled = () => new Promise(resolve => setImmediate(resolve))

describe('a fair queue', () => {
  it('rotates between keys in order of arrival, and serves each key’s waiters in order', async () => {
    const { queue, outcomes, wait } = recorded()
    for (const key of 'aaabbc') wait(key)
    for (let turn = 1; turn <= 6; turn++) queue.admit(`${turn}`)
    await settled()
    assert.deepEqual(outcomes, ['a0 1', 'a1 4', 'a2 6', 'b3 2', 'b4 5', 'c5 3'])
    assert.equal(queue.admit('7'), false)
  })

  it('gives every second turn of a key to its newest waiter when asked to', async () => {
    const { queue, outcomes, wait } = recorded()
    for (const key of 'aaaabb') wait(key)
    for (let turn = 1; turn <= 6; turn++) queue.admit(`${turn}`, undefined, true)
    await settled()
    assert.deepEqual(outcomes, ['a0 1', 'a1 5', 'a2 6', 'a3 3', 'b4 2', 'b5 4'])
  })

  it('refuses the longest waiter of a key to make room for a newer one', async () => {
    const { queue, outcomes, wait } = recorded()
    for (const key of 'baa') wait(key)
    assert.deepEqual([queue.replace('a'), queue.replace('c')], [true, false])
    while (queue.admit('served'));
    await settled()
    assert.deepEqual(outcomes, ['b0 served', 'a1 refused', 'a2 served'])
  })

  it('serves the background last, in turn, and lets it make room first', async () => {
    const { queue, outcomes, wait } = recorded()
    for (const key of 'xxy') wait(key, never, true)
    for (const key of 'aa') wait(key)
    assert.deepEqual([...queue.counts().keys()], ['a', 'x', 'y'])
    assert.deepEqual([queue.ahead('b'), queue.ahead('y')], [1, 3])
    assert.deepEqual([queue.canDisplace('a'), queue.canDisplace('z', true)], [true, true])
    assert.equal(queue.displace('a'), true)
    for (let turn = 1; turn <= 4; turn++) queue.admit(`${turn}`)
    await settled()
    assert.deepEqual(outcomes, ['x0 3', 'x1 refused', 'y2 4', 'a3 1', 'a4 2'])
    assert.equal(queue.canDisplace('a'), false)
  })

  it('can serve a given key, and moves only that key to the back', () => {
    const { queue, wait } = recorded()
    for (const key of 'abbc') wait(key)
    assert.equal(queue.admit('1', 'b'), true)
    assert.deepEqual([...queue.counts()], [...new Map(Object.entries({ a: 1, c: 1, b: 1 }))])
    assert.equal(queue.admit('2', 'd'), false)
    while (queue.admit('rest'));
  })

  it('counts the turns of others before a new waiter', () => {
    const { queue, wait } = recorded()
    for (const key of 'aaaabb') wait(key)
    assert.deepEqual(
      ['a', 'b', 'c'].map(key => queue.ahead(key)),
      [6, 5, 2],
    )
    while (queue.admit('rest'));
  })

  it('makes room by refusing the newest waiter of the key with most waiters, if that has two more', async () => {
    const { queue, outcomes, wait } = recorded()
    for (const key of 'aaab') wait(key)
    const displaced = ['b', 'c', 'c'].map(key => queue.displace(key))
    await settled()
    assert.deepEqual(displaced, [true, true, false])
    assert.deepEqual(outcomes, ['a0', 'a1 refused', 'a2 refused', 'b3'])
    while (queue.admit('rest'));
  })

  it('lets a waiter leave, even before it is queued', async () => {
    const { queue, outcomes, wait } = recorded()
    const leaving = new AbortController()
    wait('a', leaving.signal)
    wait('b')
    leaving.abort(new Error('left'))
    wait('c', leaving.signal)
    await settled()
    assert.deepEqual([outcomes, queue.size, queue.has('a')], [['a0 left', 'b1', 'c2 left'], 1, false])
    queue.admit('1')
  })

  it('refuses a waiter after its time limit, unless its turn comes at the last moment', async t => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const queue = createFairQueue<string>()
    const waiting = { signal: never, wait_ms: 100, refusal: () => refused }
    const outcomes = [
      queue.wait({ ...waiting, key: 'a', expiring: isWaiting => void (isWaiting() && queue.admit('at last')) }),
      queue.wait({ ...waiting, key: 'b' }),
    ]
    t.mock.timers.tick(100)
    assert.deepEqual(await Promise.allSettled(outcomes), [
      { status: 'fulfilled', value: 'at last' },
      { status: 'rejected', reason: refused },
    ])
    assert.equal(queue.size, 0)
  })

  const steps = fc.array(
    fc.oneof(
      fc.record({ does: fc.constant('wait' as const), key: fc.constantFrom('a', 'a', 'a', 'b', 'c', 'd') }),
      fc.record({ does: fc.constant('leave' as const), which: fc.nat(20) }),
      fc.record({ does: fc.constant('displace' as const), key: fc.constantFrom('a', 'b', 'c') }),
      fc.record({ does: fc.constant('admit' as const) }),
    ),
    { maxLength: 60 },
  )

  it('starves no key: while one waits, no other has two turns', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async steps => {
        const queue = createFairQueue<void>()
        const leaving: AbortController[] = []
        const turns: string[] = []
        /** Turns of others since a key started to wait or had its turn. */
        const others = new Map<string, string[]>()
        for (const step of steps) {
          if (step.does === 'wait') {
            const left = new AbortController()
            leaving.push(left)
            const { key } = step
            if (!queue.has(key)) others.set(key, [])
            queue
              .wait({ key, signal: left.signal, wait_ms: 60_000, refusal: () => refused })
              .then(() => turns.push(key))
              .catch(() => {})
          } else if (step.does === 'leave') leaving[step.which]?.abort()
          else if (step.does === 'displace') queue.displace(step.key)
          else {
            const waiting = queue.counts()
            const before = turns.length
            assert.equal(queue.admit(), waiting.size > 0)
            await settled()
            const [had] = turns.slice(before)
            assert.equal(had, [...waiting.keys()][0])
            for (const key of waiting.keys()) {
              const since = key === had ? [] : [...(others.get(key) ?? []), had ?? '']
              assert.equal(new Set(since).size, since.length, `${key} waited for turns of ${since}`)
              others.set(key, since)
            }
          }
          const counts = [...queue.counts().values()]
          assert.equal(
            queue.size,
            counts.reduce((sum, count) => sum + count, 0),
          )
        }
        for (const left of leaving) left.abort()
        assert.equal(queue.size, 0)
      }),
      { numRuns: 100 },
    )
  })
})
