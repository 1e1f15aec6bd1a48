import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { limits } from '../../src/network/limits.ts'
import { openHttpSession } from '../../src/network/sessions.ts'
import { handshake } from '../../src/network/tls.ts'
import { createAuthority } from '../../src/testing/lab_ca.ts'
import { type PostHandshake, startPostHandshake } from '../../src/testing/lab_post_handshake.ts'

const credentials = createAuthority().issue({ names: ['a.example'] })
const KIB = 1024

for (const kind of ['session_ticket', 'key_update'] as const) {
  describe(`a server that sends a ${kind} after the other`, () => {
    let server: PostHandshake
    before(async () => {
      server = await startPostHandshake(credentials, kind)
    })
    after(() => server.close())

    async function agree() {
      const transport: Socket = connect(server.port, '127.0.0.1')
      await once(transport, 'connect')
      const signal = new AbortController().signal
      const agreed = await handshake(transport, { host: 'a.example', offer: 'modern', timeout_ms: 20_000, signal })
      assert.ok(agreed.ok)
      let tickets = 0
      agreed.socket.on('session', () => {
        tickets += 1
      })
      return { ...agreed, transport, tickets: () => tickets }
    }

    it('is cut off by the octet cap, before the time limit', async () => {
      const { transport, tickets, ...secured } = await agree()
      const session = openHttpSession({ ...secured, address: '93.184.216.34' }, limits)
      const { exchange, failure } = await session.send({
        url: new URL('https://a.example/'),
        headers: {},
        max_bytes: 64 * KIB,
        headers_ms: 60_000,
        body_ms: 60_000,
        signal: new AbortController().signal,
      })
      assert.deepEqual([exchange, failure, session.reusable()], [null, 'closed', false])
      assert.ok(transport.bytesRead > 256 * KIB)
      // They were read and processed.
      if (kind === 'session_ticket') assert.ok(tickets() > 100)
      session.close()
    })

    it('is cut off without a request', async () => {
      const { transport, socket } = await agree()
      await once(socket, 'close')
      assert.ok(transport.bytesRead > 256 * KIB)
    })
  })
}
