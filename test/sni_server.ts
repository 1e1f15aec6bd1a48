// A TLS server that notes the names by which clients reach it.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { createServer, type TlsOptions } from 'node:tls'
import { createAuthority } from '../src/testing/lab_ca.ts'

export interface SniServer {
  /** On 127.0.0.1. */
  readonly port: number
  /** The names that clients told, in their order. */
  readonly names: readonly string[]
}

/** Its certificate is for `localhost`, from an authority that nobody knows. Closed after the test. */
export async function startSniServer(t: TestContext): Promise<SniServer> {
  const names: string[] = []
  const SNICallback: TlsOptions['SNICallback'] = (name, choose) => {
    names.push(name)
    choose(null)
  }
  const credentials = createAuthority().issue({ names: ['localhost'] })
  const server = createServer({ ...credentials, SNICallback }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return { port: (server.address() as AddressInfo).port, names }
}
