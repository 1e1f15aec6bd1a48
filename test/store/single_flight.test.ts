import assert from 'node:assert/strict'
import { test } from 'node:test'
import { singleFlight } from '../../src/base/single_flight.ts'

/** A run that ends when told to, and the signal it was given. */
function controlled<T>() {
  const run = { starts: 0, signal: new AbortController().signal, resolve: (_: T) => {}, reject: (_: Error) => {} }
  const start = (signal: AbortSignal) => {
    run.starts += 1
    run.signal = signal
    return new Promise<T>((resolve, reject) => Object.assign(run, { resolve, reject }))
  }
  return Object.assign(run, { start })
}

const turn = () => new Promise(resolve => setImmediate(resolve))

test('a thousand callers of one key share one run and its value', async () => {
  const flights = singleFlight<object>()
  const run = controlled<object>()
  const callers = Array.from({ length: 1000 }, () => flights.run('k', run.start))
  await turn()
  const value = {}
  run.resolve(value)
  assert.ok((await Promise.all(callers)).every(result => result === value))
  assert.equal(run.starts, 1)
  assert.equal(flights.size, 0)
})

test('different keys run separately, even names of object properties', async () => {
  const flights = singleFlight<string>()
  const keys = ['a', 'b', 'constructor', '__proto__', 'toString']
  assert.deepEqual(await Promise.all(keys.map(key => flights.run(key, async () => key))), keys)
})

test('a value is not cached: the next call runs again', async () => {
  const flights = singleFlight<number>()
  let runs = 0
  assert.equal(await flights.run('k', async () => ++runs), 1)
  assert.equal(await flights.run('k', async () => ++runs), 2)
})

test('a failure reaches all waiting callers and is not cached', async () => {
  const flights = singleFlight<number>()
  const failure = new Error('down')
  const callers = Array.from({ length: 3 }, () => flights.run('k', () => Promise.reject(failure)))
  for (const settled of await Promise.allSettled(callers)) {
    assert.ok(settled.status === 'rejected' && settled.reason === failure)
  }
  assert.equal(await flights.run('k', async () => 7), 7)
})

test('a run that throws before it starts is a failure too', async () => {
  const flights = singleFlight<number>()
  const failing = () => {
    throw new Error('broken')
  }
  await assert.rejects(flights.run('k', failing), /broken/)
  assert.equal(flights.size, 0)
})

test('a caller who leaves is rejected alone; the others get the value', async () => {
  const flights = singleFlight<number>()
  const run = controlled<number>()
  const leaver = new AbortController()
  const left = flights.run('k', run.start, leaver.signal)
  const stayed = flights.run('k', run.start, new AbortController().signal)
  await turn()
  leaver.abort(new Error('gone'))
  await assert.rejects(left, /gone/)
  assert.equal(run.signal.aborted, false)
  run.resolve(3)
  assert.equal(await stayed, 3)
})

test('when the last caller leaves the run is aborted, and the next call starts another', async () => {
  const flights = singleFlight<number>()
  const [first, second] = [controlled<number>(), controlled<number>()]
  const leavers = [new AbortController(), new AbortController()]
  const left = leavers.map(({ signal }) => flights.run('k', first.start, signal))
  await turn()
  for (const leaver of leavers) leaver.abort(new Error('gone'))
  const next = flights.run('k', second.start)
  for (const caller of left) await assert.rejects(caller, /gone/)
  await turn()
  assert.equal(first.signal.aborted, true)
  assert.equal(second.signal.aborted, false)
  first.reject(new Error('aborted'))
  await turn()
  assert.equal(flights.size, 1)
  second.resolve(2)
  assert.equal(await next, 2)
})

test('a caller without a signal keeps the run alive', async () => {
  const flights = singleFlight<number>()
  const run = controlled<number>()
  const leaver = new AbortController()
  const stayed = flights.run('k', run.start)
  const left = flights.run('k', run.start, leaver.signal)
  await turn()
  leaver.abort(new Error('gone'))
  await assert.rejects(left, /gone/)
  run.resolve(1)
  assert.equal(await stayed, 1)
})

test('a caller who left before calling starts nothing', async () => {
  const flights = singleFlight<number>()
  const run = controlled<number>()
  await assert.rejects(flights.run('k', run.start, AbortSignal.abort(new Error('gone'))), /gone/)
  assert.equal(run.starts, 0)
})

test('leaving after the value has arrived aborts nothing', async () => {
  const flights = singleFlight<number>()
  const run = controlled<number>()
  const leaver = new AbortController()
  const caller = flights.run('k', run.start, leaver.signal)
  await turn()
  run.resolve(1)
  assert.equal(await caller, 1)
  await turn()
  leaver.abort()
  assert.equal(run.signal.aborted, false)
})
