// HTTP on one connection.
import type { Socket } from 'node:net'
import { capOctets, type OctetCap } from './connection.ts'
import type { HttpSession } from './http.ts'
import { openHttp1Session } from './http1_session.ts'
import type { Limits } from './limits.ts'

export interface Connected {
  readonly socket: Socket
  readonly address: string
  /** The cap that has counted since TLS began; absent for plain HTTP. */
  readonly octets?: OctetCap
}

/** Takes over the connection. */
export function openHttpSession({ socket, address, ...counted }: Connected, limits: Limits): HttpSession {
  const octets = counted.octets ?? capOctets(socket, () => socket.destroy())
  return openHttp1Session({ socket, address, octets }, limits)
}
