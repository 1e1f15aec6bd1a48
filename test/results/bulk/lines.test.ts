import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type Line, readInput, readLines } from '../../../src/results/bulk/lines.ts'

async function linesOf(chunks: readonly Buffer[], max = 1_000_000): Promise<Line[]> {
  const lines: Line[] = []
  for await (const line of readLines(Readable.from(chunks), max)) lines.push(line)
  return lines
}

describe('lines of a stream', () => {
  it('are the same for any chunks, with their positions', async () => {
    const text = fc
      .array(fc.constantFrom('a', 'é', '\n', '\r\n', '漢', ' '), { maxLength: 40 })
      .map(all => all.join(''))
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.nat(60), { maxLength: 6 }), async (text, cuts) => {
        const bytes = Buffer.from(text)
        const at = [0, ...cuts.map(cut => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length]
        const chunks = at.slice(1).map((to, i) => bytes.subarray(at[i], to))
        const expected = text.split('\n')
        const last = expected.pop() ?? ''
        const lines = await linesOf(chunks)
        assert.deepEqual(
          lines.map(({ bytes }) => bytes.toString()),
          [...expected, ...(last === '' ? [] : [last])].map(line => line.replace(/\r$/, '')),
        )
        assert.equal(lines.at(-1)?.ended ?? true, last === '')
        for (const { offset, end, bytes: line } of lines) assert.ok(bytes.subarray(offset, end).indexOf(line) === 0)
        assert.equal(lines.at(-1)?.end ?? 0, bytes.length)
      }),
    )
  })

  it('keep at most the limit, however long they are', async () => {
    const chunks = Array.from({ length: 100 }, () => Buffer.alloc(1_000, 'x'))
    const lines = await linesOf([...chunks, Buffer.from('\nshort\n')], 10)
    assert.deepEqual(
      lines.map(({ bytes, cut, ended }) => [bytes.toString(), cut, ended]),
      [
        ['xxxxxxxxxx', true, true],
        ['short', false, true],
      ],
    )
  })
})

describe('the input', () => {
  const inputOf = async (text: string) => {
    const lines = []
    for await (const line of readInput(Readable.from([Buffer.from(text)]), new AbortController().signal))
      lines.push(line)
    return lines
  }

  it('has the lines with targets and their numbers, without byte order mark, spaces, comments and empty lines', async () => {
    assert.deepEqual(await inputOf('\ufeffa.org\r\n\n  # a comment\n\t b.org \nc.org'), [
      { line: 1, text: 'a.org' },
      { line: 4, text: 'b.org' },
      { line: 5, text: 'c.org' },
    ])
  })

  it('keeps part of an overlong line', async () => {
    const [line] = await inputOf('a'.repeat(5_000))
    assert.equal(line?.text, `${'a'.repeat(4_096)}…`)
  })

  it('ends without an error when the reader stops, even if nothing arrives', async () => {
    const over = new AbortController()
    const silent = new Readable({ read() {} })
    setTimeout(() => over.abort(), 5)
    for await (const _ of readInput(silent, over.signal)) assert.fail('there is no line')
    assert.ok(silent.destroyed)
  })
})
