import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertCheap } from './cpu.ts'

const letters = (text: string): number => {
  let found = 0
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 64) found += 1
  return found
}

describe('the measurement of a parser’s cost', () => {
  it('accepts one that reads every character a few times', () => {
    const text = 'a<b '.repeat(512 * 1024)
    assertCheap(() => [1, 2, 3, 4].map(() => letters(text)))
  })

  it('rejects one that reads all previous text again, even on a page of 40 KiB', () => {
    const text = 'a<b '.repeat(10 * 1024)
    const looksBack = () => {
      for (let at = 0; at < text.length; at++) letters(text.slice(0, at))
    }
    assert.throws(() => assertCheap(looksBack, 10, 1), /cost \d+\.\d+ of 40 walks/)
  })
})
