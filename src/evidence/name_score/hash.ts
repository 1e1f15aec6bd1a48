// Hashes of text that are the same on every machine: FNV-1a with the final mix of MurmurHash3.

export const start = 0x811c9dc5

/** One more UTF-16 code unit. */
export const step = (hash: number, code: number): number => Math.imul(hash ^ code, 0x01000193)

/** FNV's high bits alone are weak on short text. */
export function finish(hash: number): number {
  let h = hash
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** 32 bits, unsigned. */
export function hashText(text: string, seed = start): number {
  let hash = seed
  for (let index = 0; index < text.length; index++) hash = step(hash, text.charCodeAt(index))
  return finish(hash)
}
