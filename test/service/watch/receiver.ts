// A receiver of webhooks on loopback, and the client that may reach it.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createNetwork } from '../../../src/network/create_network.ts'
import { createGuard } from '../../../src/network/guard.ts'
import { createWatchMail } from '../../../src/service/watch/mail.ts'
import { createWebhooks, type Webhooks } from '../../../src/service/watch/webhook.ts'

export interface Received {
  readonly url: string
  readonly method: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Receiver {
  readonly url: string
  readonly port: number
  /** In the order of arrival. */
  readonly received: Received[]
  /** Replaces how it answers: 204 by default. */
  answer(how: (response: ServerResponse, received: Received) => void): void
  close(): void
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  let how: (response: ServerResponse, received: Received) => void = response => response.writeHead(204).end()
  const server = createServer(async (request, response) => {
    response.on('error', () => {})
    const body = await text(request).catch(() => '')
    const { url = '', method = '', headers } = request
    const one = { url, method, headers, body }
    received.push(one)
    how(response, one)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received,
    answer(other) {
      how = other
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** A service that sends no e-mail. */
export const noMail = createWatchMail(
  {
    host: null,
    port: 587,
    tls: 'starttls',
    user: null,
    password: null,
    from: null,
    recipient_domains: [],
  },
  { name: 'assay.invalid' },
)

/** Webhooks that may be sent to loopback. */
export function openWebhooks(allow_private: readonly string[] = ['127.0.0.1']): Webhooks & { close(): Promise<void> } {
  const network = createNetwork({ resolvers: ['127.0.0.1:9'], guard: createGuard() })
  const settings = { allow_private: [...allow_private], deny: ['denied.example'], url_ports: [80, 443, 8443] }
  return { ...createWebhooks(settings, network.open), close: network.close }
}
