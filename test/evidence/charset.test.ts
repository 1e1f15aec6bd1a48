// The encoding of a page and its text do not depend on how its octets arrive.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createPageDecoder } from '../../src/evidence/document/charset.ts'

function decode(chunks: readonly Buffer[], contentType: string | null = 'text/html', truncated = false) {
  const decoder = createPageDecoder(contentType)
  const text = chunks.map(chunk => decoder.write(chunk)).join('') + decoder.end(truncated)
  return { charset: decoder.charset(), text }
}

const slices = (octets: Buffer, size: number): Buffer[] =>
  Array.from({ length: Math.ceil(octets.length / size) }, (_, at) => octets.subarray(at * size, (at + 1) * size))

/** Parts of pages: markup, declarations, text in UTF-8 and in old encodings, and characters that are cut off. */
const part = fc.oneof(
  fc
    .constantFrom('<p>', '<meta charset=iso-8859-2>', '<meta charset=koi8-r>', 'é', '€', '😀')
    .map(text => Buffer.from(text)),
  fc
    .constantFrom('<script>', '</script>', '<!-- ', ' -->', '\xe9', '\xe2\x82', '\xf0\x9f', '\xef\xbb', '\xb1\xbf')
    .map(text => Buffer.from(text, 'latin1')),
  fc.integer({ min: 0, max: 1_200 }).map(length => Buffer.alloc(length, 'x')),
)
const page = fc.array(part, { maxLength: 24 }).map(parts => Buffer.concat(parts))

describe('the text of a page', () => {
  it('is the same however its octets are cut', () => {
    fc.assert(
      fc.property(page, fc.integer({ min: 1, max: 1_500 }), (octets, size) => {
        assert.deepEqual(decode(slices(octets, size)), decode([octets]))
      }),
    )
  })

  it('has a character for every octet in an old encoding, also for the last one', () => {
    fc.assert(
      fc.property(page, octets => {
        const { charset, text } = decode([octets])
        if (charset === 'windows-1252') assert.equal(text.length, octets.length)
      }),
    )
    assert.deepEqual(decode([Buffer.from('caf\xe9', 'latin1')]), { charset: 'windows-1252', text: 'café' })
  })

  it('keeps a character that has begun when a long page turns out to be in an old encoding', () => {
    const long = Buffer.concat([Buffer.alloc(1_100_000, 'x'), Buffer.from('é')])
    const { charset, text } = decode([Buffer.concat([long, Buffer.from([0xe9])]), Buffer.from(' end')])
    assert.deepEqual([charset, text.slice(-6)], ['windows-1252', 'éé end'])
  })
})
