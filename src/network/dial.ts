// Opens TCP to one of several addresses by Happy Eyeballs (RFC 8305): families alternate, each address gets a head
// start, the first connection wins. Node's `autoSelectFamily` fits a host name: it cannot vet or count each address.
import { connect as connectTcp, isIPv4, isIPv6, type Socket } from 'node:net'
import type { StopSignal } from '../base/abort.ts'
import { throughNat64 } from './address_block.ts'
import { interfaceAddresses } from './guard.ts'
import { type AttemptResult, raceAttempts } from './happy_eyeballs.ts'
import type { ConnectFailure, ConnectResult, Dial } from './network.ts'

/** Milliseconds before the next address is tried as well (RFC 8305 section 5). */
const ATTEMPT_DELAY_MS = 250

export interface DialRequest {
  /** Vetted, in dialling order. */
  readonly addresses: readonly string[]
  readonly port: number
  readonly limit_ms: number
  readonly signal: AbortSignal
  readonly open: OpenSocket
}

/** Null when no more connections may be opened. */
export type OpenSocket = (address: string, port: number) => Socket | null

/** Takes an address literal, so that no name is looked up. */
export const dialTcp: Dial = (address, port) => connectTcp({ host: wayTo(address), port, noDelay: true })

/** Local addresses that reach no other network: link-local. */
const isLocal = (cidr: string) => /^(?:fe[89ab]|169\.254\.)/i.test(cidr)

/** Where to dial a vetted address: on a machine with IPv6 alone, IPv4 is behind the network's NAT64 (RFC 8305 section 7.1). */
export function wayTo(address: string, own: readonly string[] = interfaceAddresses()): string {
  const reaching = own.filter(cidr => !isLocal(cidr))
  const hasIPv6Alone = reaching.length > 0 && reaching.every(cidr => cidr.includes(':'))
  return hasIPv6Alone && isIPv4(address) ? throughNat64(address) : address
}

/**
 * Alternates the families, starting with the family of the first address; each family keeps its order (RFC 8305 section 4).
 */
export function interleave(addresses: readonly string[]): string[] {
  const family = isIPv6(addresses[0] ?? '')
  const first = addresses.filter(address => isIPv6(address) === family)
  const second = addresses.filter(address => isIPv6(address) !== family)
  return addresses.flatMap((_, at) => [...first.slice(at, at + 1), ...second.slice(at, at + 1)])
}

/**
 * Returns the first connection and destroys the others. Never rejects. Of several failures the most telling counts: an
 * answer of the target (`refused`, then `reset`), then silence (`timeout`), then a fault on our side (`unreachable`).
 */
export async function dialFirst({ addresses, port, limit_ms, signal, open }: DialRequest): Promise<ConnectResult> {
  const began = performance.now()
  const attempts = addresses.map(address => (stop: StopSignal) => dialOne(open(address, port), address, stop))
  const result = await raceAttempts(attempts, { delay_ms: ATTEMPT_DELAY_MS, limit_ms, signal })
  if (result.ok) return { ok: true, ...result.value, opening: { began, connected: performance.now() } }
  if (result.aborted) return { ok: false, failure: 'cancelled' }
  const failures: readonly ConnectFailure[] = result.pending ? [...result.failures, 'timeout'] : result.failures
  const telling = MOST_TELLING.find(failure => failures.includes(failure))
  return { ok: false, failure: telling ?? 'unreachable' }
}

const MOST_TELLING: readonly ConnectFailure[] = ['refused', 'reset', 'timeout', 'too_many_connections']

type Connection = { readonly socket: Socket; readonly address: string }

function dialOne(socket: Socket | null, address: string, stop: StopSignal) {
  return new Promise<AttemptResult<Connection, ConnectFailure>>(resolve => {
    if (!socket) return resolve({ ok: false, failure: 'too_many_connections' })
    const unsubscribe = stop.onStop(() => socket.destroy())
    socket.once('connect', () => {
      unsubscribe()
      resolve({ ok: true, value: { socket, address } })
    })
    // Stays for the life of the socket: an error without a listener would end the process.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      unsubscribe()
      resolve({ ok: false, failure: failures[error.code ?? ''] ?? 'unreachable' })
    })
  })
}

/** Every other error is a fault on our side or of the path. */
const failures: Readonly<Record<string, ConnectFailure>> = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  ETIMEDOUT: 'timeout',
}
