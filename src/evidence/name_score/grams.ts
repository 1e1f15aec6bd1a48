// The n-grams of a name, hashed into buckets: what the regressions read.
import { finish, hashText, step } from './hash.ts'
import { addGrams, addParts, createCodes, wholeOf, writeCodes } from './ngram_hash.ts'
import type { NameParts } from './parts.ts'
import { hashShape, sounds } from './shapes.ts'

/** Parts whose n-grams are kept apart, in the order they are read. */
export const gramSpaces = ['label', 'subdomain', 'suffix'] as const

export interface Grams {
  /** Bucket numbers; of the last name read. */
  readonly buckets: Uint32Array
  /** Where each space of `gramSpaces` ends in `buckets`. */
  readonly ends: Uint32Array
  read(parts: NameParts): void
}

/** A name of 253 octets yields fewer; of longer text the rest is left out. */
const mostGrams = 2_048

/** How many characters n-grams have, at least and at most. */
const sizes = { label: [2, 6], pattern: [4, 7], subdomain: [3, 5] } as const

const seeds = {
  label: hashText('label'),
  word: hashText('word'),
  shape: hashText('shape'),
  pattern: hashText('pattern'),
  subdomain: hashText('subdomain'),
  subdomainWord: hashText('subdomain word'),
  depth: hashText('depth'),
  suffix: hashText('suffix'),
  top: hashText('top'),
  suffixLength: hashText('suffix and length'),
  suffixShape: hashText('suffix and shape'),
  suffixStart: hashText('suffix and start'),
  suffixEnd: hashText('suffix and end'),
  suffixHost: hashText('suffix and host'),
}

const codes = createCodes()

function addLabel({ label }: NameParts, list: Uint32Array, count: number): number {
  let filled = count
  writeCodes(label, codes)
  filled = addGrams(codes, seeds.label, sizes.label, list, filled)
  writeCodes(label, codes, sounds)
  filled = addGrams(codes, seeds.pattern, sizes.pattern, list, filled)
  filled = addParts(label, seeds.word, list, filled)
  list[filled++] = hashShape(label, seeds.shape)
  return filled
}

function addSubdomain({ subdomain }: NameParts, list: Uint32Array, count: number): number {
  if (subdomain === '') return count
  let filled = count
  writeCodes(subdomain, codes)
  filled = addGrams(codes, seeds.subdomain, sizes.subdomain, list, filled)
  filled = addParts(subdomain, seeds.subdomainWord, list, filled)
  list[filled++] = hashShape(subdomain, seeds.depth)
  return filled
}

/** Characters at an end of the label that are seen together with its suffix. */
const edge = 3

function addSuffix({ label, subdomain, suffix, tenant }: NameParts, list: Uint32Array, count: number): number {
  let filled = count
  const dot = subdomain.indexOf('.')
  const host = wholeOf(subdomain, seeds.suffixHost, 0, dot < 0 ? subdomain.length : dot)
  list[filled++] = wholeOf(suffix, seeds.suffix)
  list[filled++] = step(wholeOf(suffix, seeds.top, suffix.lastIndexOf('.') + 1), tenant ? 1 : 0)
  list[filled++] = step(wholeOf(suffix, seeds.suffixLength), label.length)
  list[filled++] = wholeOf(suffix, wholeOf(label, seeds.suffixStart, 0, Math.min(edge, label.length)))
  list[filled++] = wholeOf(suffix, wholeOf(label, seeds.suffixEnd, Math.max(0, label.length - edge)))
  list[filled++] = wholeOf(suffix, host)
  list[filled++] = step(hashShape(label, wholeOf(suffix, seeds.suffixShape)), subdomain === '' ? 0 : 1)
  return filled
}

/** `bits`: the logarithm of the number of buckets. One reader is for one caller: it reuses its arrays. */
export function createGrams(bits: number): Grams {
  const mask = 2 ** bits - 1
  const buckets = new Uint32Array(mostGrams)
  const ends = new Uint32Array(gramSpaces.length)
  return {
    buckets,
    ends,
    read(parts) {
      const afterLabel = addLabel(parts, buckets, 0)
      const afterSubdomain = addSubdomain(parts, buckets, afterLabel)
      const afterSuffix = addSuffix(parts, buckets, afterSubdomain)
      ends[0] = Math.min(mostGrams, afterLabel)
      ends[1] = Math.min(mostGrams, afterSubdomain)
      ends[2] = Math.min(mostGrams, afterSuffix)
      for (let at = 0; at < (ends[2] ?? 0); at++) buckets[at] = finish(buckets[at] ?? 0) & mask
    },
  }
}
