import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { TLSSocket, TlsOptions } from 'node:tls'
import { limits } from '../../src/network/limits.ts'
import type { CheckNetwork } from '../../src/network/network.ts'
import { connectSecurely, serverName } from '../../src/network/tls.ts'
import { createAuthority } from '../../src/testing/lab_ca.ts'
import { close, drip, flood, hello, reset, type Step, send, wait } from '../../src/testing/lab_script.ts'
import { type LabWeb, startLabWeb } from '../../src/testing/lab_web.ts'

const address = '93.184.216.34'
const credentials = createAuthority().issue({ names: ['a.example'] })
const rsa = createAuthority({ key: 'rsa2048' }).issue({ names: ['a.example'], key: 'rsa2048' })
const weak = 'DEFAULT@SECLEVEL=0'
let web: LabWeb
before(async () => {
  web = await startLabWeb()
})
after(() => web.close())
beforeEach(() => {
  web.seen.connections.length = 0
})

/** Dials any address. */
const network: Pick<CheckNetwork, 'connect' | 'limits'> = {
  limits,
  connect: async ({ addresses: [first = ''], port }) => {
    const socket = web.dial(first, port)
    const failure = await once(socket, 'connect').then(
      () => null,
      () => 'refused' as const,
    )
    const opening = { began: 0, connected: 0 }
    return failure ? { ok: false, failure } : { ok: true, socket, address: first, opening }
  },
}

async function meet(steps: readonly Step[], tls?: TlsOptions, host = 'a.example') {
  await web.script(address, 443, steps, tls)
  const signal = new AbortController().signal
  const result = await connectSecurely(network as CheckNetwork, { addresses: [address], port: 443, host, signal })
  if (result.status === 'certificate_required')
    return ['certificate_required', result.peer_info.protocol, result.peer_info.complaint]
  if (result.status !== 'secure') return result.failure
  const { socket, only_legacy, client_certificate_requested } = result
  const told = [socket.getProtocol(), only_legacy, client_certificate_requested, socket.alpnProtocol]
  socket.destroy()
  return told
}

describe('the TLS handshake', () => {
  const asking = { requestCert: true, rejectUnauthorized: false }
  const agreed: [title: string, tls: TlsOptions, told: unknown[]][] = [
    ['1.3', { minVersion: 'TLSv1.3' }, ['TLSv1.3', false, false, false]],
    ['1.2', { maxVersion: 'TLSv1.2' }, ['TLSv1.2', false, false, false]],
    ['1.1 only', { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: weak }, ['TLSv1.1', true, false, false]],
    ['1.0 only', { minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: weak }, ['TLSv1', true, false, false]],
    ['ALPN for HTTP/2', { ALPNProtocols: ['h2', 'http/1.1'] }, ['TLSv1.3', false, false, 'h2']],
    ['ALPN for HTTP/1.1', { ALPNProtocols: ['http/1.1'] }, ['TLSv1.3', false, false, 'http/1.1']],
    ['1.3 with a client certificate requested', asking, ['TLSv1.3', false, true, false]],
    ['1.2 with a client certificate requested', { ...asking, maxVersion: 'TLSv1.2' }, ['TLSv1.2', false, true, false]],
    [
      '1.3 with a client certificate required',
      { requestCert: true, rejectUnauthorized: true },
      ['TLSv1.3', false, true, false],
    ],
    [
      '1.2 with a client certificate required',
      { requestCert: true, rejectUnauthorized: true, maxVersion: 'TLSv1.2' },
      ['certificate_required', 'TLSv1.2', 'NOT_JUDGED'],
    ],
    ['an RSA key', rsa, ['TLSv1.3', false, false, false]],
    [
      'an RSA key of 1024 bits',
      { ...createAuthority({ key: 'rsa1024' }).issue({ names: ['a.example'], key: 'rsa1024' }), ciphers: weak },
      ['TLSv1.3', false, false, false],
    ],
  ]
  for (const [title, tls, told] of agreed) {
    it(`speaks ${title}`, async () => {
      assert.deepEqual(await meet([wait(50)], { ...credentials, ...tls }), told)
      assert.equal(web.seen.connections.length, told[1] === true ? 2 : 1)
    })
  }

  const alert = (description: number) => send(Buffer.from([21, 3, 3, 0, 2, 2, description]))
  const failed: [title: string, steps: Step[], failure: string, connections: number][] = [
    ['a server that hangs up', [hello(), close()], 'closed', 1],
    ['a server that resets', [hello(), reset()], 'reset', 1],
    ['a server that speaks HTTP', [hello(), send('HTTP/1.1 400 Bad Request\r\n\r\n')], 'not_tls', 1],
    ['a server that speaks first', [send('SSH-2.0-OpenSSH_9.6\r\n')], 'not_tls', 1],
    ['an unrecognized name', [hello(), alert(112)], 'alert:unrecognized_name', 1],
    ['an internal error', [hello(), alert(80)], 'alert:internal_error', 1],
    ['an alert that suggests legacy TLS, twice', [hello(), alert(40)], 'alert:handshake_failure', 2],
    [
      'a version that is gone',
      [
        hello(),
        send(
          Buffer.concat([
            Buffer.from('16030000' + '2a' + '02000026' + '0300', 'hex'),
            Buffer.alloc(32),
            Buffer.from('00000a00', 'hex'),
          ]),
        ),
      ],
      'unsupported_protocol',
      2,
    ],
    ['garbage that looks like TLS', [hello(), send(Buffer.from('160303000402000000', 'hex'))], 'protocol_error', 1],
    ['endless empty records', [hello(), flood(Buffer.from('1603030000'.repeat(99), 'hex'))], 'protocol_error', 1],
  ]
  for (const [title, steps, failure, connections] of failed) {
    it(`reports ${title}`, async () => {
      assert.equal(await meet(steps), failure)
      assert.equal(web.seen.connections.length, connections)
    })
  }

  it('does not renegotiate', async () => {
    let anew = 'never'
    const again: Step = socket => {
      // False when renegotiation did not even begin.
      const begun = (socket as TLSSocket).renegotiate({}, () => {
        anew = 'agreed'
      })
      assert.equal(begun, true)
    }
    const tls = { ...credentials, maxVersion: 'TLSv1.2' } as const
    await web.script(address, 443, [again, wait(200), close()], tls)
    const signal = new AbortController().signal
    const request = { addresses: [address], port: 443, host: 'a.example', signal }
    const result = await connectSecurely(network as CheckNetwork, request)
    assert.equal(result.status, 'secure')
    if (result.status !== 'secure') return
    result.socket.resume()
    await new Promise<void>(resolve => result.socket.once('close', () => resolve()))
    assert.equal(anew, 'never')
  })

  it('times out on silence and on a drip alike', async () => {
    // The drip would last for minutes and keep resetting an idle timer.
    const record = Buffer.concat([Buffer.from([22, 3, 3, 0x3f, 0xff]), Buffer.alloc(0x3fff)])
    const told = [meet([hello(), wait(9_000)]), meet([hello(), drip(record, 1, 50)])]
    assert.deepEqual(await Promise.all(told), ['timeout', 'timeout'])
  })

  it('sends SNI for a name without its final dot, and none for an address', async () => {
    assert.equal(serverName('a.example.'), 'a.example')
    assert.equal(serverName('192.0.2.1'), null)
    assert.equal(serverName('[2001:db8::1]'), null)
    const site = { addresses: [address], https: () => ({}), credentials }
    await web.add({ ...site, host: 'a.example' })
    web.seen.handshakes.length = 0
    const signal = new AbortController().signal
    for (const host of ['a.example', 'a.example.', '93.184.216.34']) {
      const result = await connectSecurely(network as CheckNetwork, { addresses: [address], port: 443, host, signal })
      assert.equal(result.status, 'secure')
      if (result.status === 'secure') await once(result.socket.end(), 'close')
    }
    assert.deepEqual(web.seen.handshakes, ['a.example', 'a.example', ''])
  })

  it('reports a refused connection', async () => {
    web.place(address, 443, 'refused')
    const signal = new AbortController().signal
    const result = await connectSecurely(network as CheckNetwork, {
      addresses: [address],
      port: 443,
      host: 'a.example',
      signal,
    })
    assert.deepEqual(result, { status: 'unconnected', failure: 'refused' })
  })
})
