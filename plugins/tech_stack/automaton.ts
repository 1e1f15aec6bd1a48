// Finds many texts in one pass over another (Aho and Corasick, 1975), ignoring the case of ASCII letters.

/** `found` receives the index of the text and the end of each occurrence, from left to right. */
export type Scan = (subject: string, report: (index: number, end: number) => void) => void

const ASCII = 128

const foldCode = (code: number): number => (code >= 65 && code <= 90 ? code + 32 : code)

/** Each character that occurs in the texts gets a column; all others share column 0. */
function columnsOf(texts: readonly string[]): { columns: Uint8Array; width: number } {
  const columns = new Uint8Array(ASCII)
  let width = 1
  for (const text of texts) {
    for (let at = 0; at < text.length; at++) {
      const code = foldCode(text.charCodeAt(at))
      if (code < ASCII && columns[code] === 0) columns[code] = width++
    }
  }
  for (let code = 65; code <= 90; code++) columns[code] = columns[foldCode(code)] ?? 0
  return { columns, width }
}

/** Takes time linear in the subject plus the matches. The texts are ASCII; empty texts never match. */
export function createScan(texts: readonly string[]): Scan {
  const { columns, width } = columnsOf(texts)
  const states = texts.reduce((sum, text) => sum + text.length, 1)
  const next = new Int32Array(states * width)
  const ending: number[][] = [[]]
  texts.forEach((text, index) => {
    let state = 0
    for (let at = 0; at < text.length; at++) {
      const cell = state * width + (columns[text.charCodeAt(at)] ?? 0)
      if (next[cell] === 0) next[cell] = ending.push([]) - 1
      state = next[cell] ?? 0
    }
    if (text !== '') ending[state]?.push(index)
  })
  complete(next, width, ending)
  return (subject, report) => {
    let state = 0
    for (let at = 0; at < subject.length; at++) {
      const code = subject.charCodeAt(at)
      const column = code < ASCII ? (columns[code] ?? 0) : 0
      state = column === 0 ? 0 : (next[state * width + column] ?? 0)
      const indexes = ending[state]
      if (indexes !== undefined && indexes.length > 0) for (const index of indexes) report(index, at + 1)
    }
  }
}

/** Computes, breadth first, the failure state: the longest suffix that is a prefix of a text. */
function complete(next: Int32Array, width: number, ending: number[][]): void {
  const fallback = new Int32Array(ending.length)
  const queue = [0]
  for (const state of queue) {
    for (let column = 1; column < width; column++) {
      const cell = state * width + column
      const after = next[cell] ?? 0
      const other = state === 0 ? 0 : (next[(fallback[state] ?? 0) * width + column] ?? 0)
      if (after === 0) {
        next[cell] = other
        continue
      }
      fallback[after] = other
      ending[after]?.push(...(ending[other] ?? []))
      queue.push(after)
    }
  }
}
