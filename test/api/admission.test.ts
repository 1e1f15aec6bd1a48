// Which checks are admitted, wait and are refused.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createAdmission } from '../../src/api/admission.ts'
import { turn, turns } from './event_loop.ts'

const asked = { signal: new AbortController().signal }
const overloaded = { name: 'Problem', code: 'overloaded', status: 503, headers: { 'Retry-After': '1' } }

/** Work that ends on demand. */
function job() {
  const { promise, resolve, reject } = withResolvers<string>()
  const state = { started: false, finish: () => resolve('done'), fail: (error: Error) => reject(error) }
  const work = () => {
    state.started = true
    return promise
  }
  return { state, work }
}

function withResolvers<T>() {
  let resolve: (value: T) => void = () => {}
  let reject: (error: Error) => void = () => {}
  const promise = new Promise<T>((fulfil, fail) => {
    resolve = fulfil
    reject = fail
  })
  return { promise, resolve, reject }
}

const isSettled = (promise: Promise<unknown>) => Promise.race([promise.then(() => true), turns().then(() => false)])

describe('admission', () => {
  it('runs as many at once as there are slots, and the rest in order of arrival', async () => {
    // A busy machine may take longer than a check may hold its slot.
    const admission = createAdmission({ limit: 2, slow_ms: 60_000, wait_ms: 60_000 })
    const jobs = Array.from({ length: 5 }, job)
    const results = jobs.map(({ work }) => admission.run(work, asked))
    await turns()
    const started = () => jobs.map(({ state }) => state.started)
    assert.deepEqual(started(), [true, true, false, false, false])
    jobs[1]?.state.finish()
    await turns()
    assert.deepEqual(started(), [true, true, true, false, false])
    for (const { state } of jobs) {
      state.finish()
      await turns()
    }
    assert.deepEqual(await Promise.all(results), Array(5).fill('done'))
  })

  it('starts checks of a key that has fewer than another while turns are long, although that holds all slots', async () => {
    const admission = createAdmission({ limit: 64, slow_ms: 60_000, wait_ms: 60_000, burst_ms: 60_000 })
    let isBusy = true
    // Longer than a turn in which work starts.
    const burn = () => {
      const end = performance.now() + 12
      while (performance.now() < end);
      if (isBusy) setImmediate(burn)
    }
    burn()
    const [many, few] = [Array.from({ length: 20 }, job), Array.from({ length: 10 }, job)]
    const started = (jobs: typeof many) => jobs.filter(({ state }) => state.started).length
    const results = many.map(({ work }) => admission.run(work, { ...asked, key: 'many' }))
    while (started(many) < 8) await turns()
    await turns()
    assert.equal(started(many), 8)
    results.push(...few.map(({ work }) => admission.run(work, { ...asked, key: 'few' })))
    while (started(few) < 7) await turns()
    await turns()
    assert.deepEqual([started(many), started(few)], [8, 7])
    isBusy = false
    for (const { state } of [...many, ...few]) state.finish()
    assert.equal((await Promise.all(results)).length, 30)
  })

  it('runs no more than eight checks while the CPU is busy with them', async () => {
    const cpu = { isBehind: true, long: 0 }
    const admission = createAdmission({ limit: 64, slow_ms: 60_000, wait_ms: 60_000, burst_ms: 60_000, cpu })
    const jobs = Array.from({ length: 20 }, job)
    const results = jobs.map(({ work }) => admission.run(work, asked))
    for (let n = 0; n < 10; n++) await turns()
    assert.deepEqual([admission.running, admission.waiting], [8, 12])
    cpu.isBehind = false
    while (admission.waiting > 0) await turns()
    for (const { state } of jobs) state.finish()
    assert.equal((await Promise.all(results)).length, 20)
  })

  it('does not count long checks among the eight', async () => {
    const admission = createAdmission({ limit: 64, slow_ms: 60_000, wait_ms: 60_000, cpu: { isBehind: true, long: 5 } })
    const jobs = Array.from({ length: 20 }, job)
    const results = jobs.map(({ work }) => admission.run(work, asked))
    for (let n = 0; n < 10; n++) await turns()
    assert.deepEqual([admission.running, admission.waiting], [13, 7])
    for (const { state } of jobs) state.finish()
    assert.equal((await Promise.all(results)).length, 20)
  })

  for (const [long, whose, order, refused] of [
    [0, 'starts in order of arrival and refuses the newest', [0, 1, 2, 3, 4, 5], 6],
    [1, 'starts the oldest and the newest in turn and refuses the oldest', [0, 1, 3, 6, 4, 5], 2],
  ] as const) {
    it(`${whose} when no more can wait and ${long} checks are long`, async () => {
      const admission = createAdmission({ limit: 2, slow_ms: 60_000, wait_ms: 60_000, cpu: { isBehind: false, long } })
      const jobs = Array.from({ length: 7 }, job)
      const started: number[] = []
      const run = (at: number) => {
        const begin = () => {
          started.push(at)
          return jobs[at]?.work() ?? Promise.reject()
        }
        return admission.run(begin, asked)
      }
      const results = [run(0), run(1)]
      await turns()
      results.push(...[2, 3, 4, 5, 6].map(run))
      const ends = Promise.allSettled(results)
      for (const { state } of jobs) {
        state.finish()
        await turns()
      }
      assert.deepEqual(started, order)
      assert.equal((await ends).map(({ status }) => status).indexOf('rejected'), refused)
    })
  }

  it('starts a check later while connections arrive, but not later than 50 ms, and others at once for as long again', async () => {
    let now = 0
    const admission = createAdmission({ limit: 99, slow_ms: 60_000, wait_ms: 60_000, monotonic: () => now })
    const jobs = Array.from({ length: 99 }, job)
    const results = jobs.map(({ work }) => admission.run(work, asked))
    const startedIn = async (ms: number) => {
      const before = admission.running
      for (const end = now + ms; now < end; now++) {
        admission.postpone()
        await turn()
      }
      return admission.running - before
    }
    assert.equal(await startedIn(50), 0)
    // So many start even when the turns of a busy machine are long.
    assert.ok((await startedIn(50)) >= 8)
    assert.ok((await startedIn(50)) <= 1)
    while (admission.waiting > 0) await turns()
    for (const { state } of jobs) state.finish()
    await Promise.all(results)
  })

  it('admits the next one when a slot is free, however long others waited without one', async () => {
    const admission = createAdmission({ limit: 1, wait_ms: 100, burst_ms: 0, slow_ms: 60_000 })
    const long = job()
    const held = admission.run(long.work, asked)
    await turns()
    for (let n = 0; n < 15; n++) await assert.rejects(admission.run(job().work, asked), overloaded)
    long.state.finish()
    await held
    let end: unknown = null
    // On a busy machine, admission may take longer than the wait.
    for (let tries = 0; end !== 'let in' && tries < 20; tries++) {
      end = await admission.run(async () => 'let in', asked).catch((error: unknown) => error)
    }
    assert.equal(end, 'let in')
  })

  it('admits checks that waited only because the event loop was blocked', async () => {
    const afterStandstill = () => {
      const admission = createAdmission({ limit: 2, wait_ms: 20 })
      const both = ['a', 'b'].map(name => admission.run(async () => name, { ...asked, key: name }))
      const end = performance.now() + 60
      while (performance.now() < end);
      return Promise.all(both).catch((error: unknown) => error)
    }
    let ends: unknown = null
    // On a busy machine, admission may take longer than the wait.
    for (let tries = 0; !Array.isArray(ends) && tries < 10; tries++) ends = await afterStandstill()
    assert.deepEqual(ends, ['a', 'b'])
  })

  it('starts no more than there are slots after a blocked event loop', async () => {
    const admission = createAdmission({ limit: 1, wait_ms: 20 })
    const jobs = [job(), job()]
    const settled = Promise.allSettled(jobs.map(({ work }) => admission.run(work, asked)))
    const end = performance.now() + 60
    while (performance.now() < end);
    await turns()
    assert.equal(admission.running, 1)
    for (const { state } of jobs) state.finish()
    await settled
  })

  /** Eight running checks and later ones; each ends on demand, on a fake clock. */
  async function eightRunning() {
    let now = 0
    let ended = 0
    const admission = createAdmission({ limit: 8, wait_ms: 60_000, slow_ms: 60_000, monotonic: () => now })
    const leaving = new AbortController()
    const jobs: ReturnType<typeof job>[] = []
    const outcomes: Promise<string>[] = []
    const ask = () => {
      const one = job()
      jobs.push(one)
      outcomes.push(admission.run(one.work, { signal: leaving.signal }).catch(({ code }) => code))
    }
    const pass = async (ms: number, ends = 1) => {
      now += ms
      for (let n = 0; n < ends; n++) jobs[ended++]?.state.finish()
      await turns()
    }
    const leave = () => {
      leaving.abort({ code: 'left' })
      for (const { state } of jobs) state.finish()
      return Promise.all(outcomes)
    }
    for (let n = 0; n < 8; n++) ask()
    while (admission.running < 8) await turns()
    return { admission, ask, pass, leave }
  }

  it('lets a burst wait in an idle process, however slow its first checks are', async () => {
    const { admission, ask, pass, leave } = await eightRunning()
    // Milliseconds of the first checks of a process, before code is compiled.
    for (const ms of [200, 260, 260, 260, 150, 100]) {
      for (const _ of [1, 2]) {
        assert.equal(admission.full(), false)
        ask()
      }
      await pass(ms)
    }
    await pass(100, 14)
    while (admission.running + admission.waiting > 0) await turns()
    assert.deepEqual(await leave(), Array(20).fill('done'))
  })

  it('refuses at once a wait above half a second when the queue has lasted two seconds', async () => {
    const { admission, ask, pass, leave } = await eightRunning()
    for (let n = 0; n < 10; n++) ask()
    for (let n = 0; n < 40; n++) {
      if (admission.waiting < 4) ask()
      await pass(60)
    }
    while (!admission.full()) ask()
    // Nine times 60 ms is more.
    assert.equal(admission.waiting, 8)
    ask()
    assert.equal(admission.waiting, 8)
    assert.equal((await leave()).at(-1), 'overloaded')
  })

  it('refuses the newest of a burst that cannot be served in time', async () => {
    const { admission, ask, pass, leave } = await eightRunning()
    for (let n = 0; n < 16; n++) ask()
    for (let n = 0; n < 20; n++) {
      await pass(100)
      ask()
    }
    assert.equal(admission.waiting, 16)
    await pass(1, 0)
    ask()
    // The mean is not quite 100 ms yet.
    assert.equal(admission.waiting, 5)
    const outcomes = await leave()
    assert.deepEqual(outcomes.slice(28, 33), Array(5).fill('left'))
    assert.deepEqual(outcomes.slice(33), Array(12).fill('overloaded'))
  })

  it('refuses at once when two checks wait for each slot', async () => {
    const admission = createAdmission({ limit: 1 })
    const jobs = Array.from({ length: 4 }, job)
    const results = jobs.map(({ work }) => admission.run(work, asked))
    await assert.rejects(results[3] ?? Promise.resolve(), overloaded)
    for (const { state } of jobs) state.finish()
    assert.deepEqual(await Promise.all(results.slice(0, 3)), ['done', 'done', 'done'])
    assert.equal(jobs[3]?.state.started, false)
  })

  it('refuses checks that waited too long', async () => {
    const admission = createAdmission({ limit: 1, wait_ms: 20 })
    const [first, second] = [job(), job()]
    const running = admission.run(first.work, asked)
    await assert.rejects(admission.run(second.work, asked), overloaded)
    first.state.finish()
    assert.equal(await running, 'done')
    assert.equal(second.state.started, false)
  })

  it('reports that it is full for a key exactly when running would be refused', async () => {
    const asks = fc.array(fc.record({ name: fc.constantFrom('a', 'b', 'c'), ends: fc.nat(2), turns: fc.boolean() }), {
      maxLength: 20,
    })
    await fc.assert(
      fc.asyncProperty(asks, async steps => {
        const admission = createAdmission({ limit: 2, wait_ms: 60_000 })
        const leaving = new AbortController()
        const jobs: ReturnType<typeof job>[] = []
        const settled: Promise<unknown>[] = []
        for (const { name, ends, turns: pausing } of steps) {
          const [full, one, waiting] = [admission.full(name), job(), admission.waiting]
          const outcome = admission.run(one.work, { signal: leaving.signal, key: name }).catch(({ code }) => code)
          assert.equal(admission.waiting === waiting && (await isSettled(outcome)), full)
          jobs.push(one)
          settled.push(outcome)
          for (const { state } of jobs.slice(0, ends)) state.finish()
          if (pausing) await turns()
        }
        leaving.abort()
        for (const { state } of jobs) state.finish()
        await Promise.all(settled)
      }),
      { numRuns: 50 },
    )
  })

  it('forgets checks that leave while waiting', async () => {
    const admission = createAdmission({ limit: 1 })
    const [first, second, third] = [job(), job(), job()]
    const running = admission.run(first.work, asked)
    const leaving = new AbortController()
    const left = admission.run(second.work, { signal: leaving.signal })
    const last = admission.run(third.work, asked)
    leaving.abort(new Error('gone'))
    await assert.rejects(left, { message: 'gone' })
    first.state.finish()
    third.state.finish()
    assert.deepEqual(await Promise.all([running, last]), ['done', 'done'])
    assert.equal(second.state.started, false)
    await assert.rejects(admission.run(second.work, { signal: leaving.signal }), { message: 'gone' })
  })

  it('frees the slot when the work fails', async () => {
    const admission = createAdmission({ limit: 1 })
    const failing = job()
    const failed = admission.run(failing.work, asked)
    await turns()
    failing.state.fail(new Error('broken'))
    await assert.rejects(failed, { message: 'broken' })
    const next = job()
    next.state.finish()
    assert.equal(await admission.run(next.work, asked), 'done')
  })
})
