import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { redactSetCookie } from '../../src/network/set_cookie.ts'
import { assertCheap } from '../cpu.ts'

const cases: readonly (readonly [title: string, field: string, redacted: string])[] = [
  ['puts the length in the value’s place', 'sid=31d4d96e407aad42', 'sid=<16>'],
  ['counts octets, not characters', 'sid=déjà', 'sid=<6>'],
  ['keeps the attributes as written', 'a=b; Path=/x; SECURE; Max-Age=60', 'a=<1>; Path=/x; SECURE; Max-Age=60'],
  [
    'keeps a date with its comma',
    'a=b; Expires=Wed, 21 Oct 2026 07:28:00 GMT',
    'a=<1>; Expires=Wed, 21 Oct 2026 07:28:00 GMT',
  ],
  ['keeps an empty value', 'a=; Secure', 'a=<0>; Secure'],
  ['takes what has no equals sign for a value', 'secret; Secure', '=<6>; Secure'],
  ['takes an empty name as it is', '=secret', '=<6>'],
  ['ends the name at the first equals sign', 'a=b=c', 'a=<3>'],
  ['trims spaces and tabs', ' a \t=\t b ;\tSecure ', 'a=<1>; Secure'],
  ['drops a piece of a value that held a semicolon', 'a=b;secret;Secure', 'a=<1>; Secure'],
  ['drops the value of an attribute that nobody knows', 'a=b; token=secret; Secure', 'a=<1>; Secure'],
  ['hides a second cookie in an attribute', 'a=b; Path=/, c=secret; Secure', 'a=<1>; Path=/, c=<6>; Secure'],
  ['says that there was a control character', 'a=b\u0007c; Secure', 'a=<2 control>; Secure'],
  ['lets a tab be', 'a=b\tc', 'a=<3>'],
  ['says which prefix a nameless value began with', '=__hOsT-a', '=<8 __host->'],
  ['says so of the other prefix', '__Secure-a=b', '__Secure-a=<1>'],
  ['says so of the other prefix without a name', '=__Secure-a=b', '=<12 __secure->'],
  ['answers an empty field', '', '=<0>'],
]

describe('redacting a Set-Cookie field', () => {
  for (const [title, field, redacted] of cases) {
    it(title, () => assert.equal(redactSetCookie(field), redacted))
  }

  it('changes nothing the second time', () => {
    const parts = fc.constantFrom('a', '=', ';', ' ', '\t', '\u0000', '<3>', ',', 'Path', '__Host-', 'Secure')
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 20 }), pieces => {
        const once = redactSetCookie(pieces.join(''))
        assert.equal(redactSetCookie(once), once)
      }),
    )
  })

  it('never keeps a value', () => {
    const around = fc.string({ unit: fc.constantFrom('a', '=', ';', ' ', ',', '"', '\u0000', 'Path', 'Domain') })
    fc.assert(
      fc.property(around, around, (before, after) => {
        const redacted = redactSetCookie(`sid=${before}S3CR3T;${after}`)
        assert.equal(before.includes(';') || !redacted.includes('S3CR3T'), true)
      }),
    )
  })

  it('reads two mebibytes of any text quickly', () => {
    for (const piece of ['a', '=', ';', 'a=b;', ' ', 'Path==;', '\u0000']) {
      const field = piece.repeat((2 * 1024 * 1024) / piece.length)
      assertCheap(() => redactSetCookie(field))
    }
  })
})
