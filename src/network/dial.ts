// TCP to one of several addresses by happy eyeballs (RFC 8305): families in turn, each a head start, the first wins.
import { connect as connectTcp, isIPv6, type Socket } from 'node:net'
import type { Ending } from './abort.ts'
import { raceAttempts, type Tried } from './happy_eyeballs.ts'
import type { ConnectFailure, ConnectResult, Dial } from './network.ts'

/** RFC 8305 section 5: milliseconds before the next address is tried as well. */
const ATTEMPT_DELAY_MS = 250

export interface DialRequest {
  /** Vetted, in dialling order. */
  readonly addresses: readonly string[]
  readonly port: number
  readonly limit_ms: number
  readonly signal: AbortSignal
  /** Null when no more connections may be opened. */
  readonly open: (address: string, port: number) => Socket | null
}

/** An address literal, so that no name is looked up. */
export const dialTcp: Dial = (address, port) => connectTcp({ host: address, port, noDelay: true })

/** Alternates the families, that of the first address first, each in the order given (RFC 8305 section 4). */
export function interleave(addresses: readonly string[]): string[] {
  const family = isIPv6(addresses[0] ?? '')
  const first = addresses.filter(address => isIPv6(address) === family)
  const second = addresses.filter(address => isIPv6(address) !== family)
  return addresses.flatMap((_, at) => [...first.slice(at, at + 1), ...second.slice(at, at + 1)])
}

/**
 * The first connection made; the others are destroyed. Never rejects. Of several failures the most telling one counts:
 * the target's own word (`refused`, then `reset`), then silence (`timeout`), then our lack of a way (`unreachable`).
 */
export async function dialFirst({ addresses, port, limit_ms, signal, open }: DialRequest): Promise<ConnectResult> {
  const attempts = addresses.map(address => (ended: Ending) => dialOne(open(address, port), address, ended))
  const dialled = await raceAttempts(attempts, { delay_ms: ATTEMPT_DELAY_MS, limit_ms, signal })
  if (dialled.ok) return { ok: true, ...dialled.value }
  if (dialled.aborted) return { ok: false, failure: 'cancelled' }
  const failures: readonly ConnectFailure[] = dialled.pending ? [...dialled.failures, 'timeout'] : dialled.failures
  const telling = mostTelling.find(failure => failures.includes(failure))
  return { ok: false, failure: telling ?? 'unreachable' }
}

const mostTelling: readonly ConnectFailure[] = ['refused', 'reset', 'timeout', 'too_many_connections']

type Dialled = { readonly socket: Socket; readonly address: string }

function dialOne(socket: Socket | null, address: string, ended: Ending) {
  return new Promise<Tried<Dialled, ConnectFailure>>(resolve => {
    if (!socket) return resolve({ ok: false, failure: 'too_many_connections' })
    const stop = ended.onEnd(() => socket.destroy())
    socket.once('connect', () => {
      stop()
      resolve({ ok: true, value: { socket, address } })
    })
    // Stays for the socket's life: an error that nobody else listens to must not end the process
    socket.on('error', (error: NodeJS.ErrnoException) => {
      stop()
      resolve({ ok: false, failure: failures[error.code ?? ''] ?? 'unreachable' })
    })
  })
}

/** Every other error is ours or the path's. */
const failures: Readonly<Record<string, ConnectFailure>> = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  ETIMEDOUT: 'timeout',
}
