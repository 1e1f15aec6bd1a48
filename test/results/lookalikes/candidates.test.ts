// The names that pass for another.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { plainLetters } from '../../../plugins/reputation/lookalike/confusables.ts'
import { candidatesFor, KINDS, type Kind, MOST_CANDIDATES } from '../../../src/results/lookalikes/candidates.ts'
import letters from '../../../src/results/lookalikes/data/letters.json' with { type: 'json' }
import { parseDomain } from '../../../src/targets/domain.ts'
import { identify } from '../../../src/targets/identity.ts'

const kindsOf = (name: string): ReadonlyMap<string, Kind> =>
  new Map([...candidatesFor(name)].map(one => [one.name, one.kind]))

describe('candidates', () => {
  const paypal = kindsOf('paypal.com')
  for (const [name, kind] of [
    ['paypa1.com', 'homoglyph'],
    ['paypal-login.com', 'lure'],
    ['konto-paypal.com', 'lure'],
    ['paypl.com', 'omission'],
    ['papyal.com', 'transposition'],
    ['paaypal.com', 'repetition'],
    ['oaypal.com', 'replacement'],
    ['paypasl.com', 'insertion'],
    ['peypal.com', 'vowel_swap'],
    ['paypals.com', 'plural'],
    ['pay-pal.com', 'hyphenation'],
    ['paypal7.com', 'addition'],
    ['pay.pal.com', 'subdomain'],
    ['paypalcom.com', 'joined'],
    ['paypal-com.com', 'joined'],
    ['wwwpaypal.com', 'joined'],
    ['pa9pal.com', 'bitsquatting'],
    ['paypal.top', 'ending'],
    ['paypal.co.uk', 'ending'],
    ['xn--80aa0cbo65f.com', 'homograph'],
    ['xn--pypal-4ve.com', 'homograph'],
    ['paypal.pages.dev', 'tenant'],
    ['p4ypa1.com', 'homoglyph'],
  ] as const) {
    it(`have ${name} as ${kind}`, () => assert.equal(paypal.get(name), kind))
  }

  it('are of every kind', () => assert.deepEqual(new Set(paypal.values()), new Set(Object.keys(KINDS))))

  it('vary the registered name of a host, and join what is before it', () => {
    const names = kindsOf('login.example.co.uk')
    assert.equal(names.get('exampl.co.uk'), 'omission')
    assert.equal(names.get('login-example.co.uk'), 'lure')
    assert.equal(names.get('exampleco.uk'), 'joined')
    assert.equal(kindsOf('a.b.example.com').get('ab-example.com'), 'joined')
  })

  it('vary a name in its own letters', () => {
    const names = kindsOf('xn--bcher-kva.de')
    assert.equal(names.get('xn--bcher-login-thb.de'), 'lure')
    assert.equal(names.get('bcher.de'), 'omission')
  })

  it('are names, each once, none the owner’s, and not too many, whatever the original', () => {
    const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,28}[a-z0-9])?$/).filter(one => !/^..--/.test(one))
    const suffix = fc.constantFrom('com', 'de', 'co.uk', 'github.io', 'it')
    fc.assert(
      fc.property(label, suffix, (label, suffix) => {
        const original = `${label}.${suffix}`
        const names = [...candidatesFor(original)].map(({ name }) => name)
        assert.equal(new Set(names).size, names.length)
        assert.ok(names.length <= MOST_CANDIDATES)
        assert.ok(!names.includes(original))
        const sample = names.filter((_, at) => at % 97 === 0)
        assert.deepEqual(
          sample.filter(name => {
            const parsed = parseDomain(name)
            return !parsed.ok || parsed.value !== name || identify(name).owner === original
          }),
          [],
        )
      }),
      { numRuns: 8 },
    )
  })
})

describe('letters that look alike', () => {
  it('are all read as the letters they pass for by the judgement of look-alikes', () => {
    const all = [letters.latin, letters.other, letters.cyrillic].flatMap(table => Object.values(table).join(''))
    assert.deepEqual(
      [...all.join('')].filter(letter => !/^[a-z0-9]{1,2}$/.test(plainLetters(letter))),
      [],
    )
  })
})
