// Bounds what a peer sends in all, also what never reaches the parser: tickets, key updates, empty records, framing.
import type { Socket } from 'node:net'

export interface OctetCap {
  raise(octets: number): void
}

/** Often enough that a peer at line rate costs little, seldom enough to cost nothing. */
const interval_ms = 50

/** Calls `exceeded` once soon after more octets than the cap have arrived on the TCP socket. */
export function capOctets(socket: Socket, octets: number, exceeded: () => void): OctetCap {
  let cap = octets
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
