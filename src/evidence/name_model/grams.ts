// The n-grams of a name, hashed into buckets: what the regressions read.
import { finish, hashText, step } from './hash.ts'
import type { NameParts } from './parts.ts'

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
const caret = 94
const dollar = 36
const hyphen = 45
const dot = 46

const seed = (space: string) => hashText(space)
const seeds = {
  label: seed('label'),
  word: seed('word'),
  shape: seed('shape'),
  subdomain: seed('subdomain'),
  subdomainWord: seed('subdomain word'),
  depth: seed('depth'),
  suffix: seed('suffix'),
  top: seed('top'),
  suffixLength: seed('suffix and length'),
  suffixShape: seed('suffix and shape'),
}

const isDigit = (code: number) => code >= 48 && code <= 57

/** Kinds of characters in the order they come, runs as one: `a0-a`. */
export function shapeOf(text: string): string {
  let shape = ''
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    const kind = isDigit(code) ? '0' : code === hyphen || code === dot ? text.charAt(index) : 'a'
    if (!shape.endsWith(kind)) shape += kind
  }
  return shape
}

/** `bits`: the logarithm of the number of buckets. One reader is for one caller: it reuses its arrays. */
export function createGrams(bits: number): Grams {
  const mask = 2 ** bits - 1
  const buckets = new Uint32Array(mostGrams)
  const ends = new Uint32Array(gramSpaces.length)
  let count = 0

  const add = (hash: number) => {
    if (count < mostGrams) buckets[count++] = finish(hash) & mask
  }

  /** Every n-gram of `^text$` with `least` to `most` characters. */
  function slide(text: string, space: number, least: number, most: number): void {
    const last = text.length + 1
    for (let from = 0; from <= last; from++) {
      let hash = space
      const to = Math.min(last, from + most - 1)
      for (let at = from; at <= to; at++) {
        hash = step(hash, at === 0 ? caret : at === last ? dollar : text.charCodeAt(at - 1))
        if (at - from + 1 >= least) add(hash)
      }
    }
  }

  /** Words between hyphens, dots and digits. */
  function words(text: string, space: number): void {
    let hash = space
    let length = 0
    for (let at = 0; at <= text.length; at++) {
      const code = at < text.length ? text.charCodeAt(at) : hyphen
      if (code !== hyphen && code !== dot && !isDigit(code)) {
        hash = step(hash, code)
        length++
        continue
      }
      if (length > 1) add(hash)
      hash = space
      length = 0
    }
  }

  const whole = (text: string, space: number) => {
    let hash = space
    for (let at = 0; at < text.length; at++) hash = step(hash, text.charCodeAt(at))
    return hash
  }

  function readSuffix({ label, subdomain, suffix, tenant }: NameParts): void {
    const top = suffix.slice(suffix.lastIndexOf('.') + 1)
    const kind = tenant ? 1 : 0
    add(whole(suffix, seeds.suffix))
    add(step(whole(top, seeds.top), kind))
    add(step(whole(suffix, seeds.suffixLength), label.length))
    add(step(whole(shapeOf(label), whole(suffix, seeds.suffixShape)), subdomain === '' ? 0 : 1))
  }

  return {
    buckets,
    ends,
    read(parts) {
      count = 0
      slide(parts.label, seeds.label, 2, 6)
      words(parts.label, seeds.word)
      add(whole(shapeOf(parts.label), seeds.shape))
      ends[0] = count
      if (parts.subdomain !== '') {
        slide(parts.subdomain, seeds.subdomain, 3, 5)
        words(parts.subdomain, seeds.subdomainWord)
        add(whole(shapeOf(parts.subdomain), seeds.depth))
      }
      ends[1] = count
      readSuffix(parts)
      ends[2] = count
    },
  }
}
