// Damage to octets: what a bad cable, a bad program and a bad person do.
import type { Chance } from './corpus.ts'

/** A copy with some octets flipped, changed, cut, doubled, moved or put in. */
export function mutated(octets: Buffer, dice: Chance, words: readonly string[] = []): Buffer {
  let made: Buffer = Buffer.from(octets)
  for (let left = 1 + dice.below(6); left > 0; left--) made = damage(made, dice, words)
  return made
}

function damage(octets: Buffer, { below, pick, next }: Chance, words: readonly string[]): Buffer {
  if (octets.length === 0) return Buffer.from([below(256)])
  const [at, length] = [below(octets.length), 1 + below(next() < 0.1 ? octets.length : 8)]
  const [before, piece, after] = [
    octets.subarray(0, at),
    octets.subarray(at, at + length),
    octets.subarray(at + length),
  ]
  const kind = below(7)
  if (kind === 0) octets.writeUInt8((octets[at] ?? 0) ^ (1 << below(8)), at)
  if (kind <= 1) return kind === 0 ? octets : before
  if (kind === 2) return Buffer.concat([before, after])
  if (kind === 3) return Buffer.concat([before, piece, piece, piece, after])
  if (kind === 4) return Buffer.concat([before, Buffer.from(Array.from({ length }, () => below(256))), after])
  if (kind === 5) return Buffer.concat([after, piece, before])
  return Buffer.concat([
    before,
    Buffer.from(words.length > 0 ? pick(words) : pick(['\0', '\xff\xff\xff\xff', '\r\n', '\x80'])),
    piece,
    after,
  ])
}
