// A TLS server on loopback, one handshake with it, and the resulting certificate facts.
import { once } from 'node:events'
import { type AddressInfo, connect as connectTcp } from 'node:net'
import { type ConnectionOptions, connect, createServer, type TlsOptions } from 'node:tls'
import { type CertificateFacts, describeCertificates } from '../../src/evidence/tls/chain.ts'
import { createTrustStore, type TrustStore } from '../../src/evidence/tls/trust_store.ts'
import { tapCertificates } from '../../src/network/sent_certificates.ts'
import { peerInfoOf } from '../../src/network/tls.ts'
import type { Authority } from '../../src/testing/lab_ca.ts'
import { measureCost } from '../cpu.ts'

export interface Handshake {
  readonly facts: CertificateFacts
  readonly protocol: string | null
  /** Of the description, in walks (`test/cpu.ts`). */
  readonly cost: number
}

/** `trusted` are the lab's roots, in addition to the default ones. */
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
  const tap = tapCertificates(connectTcp({ port, host: '127.0.0.1' }))
  const socket = connect({
    socket: tap.stream,
    ...(roots.length > 0 ? { ca: roots } : {}),
    rejectUnauthorized: false,
    checkServerIdentity: () => undefined,
    ...options,
  })
  try {
    socket.on('keylog', line => tap.keylog(line))
    await once(socket, 'secureConnect')
    // A server that wants a certificate of its client breaks off now.
    socket.on('error', () => {})
    const costOf = measureCost()
    const facts = await describeCertificates(
      peerInfoOf(socket, null, { staple: undefined, sent: tap.read() }),
      new Date(),
      trusting(roots.join('')),
    )
    return { facts, protocol: socket.getProtocol(), cost: costOf() }
  } finally {
    socket.destroy()
    listener.close()
  }
}

const stores = new Map<string, TrustStore>()

/** Cached, because reading all default roots takes longer than a handshake. */
function trusting(extraPem: string): TrustStore {
  const store = stores.get(extraPem) ?? createTrustStore(extraPem)
  stores.set(extraPem, store)
  return store
}
