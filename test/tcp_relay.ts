// A relay between a client and a server on loopback, and the weather on its line.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

/** What becomes of each piece that comes, either way; pieces of one direction stay in order. */
export interface Weather {
  /** Milliseconds until it arrives. */
  readonly delay_ms?: () => number
  /** It never arrives, and nobody is told: the line is half open. */
  readonly lost?: boolean
  /** The same for what the server sends. */
  readonly replies_lost?: boolean
  /** The server never sees what the client sends: this answers in its place. */
  readonly instead?: (client: Socket) => void
  /** The connection is reset instead. */
  readonly reset?: () => boolean
}

export interface Relay {
  readonly port: number
  weather: Weather
  /** Connections made to it, and octets that clients sent. */
  readonly connections: number
  readonly sent: number
}

export async function startRelay(t: TestContext, to: number): Promise<Relay> {
  const sockets = new Set<Socket>()
  const relay = { port: 0, weather: {} as Weather, connections: 0, sent: 0 }

  function carry(from: Socket, onward: Socket, client: Socket): void {
    let last = Promise.resolve()
    from.on('data', piece => {
      const { delay_ms = () => 0, instead, reset = () => false } = relay.weather
      const lost = relay.weather.lost || (relay.weather.replies_lost && from !== client)
      if (reset()) {
        from.resetAndDestroy()
        onward.resetAndDestroy()
      } else if (instead !== undefined) {
        if (from === client) instead(client)
      } else if (!lost) {
        const arrival = new Promise<void>(resolve => setTimeout(resolve, delay_ms()))
        last = Promise.all([last, arrival]).then(() => void onward.write(piece))
      }
    })
    from.on('error', () => onward.destroy())
    from.on('close', () => onward.destroy())
  }

  const server = createServer(client => {
    relay.connections += 1
    const onward = connect(to, '127.0.0.1')
    for (const socket of [client, onward]) {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
    }
    client.on('data', piece => {
      relay.sent += piece.length
    })
    carry(client, onward, client)
    carry(onward, client, client)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  relay.port = (server.address() as AddressInfo).port
  return relay
}
