// HTTP on one connection.
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { capOctets, type OctetCap } from './connection.ts'
import type { HttpSession } from './http.ts'
import { openHttp1Session } from './http1_session.ts'
import { openHttp2Session } from './http2_session.ts'
import type { Limits } from './limits.ts'
import { HTTP_PROTOCOLS, HTTP2 } from './tls.ts'

/**
 * Whether HTTP can be spoken on the connection. A server must select an offered protocol (RFC 7301 section 3.2); one that
 * selects none speaks HTTP/1.1.
 */
export const speaksHttp = ({ alpnProtocol }: TLSSocket): boolean =>
  !alpnProtocol || HTTP_PROTOCOLS.includes(alpnProtocol)

export interface Connected {
  readonly socket: Socket
  readonly address: string
  /** The cap that has counted since TLS began; absent for plain HTTP. */
  readonly octets?: OctetCap
}

/** Takes over the connection. */
export function openHttpSession({ socket, address, ...counted }: Connected, limits: Limits): HttpSession {
  const octets = counted.octets ?? capOctets(socket, () => socket.destroy())
  return socket instanceof TLSSocket && socket.alpnProtocol === HTTP2
    ? openHttp2Session({ socket, address, octets }, limits)
    : openHttp1Session({ socket, address, octets }, limits)
}
