// A TLS server on loopback, one handshake with it, and what the certificates then say.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type ConnectionOptions, connect, createServer, type TlsOptions } from 'node:tls'
import {
  type CertificateFacts,
  createTrustStore,
  describeCertificates,
  type TrustStore,
} from '../../src/evidence/tls/chain.ts'
import { peerInfoOf } from '../../src/network/tls.ts'
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
  const roots = trusted.map(root => root.certificate)
  const { port } = listener.address() as AddressInfo
  const socket = connect({
    port,
    host: '127.0.0.1',
    ...(roots.length > 0 ? { ca: roots } : {}),
    rejectUnauthorized: false,
    checkServerIdentity: () => undefined,
    ...options,
  })
  try {
    await once(socket, 'secureConnect')
    const start = cpuMs()
    const facts = await describeCertificates(peerInfoOf(socket), trusting(roots.join('')))
    return { facts, protocol: socket.getProtocol(), milliseconds: cpuMs() - start }
  } finally {
    socket.on('error', () => {}).destroy()
    listener.close()
  }
}

const stores = new Map<string, TrustStore>()

/** Reading all the standard roots anew for each handshake would take longer than the handshake. */
function trusting(extraPem: string): TrustStore {
  const store = stores.get(extraPem) ?? createTrustStore(extraPem)
  stores.set(extraPem, store)
  return store
}

/** Milliseconds of CPU that this process has used: what others on the machine do does not count. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
