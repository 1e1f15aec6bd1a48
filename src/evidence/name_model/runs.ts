// Runs of characters in a text, each as an unfinished hash: n-grams, words, and the text as a whole.
import { step } from './hash.ts'

type Visit = (hash: number) => void

const caret = 94
const dollar = 36
const hyphen = 45
const dot = 46

/** Every n-gram of `^text$` with `least` to `most` characters. */
export function eachGram(text: string, seed: number, least: number, most: number, visit: Visit): void {
  const last = text.length + 1
  for (let from = 0; from <= last; from++) {
    let hash = seed
    const to = Math.min(last, from + most - 1)
    for (let at = from; at <= to; at++) {
      hash = step(hash, at === 0 ? caret : at === last ? dollar : text.charCodeAt(at - 1))
      if (at - from + 1 >= least) visit(hash)
    }
  }
}

const isBetween = (code: number) => code === hyphen || code === dot || (code >= 48 && code <= 57)

/** Words of at least two characters between hyphens, dots and digits. */
export function eachPart(text: string, seed: number, visit: Visit): void {
  let hash = seed
  let length = 0
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : hyphen
    if (!isBetween(code)) {
      hash = step(hash, code)
      length++
      continue
    }
    if (length > 1) visit(hash)
    hash = seed
    length = 0
  }
}

export function wholeOf(text: string, seed: number): number {
  let hash = seed
  for (let at = 0; at < text.length; at++) hash = step(hash, text.charCodeAt(at))
  return hash
}
