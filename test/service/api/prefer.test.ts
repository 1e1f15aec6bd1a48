// The header Prefer, as RFC 7240 defines it.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { prefersAsync, readPreferences } from '../../../src/service/api/prefer.ts'

const cases: readonly (readonly [header: string | undefined, isAsync: boolean, preferences: object])[] = [
  [undefined, false, {}],
  ['', false, {}],
  ['respond-async', true, { 'respond-async': '' }],
  ['Respond-Async', true, { 'respond-async': '' }],
  ['respond-async, wait=100', true, { 'respond-async': '', wait: '100' }],
  ['wait = 100 ,\trespond-async', true, { wait: '100', 'respond-async': '' }],
  [', ,respond-async,', true, { 'respond-async': '' }],
  ['respond-async=""', true, { 'respond-async': '' }],
  ['respond-async; foo="some parameter"; ;bar', true, { 'respond-async': '' }],
  ['foo; bar=1, respond-async', true, { foo: '', 'respond-async': '' }],
  ['foo="a, respond-async"', false, { foo: 'a, respond-async' }],
  ['foo="a\\", b", respond-async', true, { foo: 'a", b', 'respond-async': '' }],
  ['foo=1, foo=2', false, { foo: '1' }],
  ['respond-async=no', false, { 'respond-async': 'no' }],
  ['respond-async=no, respond-async', false, { 'respond-async': 'no' }],
  ['respond-asynchronously', false, { 'respond-asynchronously': '' }],
  ['respond async, handling=lenient', false, { handling: 'lenient' }],
  ['=1, respond-async', true, { 'respond-async': '' }],
  ['foo="never closed, respond-async', false, {}],
  ['"x\\', false, {}],
  ['foo;=1, respond-async', true, { 'respond-async': '' }],
  [`respond-async, foo=${'x'.repeat(1_024)}`, false, {}],
]

describe('Prefer', () => {
  for (const [header, isAsync, preferences] of cases) {
    it(`${header?.slice(0, 60)} ${isAsync ? 'asks' : 'does not ask'} for a job`, () => {
      assert.deepEqual([prefersAsync(header), Object.fromEntries(readPreferences(header))], [isAsync, preferences])
    })
  }

  it('is read to its end, whatever it is', () => {
    const signs = fc.constantFrom(...'a="\\,; \t\u0000é'.split(''), 'respond-async')
    fc.assert(
      fc.property(fc.array(signs, { maxLength: 40 }), parts => {
        for (const [name] of readPreferences(parts.join(''))) assert.match(name, /^[!-~]+$/)
      }),
    )
  })

  it('is not hidden by what precedes it, if that is well formed', () => {
    const word = fc.string({ unit: fc.constantFrom(...'ab,;"\\ ='), maxLength: 8 })
    const quoted = word.map(text => `"${text.replace(/["\\]/g, '\\$&')}"`)
    fc.assert(
      fc.property(fc.array(quoted), values => {
        const others = values.map((value, at) => `p${at}=${value};q=${value}, `).join('')
        assert.equal(prefersAsync(`${others}respond-async`), true)
      }),
    )
  })
})
