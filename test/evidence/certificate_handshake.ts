// A TLS server on loopback, one handshake with it, and what the certificates then say.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type ConnectionOptions, connect, createServer, type TlsOptions } from 'node:tls'
import { type CertificateFacts, createTrustStore, describeCertificates } from '../../src/evidence/certificate.ts'
import type { Authority } from '../../src/testing/lab_ca.ts'

export interface Handshake {
  readonly facts: CertificateFacts
  readonly protocol: string | null
  readonly milliseconds: number
}

/** `trusted` are the lab's roots, beside the standard ones. */
export async function handshake(
  server: TlsOptions,
  trusted: readonly Pick<Authority, 'certificate'>[] = [],
  options: ConnectionOptions = {},
): Promise<Handshake> {
  const listener = createServer(server, socket => socket.on('error', () => {}).resume())
  listener.on('tlsClientError', () => {})
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const trust = createTrustStore(trusted.map(root => root.certificate).join(''))
  const { port } = listener.address() as AddressInfo
  const socket = connect({
    port,
    host: '127.0.0.1',
    ca: [...trust.pem],
    rejectUnauthorized: false,
    checkServerIdentity: () => undefined,
    ...options,
  })
  try {
    await once(socket, 'secureConnect')
    const start = performance.now()
    const facts = await describeCertificates(socket, trust)
    return { facts, protocol: socket.getProtocol(), milliseconds: performance.now() - start }
  } finally {
    socket.on('error', () => {}).destroy()
    listener.close()
  }
}
