// How usual a run of letters is in honest names: three letters at a time, after what honest names were trained on.

const symbols = 38
const boundary = 37

const codes = new Uint8Array(128).fill(boundary)
for (let code = 97; code <= 122; code++) codes[code] = code - 97
for (let code = 48; code <= 57; code++) codes[code] = code - 48 + 26
codes['-'.charCodeAt(0)] = 36

export const letterTableSize = symbols ** 3

/** The cost of a letter after two others is kept in sixteenths of a bit. */
export const costsInBit = 16

/** Calls back with the place in the table of each three neighbours, the text's ends being neighbours too. */
export function eachTriple(text: string, visit: (place: number) => void): void {
  let pair = boundary * symbols + boundary
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? (codes[text.charCodeAt(at) & 127] ?? boundary) : boundary
    const place = pair * symbols + code
    visit(place)
    pair = place % (symbols * symbols)
  }
}

export interface LetterCost {
  /** Bits a character, on average; 0 for empty text. */
  readonly mean: number
  /** The dearest three characters in a row. */
  readonly worst: number
}

export function letterCost(text: string, table: Uint8Array): LetterCost {
  if (text === '') return { mean: 0, worst: 0 }
  let sum = 0
  let worst = 0
  let [before, beforeThat] = [0, 0]
  eachTriple(text, place => {
    const cost = table[place] ?? 0
    sum += cost
    worst = Math.max(worst, cost + before + beforeThat)
    beforeThat = before
    before = cost
  })
  return { mean: sum / costsInBit / (text.length + 1), worst: worst / costsInBit }
}

/** The table, from how often each three neighbours were seen. */
export function letterTable(counts: Uint32Array): Uint8Array {
  const table = new Uint8Array(letterTableSize)
  for (let pair = 0; pair < symbols * symbols; pair++) {
    const first = pair * symbols
    let total = 0
    for (let code = 0; code < symbols; code++) total += (counts[first + code] ?? 0) + 0.5
    for (let code = 0; code < symbols; code++) {
      const bits = -Math.log2(((counts[first + code] ?? 0) + 0.5) / total)
      table[first + code] = Math.min(255, Math.round(bits * costsInBit))
    }
  }
  return table
}
