// 64-bit keyed hashes of short ASCII text: HalfSipHash-1-3 (Aumasson and Bernstein), in the 32-bit integers that
// JavaScript has. Keyed anew in every process, so that nobody can make a name that collides with a listed one.
import { randomBytes } from 'node:crypto'

export interface KeyHash {
  /** Of the text from `from` on. Never 0 in both halves, which tables take for an empty place. */
  of(text: string, from?: number): void
  /** Halves of the last hash, unsigned. */
  high: number
  low: number
}

const rotate = (x: number, by: number): number => (x << by) | (x >>> (32 - by))

/** `secret` has eight octets. */
export function createKeyHash(secret: Uint8Array = randomBytes(8)): KeyHash {
  const words = new DataView(secret.buffer, secret.byteOffset, 8)
  const k0 = words.getInt32(0, true)
  const k1 = words.getInt32(4, true)
  let v0 = 0
  let v1 = 0
  let v2 = 0
  let v3 = 0
  const round = () => {
    v0 = (v0 + v1) | 0
    v1 = rotate(v1, 5) ^ v0
    v0 = rotate(v0, 16)
    v2 = (v2 + v3) | 0
    v3 = rotate(v3, 8) ^ v2
    v0 = (v0 + v3) | 0
    v3 = rotate(v3, 7) ^ v0
    v2 = (v2 + v1) | 0
    v1 = rotate(v1, 13) ^ v2
    v2 = rotate(v2, 16)
  }
  const absorb = (word: number) => {
    v3 ^= word
    round()
    v0 ^= word
  }
  const hash: KeyHash = {
    high: 0,
    low: 0,
    of(text, from = 0) {
      v0 = k0
      v1 = k1 ^ 0xee
      v2 = 0x6c796765 ^ k0
      v3 = 0x74656462 ^ k1
      const length = text.length - from
      const whole = from + (length & ~3)
      let at = from
      for (; at < whole; at += 4) {
        absorb(
          text.charCodeAt(at) |
            (text.charCodeAt(at + 1) << 8) |
            (text.charCodeAt(at + 2) << 16) |
            (text.charCodeAt(at + 3) << 24),
        )
      }
      let last = length << 24
      for (let shift = 0; at < text.length; at++, shift += 8) last |= text.charCodeAt(at) << shift
      absorb(last)
      v2 ^= 0xee
      round()
      round()
      round()
      hash.high = (v1 ^ v3) >>> 0
      v1 ^= 0xdd
      round()
      round()
      round()
      hash.low = (v1 ^ v3) >>> 0
      if (hash.high === 0 && hash.low === 0) hash.low = 1
    },
  }
  return hash
}

/** One secret for all tables of the process, so that a name is hashed once for all feeds. */
export const keyHash: KeyHash = createKeyHash()
