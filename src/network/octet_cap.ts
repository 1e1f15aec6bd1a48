// Bounds what a peer sends in all, also what never reaches the parser: tickets, key updates, empty records, framing.
import type { Socket } from 'node:net'

export interface OctetCap {
  /** So many more are foreseen. */
  raise(octets: number): void
}

/** Often enough that a peer at line rate costs little, seldom enough to cost nothing. */
const interval_ms = 50

/** What a peer may send besides heads and bodies: certificates, session tickets, framing. */
const overhead = 256 * 1024

/** Calls `exceeded` once soon after more octets than were foreseen have arrived on the TCP socket. */
export function capOctets(socket: Socket, exceeded: () => void): OctetCap {
  let cap = overhead
  const look = setInterval(() => {
    if (socket.bytesRead <= cap) return
    clearInterval(look)
    exceeded()
  }, interval_ms)
  look.unref()
  socket.once('close', () => clearInterval(look))
  return {
    raise: more => {
      cap += more
    },
  }
}
