// Makes offers to one TLS server, one after the other, and limits their number and time. Each offer is a connection
// that ends before the handshake is complete.

import { onAbort, timeLimit } from '../../base/abort.ts'
import { loopAwareTimeout } from '../../base/timeout.ts'
import { connectionFailure } from '../../network/connection.ts'
import type { CheckNetwork } from '../../network/network.ts'
import { type Hello, writeHello } from './client_hello.ts'
import { createReplyReader, type Reply } from './server_reply.ts'

/** Milliseconds for one reply: it costs the server at most one signature. */
const REPLY_MS = 2_000
/** Milliseconds before the end of the check at which offers stop, so that the replies are still analyzed. */
const SPARE_MS = 300
/** Offers without a reply after which no more are made: the server, or a filter in front of it, drops them. */
const MOST_SILENCES = 2

export type Offer = Omit<Hello, 'server_name'>

export interface ServerProbe {
  /** Makes the offer unless the budget, the time or earlier silence forbids it. Never rejects. */
  ask(offer: Offer): Promise<Reply>
  /** Repeats an accepted offer if the server has only closed connections since: it may have stopped answering us. */
  prove(): Promise<void>
  /** The reply, or unknown: a refusal without an alert counts only if the server answers later offers. */
  settled(reply: Reply): Reply
  /** In the order of the offers. */
  replies(): readonly Reply[]
}

export interface ServerProbeOptions {
  readonly network: CheckNetwork
  readonly signal: AbortSignal
  /** On the monotonic clock. */
  readonly deadline: number
  readonly address: string
  readonly port: number
  readonly server_name: string | null
}

const unknown = (reason: string): Reply => ({ outcome: 'unknown', reason })

export function createServerProbe({
  network,
  signal,
  deadline,
  address,
  port,
  server_name,
}: ServerProbeOptions): ServerProbe {
  const exchanges: { readonly offer: Offer; readonly reply: Reply }[] = []
  const replies = () => exchanges.map(({ reply }) => reply)
  const remainingMs = () => deadline - SPARE_MS - performance.now()

  async function askOnce(offer: Offer): Promise<Reply> {
    const limit = timeLimit(remainingMs(), signal)
    const hello = { ...offer, server_name }
    const timeoutMs = Math.min(REPLY_MS, network.limits.tls_ms)
    const reply = await ask({ network, address, port, hello, timeout_ms: timeoutMs, signal: limit.signal })
    limit.end()
    const isLate = limit.late() && reply.outcome === 'unknown' && reply.reason === 'cancelled'
    return isLate ? unknown('deadline') : reply
  }

  const server: ServerProbe = {
    replies,
    async ask(offer) {
      const silences = replies().filter(reply => reply.outcome === 'unknown' && reply.reason === 'timeout')
      if (silences.length >= MOST_SILENCES) return unknown('timeout')
      if (remainingMs() <= 0) return unknown('deadline')
      const reply = await askOnce(offer)
      exchanges.push({ offer, reply })
      return reply
    },
    async prove() {
      const spoke = exchanges.findLastIndex(({ reply }) => isSpoken(reply))
      const isOpen = exchanges.slice(spoke + 1).some(({ reply }) => isMute(reply))
      const acceptedExchange = exchanges.find(({ reply }) => reply.outcome === 'accepted')
      if (isOpen && acceptedExchange) await server.ask(acceptedExchange.offer)
    },
    settled(reply) {
      const at = replies().indexOf(reply)
      const isProved = at === -1 || replies().slice(at).some(isSpoken)
      return isMute(reply) && !isProved ? unknown(reply.reason) : reply
    },
  }
  return server
}

/** The server closed the connection, which a filter in front of it may have done. */
const isMute = (reply: Reply): reply is Extract<Reply, { outcome: 'refused' }> =>
  reply.outcome === 'refused' && (reply.reason === 'closed' || reply.reason === 'reset')

const isSpoken = (reply: Reply): boolean =>
  reply.outcome === 'accepted' || (reply.outcome === 'refused' && !isMute(reply))

type Socket = Extract<Awaited<ReturnType<CheckNetwork['connect']>>, { ok: true }>['socket']

interface ProbeRequest {
  readonly network: CheckNetwork
  readonly address: string
  readonly port: number
  readonly hello: Hello
  /** Milliseconds for the reply, after the connection. */
  readonly timeout_ms: number
  readonly signal: AbortSignal
}

/** Never rejects. */
async function ask({ network, address, port, hello, timeout_ms, signal }: ProbeRequest): Promise<Reply> {
  const connectResult = await network.connect({ addresses: [address], port, signal, purpose: 'tls_offer' })
  if (!connectResult.ok) return { outcome: 'unknown', reason: connectResult.failure }
  const reply = await exchange(connectResult.socket, hello, timeout_ms, signal)
  // Sends no alert, because old servers log it as an error.
  connectResult.socket.destroy()
  return reply
}

function exchange(socket: Socket, hello: Hello, timeoutMs: number, signal: AbortSignal): Promise<Reply> {
  return new Promise(resolve => {
    const reader = createReplyReader(hello.version)
    const settle = (reply: Reply) => {
      cancel()
      unsubscribe()
      socket.off('data', read).off('end', onEnd).off('close', onEnd).off('error', onError)
      resolve(reply)
    }
    const read = (chunk: Buffer) => {
      const reply = reader.push(chunk)
      if (reply !== null) settle(reply)
    }
    const onEnd = () => settle(reader.end({ outcome: 'refused', reason: 'closed' }))
    const onError = (error: Error) => {
      const reason = connectionFailure(error)
      settle(reader.end({ outcome: reason === 'reset' ? 'refused' : 'unknown', reason }))
    }
    const late = (reason: string) => () => settle(reader.end({ outcome: 'unknown', reason }))
    const cancel = loopAwareTimeout(timeoutMs, late('timeout'))
    const unsubscribe = onAbort(signal, late('cancelled'))
    socket.on('data', read).once('end', onEnd).once('close', onEnd).once('error', onError)
    if (signal.aborted) late('cancelled')()
    else socket.write(writeHello(hello))
  })
}
