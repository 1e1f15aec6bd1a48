// The transports of the lab DNS: one port for UDP and TCP, and the parsing of queries from a stream.
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LabReply } from './lab_dns_reply.ts'

/** Answers the queries of a TCP connection in order (RFC 7766). */
export function serveStream(socket: Socket, answer: (query: Buffer) => Promise<LabReply>): void {
  let held = Buffer.alloc(0)
  socket.on('data', async chunk => {
    held = Buffer.concat([held, chunk])
    while (held.length >= 2 && held.length >= 2 + held.readUInt16BE(0)) {
      const end = 2 + held.readUInt16BE(0)
      const query = held.subarray(2, end)
      held = held.subarray(end)
      const { messages, drip_ms } = await answer(query)
      for (const message of messages) await write(socket, message, drip_ms)
    }
  })
}

async function write(socket: Socket, message: Buffer, drip_ms?: number): Promise<void> {
  if (!drip_ms) return void socket.write(message)
  for (let at = 0; at < message.length && !socket.destroyed; at++) {
    socket.write(message.subarray(at, at + 1))
    await sleep(drip_ms, undefined, { ref: false })
  }
}

/** One port for both: UDP binds the port that TCP got. With port 0 it may be taken; another one is then tried. */
export async function listenTwice(port: number, host = '127.0.0.1', tries = 5) {
  const tcp = createServer()
  tcp.listen(port, host)
  await once(tcp, 'listening')
  const address = tcp.address()
  const taken = typeof address === 'object' && address ? address.port : port
  const udp = createSocket({ type: 'udp4', recvBufferSize: 1 << 20 })
  try {
    udp.bind(taken, host)
    await once(udp, 'listening')
    return { tcp, udp, port: taken }
  } catch (error) {
    tcp.close()
    if (port !== 0 || tries === 0) throw error
    return listenTwice(port, host, tries - 1)
  }
}
