// Logistic regressions over the n-grams of a name: for each objective and space, how strongly its n-grams suggest a
// malicious name.
import type { NameParts } from './facts.ts'
import {
  addGrams,
  addParts,
  createCodes,
  finish,
  hashShape,
  hashText,
  sounds,
  step,
  wholeOf,
  writeCodes,
} from './hash.ts'

// N-grams, hashed into buckets.

/** Parts of a name with n-grams of their own, in reading order. */
const GRAM_SPACES = ['label', 'subdomain', 'suffix'] as const

/** A name of 253 octets yields fewer; further n-grams of longer text are dropped. */
const MAX_GRAMS = 2_048

/** Shortest and longest n-gram, in characters. */
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
  let size = count
  writeCodes(label, codes)
  size = addGrams(codes, seeds.label, sizes.label, list, size)
  writeCodes(label, codes, sounds)
  size = addGrams(codes, seeds.pattern, sizes.pattern, list, size)
  size = addParts(label, seeds.word, list, size)
  list[size++] = hashShape(label, seeds.shape)
  return size
}

function addSubdomain({ subdomain }: NameParts, list: Uint32Array, count: number): number {
  if (subdomain === '') return count
  let size = count
  writeCodes(subdomain, codes)
  size = addGrams(codes, seeds.subdomain, sizes.subdomain, list, size)
  size = addParts(subdomain, seeds.subdomainWord, list, size)
  list[size++] = hashShape(subdomain, seeds.depth)
  return size
}

/** Characters at each end of the label that are combined with the suffix. */
const EDGE_CHARACTERS = 3

function addSuffix({ label, subdomain, suffix, tenant }: NameParts, list: Uint32Array, count: number): number {
  let size = count
  const dot = subdomain.indexOf('.')
  const host = wholeOf(subdomain, seeds.suffixHost, 0, dot < 0 ? subdomain.length : dot)
  list[size++] = wholeOf(suffix, seeds.suffix)
  list[size++] = step(wholeOf(suffix, seeds.top, suffix.lastIndexOf('.') + 1), tenant ? 1 : 0)
  list[size++] = step(wholeOf(suffix, seeds.suffixLength), label.length)
  list[size++] = wholeOf(suffix, wholeOf(label, seeds.suffixStart, 0, Math.min(EDGE_CHARACTERS, label.length)))
  list[size++] = wholeOf(suffix, wholeOf(label, seeds.suffixEnd, Math.max(0, label.length - EDGE_CHARACTERS)))
  list[size++] = wholeOf(suffix, host)
  list[size++] = step(hashShape(label, wholeOf(suffix, seeds.suffixShape)), subdomain === '' ? 0 : 1)
  return size
}

/** `bits`: the binary logarithm of the number of buckets. The arrays are reused by every `read`. */
export function createGrams(bits: number) {
  const mask = 2 ** bits - 1
  /** Bucket numbers; of the last name read. */
  const buckets = new Uint32Array(MAX_GRAMS)
  /** The end of each space of `GRAM_SPACES` in `buckets`. */
  const ends = new Uint32Array(GRAM_SPACES.length)
  return {
    buckets,
    ends,
    read(parts: NameParts) {
      const afterLabel = addLabel(parts, buckets, 0)
      const afterSubdomain = addSubdomain(parts, buckets, afterLabel)
      const afterSuffix = addSuffix(parts, buckets, afterSubdomain)
      ends[0] = Math.min(MAX_GRAMS, afterLabel)
      ends[1] = Math.min(MAX_GRAMS, afterSubdomain)
      ends[2] = Math.min(MAX_GRAMS, afterSuffix)
      for (let at = 0; at < (ends[2] ?? 0); at++) buckets[at] = finish(buckets[at] ?? 0) & mask
    },
  }
}

/** The kinds of names that each regression separates from benign names. */
export const aims = ['malicious', 'phishing', 'malware', 'generated'] as const

/** Regressions over the same buckets. */
export interface Regression {
  /** The logarithm of the number of buckets. */
  readonly bits: number
  /** Weights in steps, by bucket and then by objective. */
  readonly weights: Int8Array
  /** The size of a step, by objective. */
  readonly steps: Float32Array
}

export interface Regressions {
  /** The first objective, which matters most and therefore has the most buckets. */
  readonly whole: Regression
  /** The other objectives. */
  readonly kinds: Regression
}

/** Keeps the sum of a long name's many n-grams from growing with their number. */
export const scaleOf = (grams: number): number => 1 / Math.sqrt(Math.max(1, grams))

/** Sums of each space, and of all. */
export const sumSpaces = [...GRAM_SPACES, 'name'] as const

const sumCount = aims.length * sumSpaces.length

/** By space of `sumSpaces` and then by objective. The array is reused. */
export function createLogits({ whole, kinds }: Regressions): (parts: NameParts) => Float32Array {
  const grams = createGrams(Math.max(whole.bits, kinds.bits))
  const { buckets, ends } = grams
  const wholeMask = 2 ** whole.bits - 1
  const kindsMask = 2 ** kinds.bits - 1
  const [phishingStep = 0, malwareStep = 0, generatedStep = 0] = kinds.steps
  const steps = [whole.steps[0] ?? 0, phishingStep, malwareStep, generatedStep]
  const sums = new Float32Array(sumCount)
  const total = GRAM_SPACES.length * aims.length

  function sumSpace(first: number, from: number, to: number, scale: number): void {
    let [all, phishing, malware, generated] = [0, 0, 0, 0]
    for (let at = from; at < to; at++) {
      const bucket = buckets[at] ?? 0
      const place = (bucket & kindsMask) * 3
      all += whole.weights[bucket & wholeMask] ?? 0
      phishing += kinds.weights[place] ?? 0
      malware += kinds.weights[place + 1] ?? 0
      generated += kinds.weights[place + 2] ?? 0
    }
    sums[first] = all
    sums[first + 1] = phishing
    sums[first + 2] = malware
    sums[first + 3] = generated
    for (let aim = 0; aim < aims.length; aim++) {
      const sum = (sums[first + aim] ?? 0) * (steps[aim] ?? 0) * scale
      sums[first + aim] = sum
      sums[total + aim] = (sums[total + aim] ?? 0) + sum
    }
  }

  return parts => {
    grams.read(parts)
    const scale = scaleOf(ends[GRAM_SPACES.length - 1] ?? 0)
    sums.fill(0, total)
    for (let space = 0, from = 0; space < GRAM_SPACES.length; space++) {
      const to = ends[space] ?? 0
      sumSpace(space * aims.length, from, to, scale)
      from = to
    }
    return sums
  }
}
