// The key exchange of a handshake, as Node reports it.
import { curveNames } from './algorithms.ts'

export interface KeyExchange {
  /** `ECDH` or `DH`; another kind as Node names it. */
  readonly kind: string
  /** The named group (RFC 8446 section 4.2.7); null for finite fields, which Node does not name. */
  readonly group: string | null
  readonly bits: number | null
  /**
   * Whether the group withstands quantum computers. False only if this client offered such a group and the server chose
   * another; null if it offered none, so that nothing is known about the server.
   */
  readonly post_quantum: boolean | null
}

/** ML-KEM and its draft, alone or combined with a curve: `X25519MLKEM768`, `X25519Kyber768Draft00`. */
const POST_QUANTUM = /mlkem|kyber/i

/**
 * Expects the result of `getEphemeralKeyInfo()`: an empty object without an ephemeral key, and for groups that Node does
 * not know. Then, null.
 */
export function describeKeyExchange(info: object | null, isOffered: boolean): KeyExchange | null {
  const { type, name, size } = (info ?? {}) as { type?: unknown; name?: unknown; size?: unknown }
  if (typeof type !== 'string' && typeof name !== 'string') return null
  const group = typeof name === 'string' && name !== '' ? (curveNames.get(name) ?? name) : null
  const isPostQuantum = group !== null && POST_QUANTUM.test(group)
  return {
    kind: typeof type === 'string' ? type : 'ECDH',
    group,
    bits: typeof size === 'number' ? size : null,
    post_quantum: isPostQuantum || (isOffered ? false : null),
  }
}
