import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { dialFirst, interleave } from '../../src/network/dial.ts'

type Behaviour = 'accepts' | 'refuses' | 'resets' | 'silent' | 'unreachable'

/** Sockets that behave as given for each address. Those that connect use a real server. */
function scene(port: number, behaviours: Readonly<Record<string, Behaviour>>) {
  const dialled: string[] = []
  const sockets: Socket[] = []
  const failing = (code: string) => {
    const socket = new Socket()
    setTimeout(() => socket.destroy(Object.assign(new Error(code), { code })), 5)
    return socket
  }
  const open = (address: string) => {
    dialled.push(address)
    const behaviour = behaviours[address]
    const socket =
      behaviour === 'accepts'
        ? connect(port, '127.0.0.1')
        : behaviour === 'silent'
          ? new Socket()
          : failing(
              { refuses: 'ECONNREFUSED', resets: 'ECONNRESET', unreachable: 'ENETUNREACH' }[behaviour ?? 'refuses'],
            )
    sockets.push(socket)
    return socket
  }
  return { open, dialled, sockets }
}

describe('dialling', () => {
  const server = createServer(socket => socket.on('error', () => socket.destroy()))
  let port = 0
  before(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  })
  after(() => server.close())

  const dial = async (
    behaviours: Readonly<Record<string, Behaviour>>,
    limit_ms = 400,
    signal = new AbortController().signal,
  ) => {
    const { open, dialled, sockets } = scene(port, behaviours)
    const result = await dialFirst({ addresses: Object.keys(behaviours), port: 443, limit_ms, signal, open })
    const alive = sockets.filter(socket => !socket.destroyed).length
    if (result.ok) result.socket.destroy()
    return { outcome: result.ok ? result.address : result.failure, dialled: dialled.length, alive }
  }

  const cases: readonly [string, Readonly<Record<string, Behaviour>>, outcome: string, dialled: number][] = [
    ['takes the first address when it answers', { a: 'accepts', b: 'accepts' }, 'a', 1],
    ['tries the next at once after a refusal', { a: 'refuses', b: 'accepts' }, 'b', 2],
    ['tries the next at once after an unreachable address', { a: 'unreachable', b: 'refuses', c: 'accepts' }, 'c', 3],
    ['tries the next 250 ms after a silent address', { a: 'silent', b: 'accepts' }, 'b', 2],
    ['reports refused rather than timeout', { a: 'silent', b: 'refuses' }, 'refused', 2],
    ['reports refused rather than reset', { a: 'resets', b: 'refuses' }, 'refused', 2],
    ['reports reset rather than unreachable', { a: 'unreachable', b: 'resets' }, 'reset', 2],
    ['reports timeout rather than unreachable', { a: 'unreachable', b: 'silent' }, 'timeout', 2],
    ['reports unreachable when nothing else is known', { a: 'unreachable' }, 'unreachable', 1],
    ['ends at its limit', { a: 'silent', b: 'silent', c: 'silent' }, 'timeout', 2],
  ]
  for (const [title, behaviours, outcome, dialled] of cases)
    it(title, async () => {
      const result = await dial(behaviours)
      assert.deepEqual([result.outcome, result.dialled], [outcome, dialled])
      assert.equal(result.alive, ['a', 'b', 'c'].includes(outcome) ? 1 : 0)
    })

  it('destroys its sockets when cancelled', async () => {
    const check = new AbortController()
    setTimeout(() => check.abort(), 20)
    const result = await dial({ a: 'silent', b: 'accepts' }, 5_000, check.signal)
    assert.deepEqual([result.outcome, result.dialled, result.alive], ['cancelled', 1, 0])
    const again = await dial({ a: 'accepts' }, 5_000, check.signal)
    assert.deepEqual([again.outcome, again.dialled], ['cancelled', 0])
  })

  it('reports when no connection may be opened', async () => {
    const signal = new AbortController().signal
    const result = await dialFirst({ addresses: ['a'], port: 443, limit_ms: 100, signal, open: () => null })
    assert.deepEqual(result, { ok: false, failure: 'too_many_connections' })
  })

  it('returns a socket whose errors do not end the process', async () => {
    const signal = new AbortController().signal
    const { open } = scene(port, { a: 'accepts' })
    const result = await dialFirst({ addresses: ['a'], port: 443, limit_ms: 400, signal, open })
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
