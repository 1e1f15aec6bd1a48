// The n-grams of a name, hashed into buckets: what the regressions read.
import { finish, hashText, step } from './hash.ts'
import type { NameParts } from './parts.ts'
import { eachGram, eachPart, wholeOf } from './runs.ts'
import { patternOf, shapeOf } from './shapes.ts'

/** Parts whose n-grams are kept apart, in the order they are read. */
export const gramSpaces = ['label', 'subdomain', 'suffix'] as const

export interface Grams {
  /** Bucket numbers; of the last name read. */
  readonly buckets: Uint32Array
  /** Where each space of `gramSpaces` ends in `buckets`. */
  readonly ends: Uint32Array
  read(parts: NameParts): void
}

/** A name of 253 octets yields fewer. */
const mostGrams = 2_048

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

type Add = (hash: number) => void

function readLabel({ label }: NameParts, add: Add): void {
  eachGram(label, seeds.label, 2, 6, add)
  eachGram(patternOf(label), seeds.pattern, 4, 7, add)
  eachPart(label, seeds.word, add)
  add(wholeOf(shapeOf(label), seeds.shape))
}

function readSubdomain({ subdomain }: NameParts, add: Add): void {
  if (subdomain === '') return
  eachGram(subdomain, seeds.subdomain, 3, 5, add)
  eachPart(subdomain, seeds.subdomainWord, add)
  add(wholeOf(shapeOf(subdomain), seeds.depth))
}

/** Characters at an end of the label that are seen together with its suffix. */
const edge = 3

function readSuffix({ label, subdomain, suffix, tenant }: NameParts, add: Add): void {
  const top = suffix.slice(suffix.lastIndexOf('.') + 1)
  add(wholeOf(suffix, seeds.suffix))
  add(step(wholeOf(top, seeds.top), tenant ? 1 : 0))
  add(step(wholeOf(suffix, seeds.suffixLength), label.length))
  add(wholeOf(suffix, wholeOf(label.slice(0, edge), seeds.suffixStart)))
  add(wholeOf(suffix, wholeOf(label.slice(-edge), seeds.suffixEnd)))
  add(wholeOf(suffix, wholeOf(subdomain.split('.', 1)[0] ?? '', seeds.suffixHost)))
  add(step(wholeOf(shapeOf(label), wholeOf(suffix, seeds.suffixShape)), subdomain === '' ? 0 : 1))
}

/** `bits`: the logarithm of the number of buckets. One reader is for one caller: it reuses its arrays. */
export function createGrams(bits: number): Grams {
  const mask = 2 ** bits - 1
  const buckets = new Uint32Array(mostGrams)
  const ends = new Uint32Array(gramSpaces.length)
  let count = 0
  const add: Add = hash => {
    if (count < mostGrams) buckets[count++] = finish(hash) & mask
  }
  return {
    buckets,
    ends,
    read(parts) {
      count = 0
      readLabel(parts, add)
      ends[0] = count
      readSubdomain(parts, add)
      ends[1] = count
      readSuffix(parts, add)
      ends[2] = count
    },
  }
}
