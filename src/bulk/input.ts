// The names to check, from a file or standard input, read as they are needed.
import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { readLines } from './lines.ts'
import { INPUT_LINE_BYTES, type InputLine } from './task.ts'

const BYTE_ORDER_MARK = '\ufeff'

/** Lines that name something: not empty, and not a comment (`#`). Ends early, without an error, when the signal aborts. */
export async function* readInput(stream: Readable, over: AbortSignal): AsyncGenerator<InputLine> {
  const end = () => stream.destroy()
  over.addEventListener('abort', end)
  try {
    let number = 0
    for await (const { bytes, cut } of readLines(stream, INPUT_LINE_BYTES)) {
      number++
      const decoded = bytes.toString('utf8')
      const text = (number === 1 && decoded.startsWith(BYTE_ORDER_MARK) ? decoded.slice(1) : decoded).trim()
      if (text !== '' && !text.startsWith('#')) yield { line: number, text: cut ? `${text}…` : text }
    }
  } catch (error) {
    if (!over.aborted) throw error
  } finally {
    over.removeEventListener('abort', end)
  }
}

/** How many lines of a file name something; the file is read through once. */
export async function countLines(file: string, over: AbortSignal): Promise<number> {
  let count = 0
  for await (const _ of readInput(createReadStream(file), over)) count++
  return count
}
