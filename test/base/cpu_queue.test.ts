import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { CPU_OVER, CpuQueue, type CpuShare } from '../../src/base/cpu_queue.ts'

/** A queue whose clock runs only during steps, and whose turns run only in `turns`. */
function start() {
  let now = 0
  const scheduled: (() => void)[] = []
  const queue = new CpuQueue({ monotonic: () => now, nextTurn: turn => void scheduled.push(turn) })
  const log: string[] = []
  return {
    queue,
    log,
    /** A step that takes so long. */
    step: (name: string, ms: number) => () => {
      log.push(name)
      now += ms
    },
    /** Runs turns until none is scheduled or so many have run; returns the milliseconds of each. */
    async turns(most = Number.POSITIVE_INFINITY): Promise<number[]> {
      const taken: number[] = []
      while (scheduled.length > 0 && taken.length < most) {
        const began = now
        scheduled.shift()?.()
        await settled()
        taken.push(now - began)
      }
      return taken
    },
  }
}

/** Lets what follows the last steps run. */
const settled = () => new Promise(resolve => setImmediate(resolve))

/** Runs steps of `ms` one after another, as a check does, until `left` is used up. */
async function work(share: CpuShare, step: () => void, times: number): Promise<void> {
  for (let left = times; left > 0; left--) await share.run(step)
}

describe('the CPU queue', () => {
  it('runs a step at once while nothing waits and the turn has time left', () => {
    const { queue, log, step } = start()
    const share = queue.open('a')
    void share.run(step('first', 3))
    void share.run(step('second', 3))
    void share.run(step('third', 3))
    assert.deepEqual(log, ['first', 'second'])
  })

  it('takes 5 ms of steps in one turn of the event loop, and the step that exceeds them', async () => {
    const { queue, step, turns } = start()
    for (const name of ['a', 'b', 'c']) for (let n = 0; n < 4; n++) void queue.open(name).run(step(name, 2))
    // Three ran at once; then no step, because the turn that schedules another is counted too.
    assert.deepEqual(await turns(), [6, 6, 6, 0])
  })

  it('takes 1 ms of steps in each of the three turns after something has arrived, and the step that exceeds them', async () => {
    const { queue, step, turns } = start()
    queue.hurry()
    for (const name of ['a', 'b', 'c']) for (let n = 0; n < 4; n++) void queue.open(name).run(step(name, 2))
    assert.deepEqual(await turns(), [2, 2, 2, 6, 6, 4, 0])
  })

  it('is behind as long as turns leave steps over', async () => {
    const { queue, step, turns } = start()
    const states = () => [queue.isBehind, queue.figures().waiting]
    for (const name of ['a', 'b', 'c']) void work(queue.open(name), step(name, 4), 2)
    assert.deepEqual(states(), [false, 1])
    await turns(1)
    assert.deepEqual(states(), [true, 2])
    await turns()
    assert.deepEqual(states(), [false, 0])
  })

  it('counts the checks that wait and have used 25 ms', async () => {
    const { queue, step, turns } = start()
    for (const name of ['a', 'b']) void work(queue.open(name), step(name, 10), 4)
    const counts: number[] = []
    for (let left = await turns(1); left.length > 0; left = await turns(1)) counts.push(queue.long)
    assert.deepEqual(counts, [0, 0, 0, 1, 2, 1, 0, 0])
  })

  it('tells the longest step since it was last asked', async () => {
    const { queue, step, turns } = start()
    for (const ms of [3, 7, 4]) void queue.open('a').run(step('a', ms))
    await turns()
    assert.deepEqual([queue.takeLongest(), queue.takeLongest()], [7, 0])
  })

  it('returns what a step returns, and rejects with what it throws', async () => {
    const share = new CpuQueue().open('a')
    const fault = new Error('broken')
    assert.equal(await share.run(() => 7), 7)
    await assert.rejects(
      share.run(() => {
        throw fault
      }),
      error => error === fault,
    )
    assert.equal(await share.run(() => 8), 8)
  })

  it('rejects waiting and later steps of a check that has ended, and runs those of others', async () => {
    const { queue, log, step, turns } = start()
    const [one, other] = [queue.open('a'), queue.open('a')]
    void one.run(step('now', 9))
    const waiting = assert.rejects(one.run(step('waits', 1)), error => error === CPU_OVER)
    void other.run(step('other', 1))
    one.end()
    await waiting
    await assert.rejects(one.run(step('late', 1)), error => error === CPU_OVER)
    await turns()
    assert.deepEqual(log, ['now', 'other'])
  })

  it('runs what waits when time is up only if no other check waits', async () => {
    const { queue, log, step } = start()
    const [one, other] = [queue.open('a'), queue.open('b')]
    void one.run(step('now', 9))
    const [first, second] = [one.run(step('first', 9)), one.run(step('second', 9))]
    one.finish()
    await Promise.all([first, second])
    assert.deepEqual(log, ['now', 'first', 'second'])
    await assert.rejects(one.run(step('late', 1)), error => error === CPU_OVER)
    const next = queue.open('a')
    void other.run(step('other', 9))
    const refused = assert.rejects(next.run(step('next', 1)), error => error === CPU_OVER)
    next.finish()
    await refused
    assert.deepEqual(log, ['now', 'first', 'second'])
  })

  it('gives clients turns by the CPU time that they used, not by their number of checks or steps', async () => {
    const { queue, log, step, turns } = start()
    void queue.open('busy').run(step('busy', 9))
    for (let n = 0; n < 20; n++) void queue.open('many').run(step('many', 4))
    for (let n = 0; n < 20; n++) void queue.open('few').run(step('few', 1))
    await turns()
    const until = log.lastIndexOf('few')
    const count = (name: string) => log.slice(0, until).filter(one => one === name).length
    assert.deepEqual([count('few'), count('many')], [19, 5])
  })

  it('serves a client that comes late as often as one that was there all the time, but not more often', async () => {
    const { queue, log, step, turns } = start()
    void work(queue.open('old'), step('old', 6), 1_000)
    await turns(500)
    void work(queue.open('new'), step('new', 6), 1_000)
    log.length = 0
    await turns(20)
    assert.equal(log[0], 'new')
    assert.equal(log.filter(one => one === 'new').length, 10)
  })

  it('runs short checks of a client before long ones, and of the long ones the oldest', async () => {
    const { queue, log, step, turns } = start()
    const [old, young, short] = [queue.open('a'), queue.open('a'), queue.open('a')]
    void work(young, step('young', 10), 30)
    void work(old, step('old', 10), 30)
    await turns(12)
    log.length = 0
    void work(short, step('short', 5), 5)
    await turns(8)
    // Every fourth turn is a long check's.
    assert.deepEqual(log.filter(one => one === 'short').length, 5)
    assert.deepEqual(
      log.filter(one => one !== 'short'),
      ['old', 'old', 'old'],
    )
  })

  it('never stops a long check for the short ones of its client', async () => {
    const { queue, log, step, turns } = start()
    void work(queue.open('a'), step('long', 20), 20)
    await turns(5)
    log.length = 0
    for (let n = 0; n < 400; n++) void queue.open('a').run(step('short', 5))
    await turns(60)
    assert.deepEqual(log.slice(0, 8).toSorted(), ['long', 'long', ...Array(6).fill('short')])
    assert.equal(log.slice(0, 56).filter(one => one === 'long').length, 14)
  })

  const check = fc.record({ client: fc.constantFrom('a', 'b', 'c'), steps: fc.integer({ min: 1, max: 30 }) })

  it('runs every step of every check once and in order, whatever arrives when', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ check, ms: fc.integer({ min: 0, max: 9 }), after: fc.nat(20) }), { maxLength: 12 }),
        async arrivals => {
          const { queue, step, turns, log } = start()
          const wanted = arrivals.map(({ check }, at) => Array.from({ length: check.steps }, () => `${at}`))
          for (const [at, { check, ms, after }] of arrivals.entries()) {
            await turns(after)
            const share = queue.open(check.client)
            void work(share, step(`${at}`, ms), check.steps).then(share.end)
          }
          const taken = await turns()
          assert.deepEqual(log.toSorted(), wanted.flat().toSorted())
          assert.ok(taken.every(ms => ms < 5 + 9))
        },
      ),
      { numRuns: 60 },
    )
  })

  it('gives busy clients the same time to within a step, whatever their checks and steps', async () => {
    const client = fc.record({ checks: fc.integer({ min: 1, max: 6 }), ms: fc.integer({ min: 1, max: 9 }) })
    await fc.assert(
      fc.asyncProperty(fc.array(client, { minLength: 2, maxLength: 4 }), async clients => {
        const { queue, log, step, turns } = start()
        for (const [at, { checks, ms }] of clients.entries())
          for (let n = 0; n < checks; n++) void work(queue.open(`${at}`), step(`${at}`, ms), 600)
        await turns(2)
        log.length = 0
        await turns(100)
        const used = clients.map(({ ms }, at) => ms * log.filter(name => name === `${at}`).length)
        const longest = Math.max(...clients.map(({ ms }) => ms))
        assert.ok(Math.max(...used) - Math.min(...used) <= 2 * longest, `${used}`)
      }),
      { numRuns: 60 },
    )
  })
})
