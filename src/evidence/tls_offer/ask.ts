// Asks one server one question: connects, sends a hello, reads the reply, and leaves before the handshake is complete.
import { onAbort } from '../../network/abort.ts'
import { connectionFailure } from '../../network/connection.ts'
import type { CheckNetwork } from '../../network/network.ts'
import { loopAwareTimeout } from '../../timeout.ts'
import { type Hello, writeHello } from './client_hello.ts'
import { createReplyReader, type Reply } from './server_reply.ts'

type Socket = Extract<Awaited<ReturnType<CheckNetwork['connect']>>, { ok: true }>['socket']

export interface Question {
  readonly network: CheckNetwork
  readonly address: string
  readonly port: number
  readonly hello: Hello
  /** Milliseconds for the reply, after the connection. */
  readonly timeout_ms: number
  readonly signal: AbortSignal
}

/** Never rejects. */
export async function ask({ network, address, port, hello, timeout_ms, signal }: Question): Promise<Reply> {
  const connected = await network.connect({ addresses: [address], port, signal, purpose: 'tls_offer' })
  if (!connected.ok) return { outcome: 'unknown', reason: connected.failure }
  const reply = await exchange(connected.socket, hello, timeout_ms, signal)
  // Without an alert, which old servers log as an error of its own.
  connected.socket.destroy()
  return reply
}

function exchange(socket: Socket, hello: Hello, timeout_ms: number, signal: AbortSignal): Promise<Reply> {
  return new Promise(resolve => {
    const reader = createReplyReader(hello.version)
    const settle = (reply: Reply) => {
      cancel()
      unsubscribe()
      socket.off('data', read).off('end', ended).off('close', ended).off('error', failed)
      resolve(reply)
    }
    const read = (chunk: Buffer) => {
      const reply = reader.push(chunk)
      if (reply !== null) settle(reply)
    }
    const ended = () => settle(reader.end({ outcome: 'refused', reason: 'closed' }))
    const failed = (error: Error) => {
      const reason = connectionFailure(error)
      settle(reader.end({ outcome: reason === 'reset' ? 'refused' : 'unknown', reason }))
    }
    const late = (reason: string) => () => settle(reader.end({ outcome: 'unknown', reason }))
    const cancel = loopAwareTimeout(timeout_ms, late('timeout'))
    const unsubscribe = onAbort(signal, late('cancelled'))
    socket.on('data', read).once('end', ended).once('close', ended).once('error', failed)
    if (signal.aborted) late('cancelled')()
    else socket.write(writeHello(hello))
  })
}
