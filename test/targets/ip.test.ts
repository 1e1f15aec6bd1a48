// Which spellings are one address, and which are none.
import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseIp } from '../../src/targets/target.ts'
import { anyText } from '../any_text.ts'

const canonical: readonly (readonly [written: string, address: string])[] = [
  ['8.8.8.8', '8.8.8.8'],
  ['0.0.0.0', '0.0.0.0'],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['2001:db8::0001', '2001:db8::1'],
  ['2606:4700:0:0::1111', '2606:4700::1111'],
  ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
  ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
  ['2001:db8:0:1:0:0:0:1', '2001:db8:0:1::1'],
  ['0:0:0:0:0:0:0:0', '::'],
  ['1:0:0:0:0:0:0:0', '1::'],
  ['::ffff:8.8.8.8', '8.8.8.8'],
  ['::FFFF:808:808', '8.8.8.8'],
  ['0:0:0:0:0:ffff:0808:0808', '8.8.8.8'],
  ['::127.0.0.1', '::7f00:1'],
  ['64:ff9b::8.8.8.8', '64:ff9b::808:808'],
]

const refused = [
  [
    'octal, hexadecimal and short forms',
    ['010.0.0.1', '192.168.007.0xa', '0xc0.168.1.1', '030052000401', '127.42.258'],
  ],
  ['leading zeros', ['10.048.1.1', '08.8.8.8', '000000192.168.100.2', '1.1.1.01']],
  [
    'too few, too many or too large parts',
    ['1.2.3', '127.1', '1', '0', '256.1.1.1', '1.2.3.4.5', '1.2.3.4.', '.1.2.3.4'],
  ],
  [
    'a prefix, port, brackets or white space',
    ['8.8.8.8/24', '8.8.8.8:53', '[2606::1]', '[::1]', ' 8.8.8.8', '8.8.8.8\n'],
  ],
  ['a zone', ['fe80::1%eth0', '::1%lo', 'fe80::%', 'fe80::1%25eth0', '2606:4700::1111%1']],
  [
    'malformed IPv6',
    ['::ffff:300.168.1.1', '2001:db8::F53A::1', '200001::1', '1:2:3:4:5:6:7:8::', '2002::2:', '00000::1', ':'],
  ],
  ['names and the empty text', ['', 'example.com', 'localhost', '\u2460.1.1.1', '\uff11.1.1.1', '1.1.1.1\0']],
] as const

describe('an ip', () => {
  for (const [written, address] of canonical) {
    it(`${written} is ${address}`, () => {
      assert.deepEqual(parseIp(written), { ok: true, value: address })
    })
  }

  for (const [what, spellings] of refused) {
    it(`with ${what} is rejected`, () => {
      for (const written of spellings) assert.equal(parseIp(written).ok, false, JSON.stringify(written))
    })
  }

  it('has one canonical spelling, which maps to itself', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), written => {
        const parsed = parseIp(written)
        assert.ok(parsed.ok)
        assert.deepEqual(parseIp(parsed.value), parsed)
        assert.deepEqual(parseIp(written.toUpperCase()), parsed)
      }),
    )
  })

  it('is never read from a string that is not an address', () => {
    fc.assert(
      fc.property(anyText(), written => {
        assert.equal(parseIp(written).ok, isIP(written) !== 0 && !written.includes('%'))
      }),
    )
  })
})
