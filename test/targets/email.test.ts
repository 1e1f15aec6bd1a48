// E-mail addresses as targets: which are addresses, and what is checked of them.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { isFreeMail } from '../../src/targets/email.ts'
import { parseTarget, unvetted } from '../../src/targets/target.ts'

const parsed = (email: string) => parseTarget({ domain: null, ip: null, email }, unvetted)
const L64 = 'a'.repeat(64)

const addresses: readonly (readonly [email: string, domain: string])[] = [
  ['jane@example.com', 'example.com'],
  ['Jane.Doe+tag@EXAMPLE.com', 'example.com'],
  [`!#$%&'*+-/=?^_\`{|}~@example.com`, 'example.com'],
  ['"jane doe"@example.com', 'example.com'],
  ['"a@b"@example.com', 'example.com'],
  ['"a\\"b"@example.com', 'example.com'],
  ['""@example.com', 'example.com'],
  ['jané@bücher.example.com', 'xn--bcher-kva.example.com'],
  ['用户@例え.com', 'xn--r8jz45g.com'],
  ['a@mail.example.co.uk.', 'mail.example.co.uk'],
  [`${L64}@example.com`, 'example.com'],
]

const refused: readonly (readonly [email: string, code: string, detail: RegExp])[] = [
  ['example.com', 'invalid-email', /has no @/],
  ['@example.com', 'invalid-email', /nothing before/],
  ['jane@', 'invalid-email', /nothing after/],
  [`a${L64}@example.com`, 'invalid-email', /64 octets/],
  [`${'é'.repeat(33)}@example.com`, 'invalid-email', /64 octets/],
  [`a@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(63)}.${'e'.repeat(63)}`, 'invalid-email', /254 octets/],
  ['jane doe@example.com', 'invalid-email', /invalid characters before the @/],
  ['.jane@example.com', 'invalid-email', /invalid characters before the @/],
  ['jane..doe@example.com', 'invalid-email', /invalid characters before the @/],
  ['a@b@example.com', 'invalid-email', /invalid characters before the @/],
  ['"jane@example.com', 'invalid-email', /invalid characters before the @/],
  ['"a"b"@example.com', 'invalid-email', /invalid characters before the @/],
  ['jane(x)@example.com', 'invalid-email', /invalid characters before the @/],
  ['Jane <jane@example.com>', 'invalid-email', /invalid characters before the @/],
  ['"a\u0000"@example.com', 'invalid-email', /invalid characters before the @/],
  ['jane\ud800@example.com', 'invalid-email', /invalid characters before the @/],
  ['jane@[192.0.2.1]', 'invalid-email', /use the parameter ip/],
  ['jane@192.0.2.1', 'invalid-domain', /^Domain of the email: .*use the parameter ip/],
  ['jane@exa mple.com', 'invalid-domain', /white space/],
  ['jane@example.com:25', 'invalid-domain', /port/],
  ['jane@com', 'target-not-checkable', /single label/],
  ['jane@co.uk', 'target-not-checkable', /public suffix/],
  ['jane@printer.local', 'target-not-checkable', /special-use/],
]

describe('an e-mail address', () => {
  for (const [email, domain] of addresses)
    it(`${email.slice(0, 40)} has the target ${domain}`, () => {
      const found = parsed(email)
      assert.ok(found.ok, 'is one')
      assert.equal(found.target.domain, domain)
      assert.ok(!JSON.stringify(found).includes('@'), 'nothing of it is left')
    })

  for (const [email, code, detail] of refused)
    it(`${JSON.stringify(email.slice(0, 40))} is refused with ${code}`, () => {
      const found = parsed(email)
      assert.ok(!found.ok, 'refused')
      assert.equal(found.code, code)
      assert.match(found.detail, detail)
    })

  it('is never repeated in a fault', () => {
    const word = fc.string({ minLength: 6, maxLength: 12, unit: fc.constantFrom(...'qxzjvk') })
    fc.assert(
      fc.property(word, word, fc.constantFrom('', ' ', '..', '"', '@', '\u0007'), (local, domain, mark) => {
        const found = parsed(`${local}${mark}${local}@${domain}${mark}`)
        if (!found.ok) assert.ok(![local, domain].some(text => found.detail.includes(text)), found.detail)
      }),
    )
  })

  it('is not combined with another target', () => {
    const found = parseTarget({ domain: 'a.com', ip: null, email: 'a@b.com' }, unvetted)
    assert.equal(found.ok || found.code, 'conflicting-targets')
  })

  it('is of a free provider by the exact domain', () => {
    const names = ['gmail.com', 'outlook.de', 'mail.example.com', 'xgmail.com', 'gmail.com.example.com']
    assert.deepEqual(names.map(isFreeMail), [true, true, false, false, false])
  })
})
