import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect as connectTcp } from 'node:net'
import { describe, it } from 'node:test'
import { connect, createServer, type TlsOptions } from 'node:tls'
import fc from 'fast-check'
import { certificatesIn, tapCertificates } from '../../src/network/sent_certificates.ts'
import { createAuthority } from '../../src/testing/lab_ca.ts'

const root = createAuthority()
const unrelated = createAuthority({ subject: [['CN', 'Unrelated']] })
const { key, chain } = root.subordinate().issue({ names: ['a.test'] })
const [own = '', above = '', top = ''] = chain
const sent = [own, unrelated.certificate, top, above, above]

/** What a server sends, and what it echoes afterwards. */
async function visit(server: TlsOptions, asked: string) {
  const listener = createServer(server, socket => socket.on('error', () => {}).pipe(socket))
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  const tap = tapCertificates(connectTcp({ port, host: '127.0.0.1' }))
  const socket = connect({ socket: tap.stream, rejectUnauthorized: false, minVersion: 'TLSv1' })
  socket.on('keylog', line => tap.keylog(line))
  await once(socket, 'secureConnect')
  const certificates = tap.read()
  socket.end(asked)
  let answer = ''
  for await (const chunk of socket) answer += chunk
  listener.close()
  return { certificates, answer }
}

describe('the certificates that a server sends', () => {
  const tls13 = { minVersion: 'TLSv1.3' } as const
  const rows: readonly [string, TlsOptions][] = [
    ['TLS 1.3 with AES-128', { ...tls13, ciphers: 'TLS_AES_128_GCM_SHA256' }],
    ['TLS 1.3 with AES-256', { ...tls13, ciphers: 'TLS_AES_256_GCM_SHA384' }],
    ['TLS 1.3 with ChaCha20', { ...tls13, ciphers: 'TLS_CHACHA20_POLY1305_SHA256' }],
    ['TLS 1.3 after a second hello', { ...tls13, ecdhCurve: 'P-521' }],
    ['TLS 1.3 that requests a client certificate', { ...tls13, requestCert: true, rejectUnauthorized: false }],
    ['TLS 1.2', { maxVersion: 'TLSv1.2' }],
  ]
  for (const [title, options] of rows) {
    it(`are all read in the order sent, by ${title}`, async () => {
      const { certificates, answer } = await visit({ key, cert: sent.join(''), ...options }, 'x'.repeat(300_000))
      assert.deepEqual(
        certificates,
        sent.map(pem => new X509Certificate(pem).raw),
      )
      assert.equal(answer.length, 300_000)
    })
  }

  it('are unknown in octets that are no handshake', () => {
    const octets = fc.uint8Array({ maxLength: 400 })
    const secret = fc.option(fc.uint8Array({ minLength: 32, maxLength: 48 }))
    fc.assert(
      fc.property(octets, secret, (bytes, key) => {
        const framed = Buffer.concat([Buffer.from([22, 3, 3, bytes.length >> 8, bytes.length & 0xff]), bytes])
        for (const input of [Buffer.from(bytes), framed]) {
          const found = certificatesIn(input, key && Buffer.from(key))
          assert.ok(found === null || Array.isArray(found), 'a list or nothing')
        }
      }),
    )
  })
})
