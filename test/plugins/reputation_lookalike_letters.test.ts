import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { describe, it } from 'node:test'
import { domainToASCII, domainToUnicode } from 'node:url'
import fc from 'fast-check'
import { plainLetters, scriptsOf, skeleton } from '../../plugins/reputation/lookalike/confusables.ts'
import { judgeLookalike } from '../../plugins/reputation/lookalike/judge.ts'
import { lureOf, luresOf, plainLures } from '../../plugins/reputation/lookalike/lures.ts'
import { decodePunycode, toUnicode } from '../../plugins/reputation/lookalike/punycode.ts'
import { slipFrom } from '../../plugins/reputation/lookalike/typo.ts'

describe('Punycode', () => {
  const rows: readonly [title: string, encoded: string, decoded: string][] = [
    ['Arabic', 'egbpdaj6bu4bxfgehfvwxn', 'ليهمابتكلموشعربي؟'],
    ['simplified Chinese', 'ihqwcrb4cv8a8dqg056pqjye', '他们为什么不说中文'],
    ['Czech', 'Proprostnemluvesky-uyb24dma41a', 'Pročprostěnemluvíčesky'],
    ['Russian', 'b1abfaaepdrnnbgefbaDotcwatmq2g4l', 'почемужеонинеговорятпорусски'],
    ['Japanese with Latin', '3B-ww4c5e180e575a65lsy2b', '3年B組金八先生'],
    ['a hyphen before the first', '-> $1.00 <--', '-> $1.00 <-'],
    ['letters beyond the first plane', 'ls8h', '💩'],
    ['nothing', '', ''],
  ]
  for (const [title, encoded, decoded] of rows) {
    it(`spells ${title} (RFC 3492 section 7.1)`, () => assert.equal(decodePunycode(encoded), decoded))
  }

  for (const bad of ['99999999', 'a_b', 'zzzzzzzzzzzz', 'é', '-\u0000', '9'.repeat(59)]) {
    it(`spells nothing as ${JSON.stringify(bad)}`, () => assert.equal(decodePunycode(bad), null))
  }

  it('reads back what the platform writes', () => {
    const letters = fc.string({
      unit: fc.constantFrom(...'abcxyz019üßéñабвгдαβγ日本語가나ابت'),
      minLength: 1,
      maxLength: 20,
    })
    fc.assert(
      fc.property(letters, text => {
        const label = domainToASCII(text)
        fc.pre(label.startsWith('xn--'))
        assert.equal(toUnicode(label), text.normalize('NFC').toLowerCase())
      }),
    )
  })

  it('never throws and never yields half a character', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789-'), maxLength: 59 })
    fc.assert(fc.property(digits, input => decodePunycode(input)?.isWellFormed() !== false))
  })
})

describe('letters', () => {
  const rows: readonly [seen: string, plain: string, scripts: string][] = [
    ['раураӏ', 'paypal', 'Cyrillic'],
    ['ꓑꓮꓬꓑꓮꓡ', 'paypal', 'another script'],
    ['pаypаꭵ', 'paypai', 'Latin Cyrillic another script'],
    ['gооgle', 'google', 'Latin Cyrillic'],
    ['gօօgle', 'google', 'Latin Armenian'],
    ['ρaypal', 'paypal', 'Latin Greek'],
    ['crédit', 'credit', 'Latin'],
    ['łinkedın', 'linkedin', 'Latin'],
    ['日本', '日本', 'another script'],
  ]
  for (const [seen, plain, scripts] of rows) {
    it(`of ${seen} pass for ${plain}`, () => {
      assert.deepEqual([plainLetters(seen), scriptsOf(seen).join(' ')], [plain, scripts])
    })
  }

  const shapes = [
    ['rnicr0soft', 'microsoft'],
    ['paypa1', 'paypal'],
    ['paypai', 'paypal'],
    ['tvvitter', 'twitter'],
    ['cliscord', 'discord'],
    ['5potify', 'spotify'],
  ] as const
  for (const [written, meant] of shapes) {
    it(`of ${written} and ${meant} have one skeleton`, () => assert.equal(skeleton(written), skeleton(meant)))
  }

  it('of different words have different skeletons', () => assert.notEqual(skeleton('apple'), skeleton('maple')))
})

describe('the confusables of Unicode', () => {
  const data = createRequire(import.meta.url)('unhomoglyph/data.json') as Readonly<Record<string, string>>
  const words = [
    'paypal',
    'microsoft',
    'netflix',
    'instagram',
    'binance',
    'wellsfargo',
    'dropbox',
    'vkontakte',
    'huobi',
  ]
  /** Letters that a name may hold, by the Latin letter that they look like. */
  const letters = Object.entries(data).flatMap(([letter, prototype]) => {
    const latin = prototype
      .normalize('NFKD')
      .replace(/\p{M}+/gu, '')
      .toLowerCase()
    const label = domainToASCII(`x${letter}x`)
    const usable = [...letter].length === 1 && letter > '\x7f' && label.startsWith('xn--')
    return usable && /^[a-z]$/.test(latin) && domainToUnicode(label) === `x${letter}x` ? [[latin, letter] as const] : []
  })
  const names = words.flatMap(word =>
    [...word].flatMap((meant, at) =>
      letters
        .filter(([latin]) => latin === meant)
        .map(([, letter]) => domainToASCII(`${word.slice(0, at)}${letter}${word.slice(at + 1)}.com`)),
    ),
  )

  it('put in place of one letter of a brand are found, 99 in 100 of them', () => {
    assert.ok(letters.length > 300 && names.length > 1_000, `${letters.length} ${names.length}`)
    const found = names.filter(name => judgeLookalike(name, name) !== null).length
    assert.ok(found / names.length >= 0.99, `${found} of ${names.length}`)
  })
})

describe('a slip', () => {
  const rows: readonly [word: string, written: string, slip: string | null][] = [
    ['paypal', 'payapl', 'swapped'],
    ['google', 'ogogle', 'swapped'],
    ['paypal', 'paypl', 'missing'],
    ['google', 'gooogle', 'added'],
    ['netflix', 'netflixx', 'added'],
    ['amazon', 'anazon', 'replaced'],
    ['paypal', 'peypal', 'replaced'],
    ['netflix', 'netflim', null],
    ['facebook', 'bacebook', 'replaced'],
    ['facebook', 'hacebook', null],
    ['dropbox', 'drozbox', null],
    ['dropbox', 'drgpbox', 'replaced'],
    ['twitter', 'twister', null],
    ['binance', 'finance', null],
    ['epicgames', 'epicgame', null],
    ['coinbase', 'coinbases', null],
    ['paypal', 'paypal', null],
    ['paypal', 'pplaay', null],
    ['google', 'goooogle', null],
  ]
  for (const [word, written, slip] of rows) {
    it(`from ${word} to ${written} is ${slip ?? 'none'}`, () => assert.equal(slipFrom(word, written), slip))
  }
})

describe('lures', () => {
  const rows: readonly [text: string, lure: string | null][] = [
    ['login', 'credential'],
    ['securelogin', 'credential'],
    ['billing', 'strong'],
    ['billing2024', 'strong'],
    ['online', 'soft'],
    ['24', 'soft'],
    ['', 'soft'],
    ['garden', null],
    ['loginx', null],
    ['secure'.repeat(5), null],
  ]
  for (const [text, lure] of rows) {
    it(`are ${lure ?? 'not'} what "${text}" is made of`, () => assert.equal(lureOf(text, plainLures), lure))
  }

  it('of several pieces are the strongest of them', () => {
    assert.deepEqual(luresOf(['online', 'billing'], plainLures), { lure: 'strong', all: true })
    assert.deepEqual(luresOf(['garden', 'login'], plainLures), { lure: 'credential', all: false })
    assert.deepEqual(luresOf(['garden'], plainLures), { lure: null, all: false })
  })
})
