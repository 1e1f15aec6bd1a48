import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, Socket } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { dialFirst, interleave } from '../../src/network/dial.ts'
import { createVirtualLoop } from '../virtual_loop.ts'

type Behaviour = 'accepts' | 'refuses' | 'resets' | 'silent' | 'unreachable'
type Behaviours = Readonly<Record<string, Behaviour>>

const CODES = { refuses: 'ECONNREFUSED', resets: 'ECONNRESET', unreachable: 'ENETUNREACH' } as const
/** Milliseconds in which an address answers. */
const ANSWER_MS = 5

describe('dialling', () => {
  /** Dials on a virtual clock; `cancel_ms` is when the check ends. */
  async function dial(t: TestContext, behaviours: Behaviours, limit_ms = 400, cancel_ms = Number.POSITIVE_INFINITY) {
    const loop = createVirtualLoop(t)
    const sockets: Socket[] = []
    const times: number[] = []
    const open = (address: string) => {
      const socket = new Socket()
      sockets.push(socket)
      times.push(Math.round(loop.now()))
      const behaviour = behaviours[address] ?? 'silent'
      if (behaviour === 'silent') return socket
      loop.at(loop.now() + ANSWER_MS, () => {
        if (behaviour === 'accepts') socket.emit('connect')
        else socket.destroy(Object.assign(new Error(behaviour), { code: CODES[behaviour] }))
      })
      return socket
    }
    const check = new AbortController()
    if (cancel_ms === 0) check.abort()
    else loop.at(cancel_ms, () => check.abort())
    const dialled = dialFirst({ addresses: Object.keys(behaviours), port: 443, limit_ms, signal: check.signal, open })
    const ended = dialled.then(result => ({ result, at: Math.round(loop.now()) }))
    await loop.turnUntil(60_000)
    const { result, at } = await ended
    const alive = sockets.filter(socket => !socket.destroyed).length
    if (result.ok) result.socket.destroy()
    return { outcome: result.ok ? result.address : result.failure, times, at, alive }
  }

  const cases: Readonly<
    Record<string, readonly [Behaviours, outcome: string, dialled: readonly number[], at: number]>
  > = {
    'takes the first address when it answers': [{ a: 'accepts', b: 'accepts' }, 'a', [0], 5],
    'tries the next at once after a refusal': [{ a: 'refuses', b: 'accepts' }, 'b', [0, 5], 10],
    'tries the next at once after an unreachable address': [
      { a: 'unreachable', b: 'refuses', c: 'accepts' },
      'c',
      [0, 5, 10],
      15,
    ],
    'tries the next 250 ms after a silent address': [{ a: 'silent', b: 'accepts' }, 'b', [0, 250], 255],
    'reports refused rather than timeout': [{ a: 'silent', b: 'refuses' }, 'refused', [0, 250], 400],
    'reports refused rather than reset': [{ a: 'resets', b: 'refuses' }, 'refused', [0, 5], 10],
    'reports reset rather than unreachable': [{ a: 'unreachable', b: 'resets' }, 'reset', [0, 5], 10],
    'reports timeout rather than unreachable': [{ a: 'unreachable', b: 'silent' }, 'timeout', [0, 5], 400],
    'reports unreachable when nothing else is known': [{ a: 'unreachable' }, 'unreachable', [0], 5],
    'ends at its limit': [{ a: 'silent', b: 'silent', c: 'silent' }, 'timeout', [0, 250], 400],
  }
  for (const [title, [behaviours, outcome, times, at]] of Object.entries(cases))
    it(title, async t => {
      const alive = ['a', 'b', 'c'].includes(outcome) ? 1 : 0
      assert.deepEqual(await dial(t, behaviours), { outcome, times, at, alive })
    })

  it('destroys its sockets when cancelled', async t =>
    assert.deepEqual(await dial(t, { a: 'silent', b: 'accepts' }, 5_000, 20), {
      outcome: 'cancelled',
      times: [0],
      at: 20,
      alive: 0,
    }))

  it('dials nothing for a check that has ended', async t =>
    assert.deepEqual(await dial(t, { a: 'accepts' }, 5_000, 0), { outcome: 'cancelled', times: [], at: 0, alive: 0 }))

  it('reports when no connection may be opened', async () => {
    const signal = new AbortController().signal
    const result = await dialFirst({ addresses: ['a'], port: 443, limit_ms: 100, signal, open: () => null })
    assert.deepEqual(result, { ok: false, failure: 'too_many_connections' })
  })

  it('returns a socket whose errors do not end the process', async t => {
    const server = createServer(socket => socket.on('error', () => socket.destroy())).listen(0, '127.0.0.1')
    t.after(() => server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const signal = new AbortController().signal
    const open = (address: string, port: number) => connect(port, address)
    const result = await dialFirst({ addresses: ['127.0.0.1'], port, limit_ms: 60_000, signal, open })
    assert.ok(result.ok)
    result.socket.destroy(new Error('nobody listens'))
    await new Promise(closed => result.socket.on('close', closed))
    assert.equal(result.socket.destroyed, true)
  })
})

describe('the dialling order', () => {
  it('alternates the families, starting with that of the first address', () => {
    const orders = [
      ['::1', '::2', '::3', '1.1.1.1', '2.2.2.2'],
      ['1.1.1.1', '2.2.2.2', '::1'],
      ['1.1.1.1', '2.2.2.2'],
      ['::1', '1.1.1.1', '::2', '2.2.2.2'],
      [],
    ].map(interleave)
    assert.deepEqual(orders, [
      ['::1', '1.1.1.1', '::2', '2.2.2.2', '::3'],
      ['1.1.1.1', '::1', '2.2.2.2'],
      ['1.1.1.1', '2.2.2.2'],
      ['::1', '1.1.1.1', '::2', '2.2.2.2'],
      [],
    ])
  })
})
