import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gzipHeader } from '../../src/network/content_coding.ts'

/** A header of ten octets with these flags, followed by `rest`. */
const header = (flags: number, rest = ''): Buffer =>
  Buffer.concat([Buffer.from([0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 3]), Buffer.from(rest, 'latin1')])

describe('the header of a gzip member', () => {
  const whole: [title: string, octets: Buffer, length: number][] = [
    ['has ten octets', header(0, 'data'), 10],
    ['has an extra field', header(0x04, '\u0003\0abcdata'), 15],
    ['has a name', header(0x08, 'a.html\0data'), 17],
    ['has a comment', header(0x10, 'hi\0data'), 13],
    ['has a checksum', header(0x02, 'xxdata'), 12],
    ['has all of them', header(0x1e, '\u0001\0xn\0c\0xxdata'), 19],
    ['has the text flag', header(0x01), 10],
  ]
  for (const [title, octets, length] of whole) {
    it(title, () => {
      assert.equal(gzipHeader(octets), length)
      for (let at = 0; at < length; at += 1) assert.equal(gzipHeader(octets.subarray(0, at)), 'incomplete')
    })
  }

  const malformed: [title: string, octets: Buffer][] = [
    ['for other data', Buffer.from('<')],
    ['for half a magic number', Buffer.from([0x1f, 0x9d])],
    ['for another method', Buffer.from([0x1f, 0x8b, 7])],
    ['with a reserved flag', header(0x20)],
    ['with a name that does not end', header(0x08, 'x'.repeat(9_000))],
    ['with an oversized extra field', header(0x04, `\u00ff\u00ff${'x'.repeat(9_000)}`)],
  ]
  for (const [title, octets] of malformed)
    it(`is malformed ${title}`, () => assert.equal(gzipHeader(octets), 'malformed'))
})
