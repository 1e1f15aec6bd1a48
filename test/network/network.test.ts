import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, Socket } from 'node:net'
import { after, afterEach, before, describe, it } from 'node:test'
import { createNetwork } from '../../src/network/create_network.ts'
import { createGuard } from '../../src/network/guard.ts'
import type { Limits } from '../../src/network/limits.ts'
import type { Dial, RequestPurpose } from '../../src/network/network.ts'
import { startLabDns } from '../../src/testing/lab_dns.ts'
import { farDeadline, LONG_MS, PATIENT } from '../patience.ts'

const V4 = '93.184.216.34'
const V6 = '2606:2800:220:1::1'

describe('the network of a check', () => {
  const server = createServer(socket => socket.on('error', () => socket.destroy()))
  const checks: AbortController[] = []
  before(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  after(() => server.close())
  afterEach(() => {
    for (const check of checks.splice(0)) check.abort()
  })

  const port = () => (server.address() as AddressInfo).port
  const toServer: Dial = () => connect(port(), '127.0.0.1')
  const silent: Dial = () => new Socket()
  const failing =
    (code: string): Dial =>
    () => {
      const socket = new Socket()
      setImmediate(() => socket.destroy(Object.assign(new Error(code), { code })))
      return socket
    }

  interface Scene {
    readonly dial?: (address: string) => Dial
    readonly limits?: Partial<Limits>
    readonly deadline_ms?: number
  }
  function open({ dial = () => toServer, limits = {}, deadline_ms = LONG_MS }: Scene = {}) {
    const dialled: string[] = []
    const sockets: Socket[] = []
    const network = createNetwork({
      resolvers: ['127.0.0.1:1'],
      guard: createGuard({ own: () => [] }),
      limits: { ...PATIENT, ...limits },
      dial(address, to) {
        dialled.push(address)
        const socket = dial(address)(address, to)
        sockets.push(socket)
        return socket
      },
    })
    const check = new AbortController()
    checks.push(check)
    const opened = network.open({ signal: check.signal, deadline: performance.now() + deadline_ms })
    const to = async (addresses: readonly string[], signal = check.signal) => {
      const result = await opened.connect({ addresses, port: 443, signal })
      return result.ok ? result.address : result.failure
    }
    return { network, opened, check, to, dialled, sockets }
  }

  it('dials only public addresses, in any order', async () => {
    for (const addresses of [
      [V4, '127.0.0.1'],
      ['127.0.0.1', V4],
      ['::1', '10.0.0.1', V4, '::ffff:127.0.0.1'],
    ]) {
      const { to, dialled } = open({ dial: () => failing('ECONNREFUSED') })
      assert.equal(await to(addresses), 'refused')
      assert.deepEqual(dialled, [V4])
    }
  })

  it('dials nothing without a public address', async () => {
    const { to, dialled } = open()
    assert.equal(await to(['127.0.0.1', '169.254.169.254', '::1', '168.63.129.16']), 'not_public')
    assert.equal(await to(['localhost', 'example.com', '0x7f000001']), 'not_public')
    assert.equal(await to([]), 'not_public')
    assert.deepEqual(dialled, [])
  })

  it('tries at most four addresses, alternating the families', async () => {
    const { to, dialled } = open({ dial: () => failing('ECONNREFUSED') })
    await to(['2606:4700::1', '2606:4700::2', '2606:4700::3', '1.0.0.1', '1.0.0.2', '1.0.0.3'])
    assert.deepEqual(dialled, ['2606:4700::1', '1.0.0.1', '2606:4700::2', '1.0.0.2'])
  })

  it('waits for a black hole once, then prefers the address that connected', async () => {
    const { to, dialled } = open({ dial: address => (address === V6 ? silent : toServer) })
    assert.equal(await to([V6, V4]), V4)
    assert.equal(await to([V6, V4]), V4)
    assert.deepEqual(dialled, [V6, V4, V4])
  })

  it('opens no more connections than the limit, failed ones included', async () => {
    const { to, dialled } = open({
      limits: { connections: 3 },
      dial: address => (address === V6 ? failing('ECONNREFUSED') : toServer),
    })
    assert.deepEqual([await to([V6, V4]), await to([V6, V4]), await to([V6, V4])], [V4, V4, 'too_many_connections'])
    assert.equal(dialled.length, 3)
  })

  it('does not count a connection that never left this machine', async () => {
    const { to } = open({
      limits: { connections: 2 },
      dial: address => (address === V6 ? failing('ENETUNREACH') : toServer),
    })
    assert.deepEqual([await to([V6, V4]), await to([V4]), await to([V4])], [V4, V4, 'too_many_connections'])
  })

  for (const [what, end] of [
    ['the check ends', ({ check }: ReturnType<typeof open>) => check.abort()],
    ['the network closes', ({ network }: ReturnType<typeof open>) => network.close()],
  ] as const)
    it(`destroys every connection when ${what}, established or pending`, async () => {
      const scene = open({ dial: address => (address === V6 ? silent : toServer) })
      const own = new AbortController().signal
      assert.equal(await scene.to([V4], own), V4)
      const pending = scene.to([V6], own)
      await end(scene)
      assert.equal(await pending, 'cancelled')
      assert.deepEqual(
        scene.sockets.map(socket => socket.destroyed),
        [true, true],
      )
      assert.equal(await scene.to([V4], own), 'cancelled')
      assert.equal(scene.sockets.length, 2)
    })

  it('cancels an attempt on its own signal and keeps established connections', async () => {
    const { to, sockets } = open({ dial: address => (address === V6 ? silent : toServer) })
    const attempt = new AbortController()
    assert.equal(await to([V4], attempt.signal), V4)
    const pending = to([V6], attempt.signal)
    attempt.abort()
    assert.equal(await pending, 'cancelled')
    assert.deepEqual(
      sockets.map(socket => socket.destroyed),
      [false, true],
    )
  })

  it('waits for a connection no longer than the limit or the deadline', async () => {
    for (const scene of [{ limits: { connect_ms: 50 } }, { deadline_ms: 50 }, { deadline_ms: -50 }]) {
      assert.equal(await open({ ...scene, dial: () => silent }).to([V4]), 'timeout')
    }
  })

  it('grants each purpose as many requests as its own limit', () => {
    const { opened } = open({
      limits: { page_requests: 2, file_requests: 1, entrance_requests: 0, service_requests: 3 },
    })
    const granted = (purpose: RequestPurpose) => [1, 2, 3, 4].filter(() => opened.takeRequest(purpose)).length
    assert.deepEqual((['services', 'page', 'files', 'entrances'] as const).map(granted), [3, 2, 1, 0])
  })

  it('says why an address may not be dialled', () => {
    const { opened } = open()
    assert.deepEqual([opened.refuse(V4), opened.refuse('10.0.0.1')], [null, 'private_use'])
  })

  it('queries the configured servers once in each check', async () => {
    const dns = await startLabDns({ zones: { 'example.com': { A: [V4] } } })
    const network = createNetwork({ resolvers: [dns.address], guard: createGuard(), limits: PATIENT })
    const { signal } = new AbortController()
    for (const check of [1, 2]) {
      const { resolver } = network.open({ signal, deadline: farDeadline() })
      const answers = [resolver.query('example.com', 'A', { signal }), resolver.query('example.com', 'A', { signal })]
      assert.deepEqual(
        (await Promise.all(answers)).map(answer => answer.status),
        ['found', 'found'],
      )
      assert.equal(dns.queries.length, check)
    }
    await dns.close()
  })

  it('dials the address itself by default', async () => {
    const network = createNetwork({ resolvers: [], guard: createGuard({ allow: ['127.0.0.1'] }), limits: PATIENT })
    const { signal } = new AbortController()
    const check = network.open({ signal, deadline: farDeadline() })
    const result = await check.connect({ addresses: ['127.0.0.1'], port: port(), signal })
    assert.ok(result.ok)
    assert.equal(result.socket.remotePort, port())
    await network.close()
    assert.equal(result.socket.destroyed, true)
  })

  it('rejects a resolver that is not an address', () =>
    assert.throws(() => createNetwork({ resolvers: ['dns.example'], guard: createGuard() }), {
      name: 'TypeError',
      message: 'Invalid DNS server: dns.example',
    }))
})
