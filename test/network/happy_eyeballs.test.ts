import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { type Attempt, raceAttempts } from '../../src/network/happy_eyeballs.ts'

const LIMIT_MS = 50

/** Blocks this process. */
const block = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

describe('a process that was blocked past the limit', () => {
  it('receives the answer that arrived meanwhile', async t => {
    const socket = createSocket('udp4').bind(0, '127.0.0.1')
    t.after(() => socket.close())
    await once(socket, 'listening')
    const answer: Attempt<string, never> = async () => ({ ok: true, value: String((await once(socket, 'message'))[0]) })
    const send = promisify<string, number, string>(socket.send.bind(socket))
    const signal = new AbortController().signal
    const settled = raceAttempts([answer], { delay_ms: 1_000, limit_ms: LIMIT_MS, signal })
    await send('here', socket.address().port, '127.0.0.1')
    block(2 * LIMIT_MS)
    assert.deepEqual(await settled, { ok: true, value: 'here' })
  })

  it('waits once more for as long, and no longer', async () => {
    const silent: Attempt<string, never> = () => new Promise(() => {})
    const began = performance.now()
    const signal = new AbortController().signal
    const settled = raceAttempts([silent], { delay_ms: 1_000, limit_ms: LIMIT_MS, signal })
    block(3 * LIMIT_MS)
    assert.deepEqual(await settled, { ok: false, failures: [], pending: true, aborted: false })
    assert.ok(performance.now() - began >= 4 * LIMIT_MS - 1)
  })
})
