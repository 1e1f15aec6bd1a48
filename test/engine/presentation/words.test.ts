// Words for values.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  countryName,
  foremost,
  keyKind,
  languageName,
  NONE,
  series,
  share,
  span,
  tlsVersion,
} from '../../../src/engine/presentation/words.ts'

const DAY_MS = 86_400_000

describe('the words for a value', () => {
  const cases: readonly (readonly [what: string, words: unknown, expected: unknown])[] = [
    ['a language', languageName('en'), 'English'],
    ['a language of a country', languageName('pt-BR'), 'Brazilian Portuguese'],
    ['a language that has no name', languageName('zzz'), 'zzz'],
    ['a text that is no language', languageName('<b>'), '<b>'],
    ['a country', countryName('NL'), 'Netherlands'],
    ['a text that is no country', countryName('Narnia'), 'Narnia'],
    ['a version of TLS', tlsVersion('TLSv1.3'), 'TLS 1.3'],
    ['the first version of TLS', tlsVersion('TLSv1'), 'TLS 1.0'],
    ['a version of SSL', tlsVersion('SSLv3'), 'SSL 3.0'],
    ['TLS of an unknown version', tlsVersion('TLS'), 'TLS'],
    ['a kind of key', keyKind('rsa'), 'RSA'],
    ['a kind of key with a name', keyKind('ed25519'), 'Ed25519'],
    ['no texts', series([]), ''],
    ['one text', series(['a']), 'a'],
    ['two texts', series(['a', 'b']), 'a and b'],
    ['three texts', series(['a', 'b', 'c']), 'a, b and c'],
    ['one text more than are named', series(['a', 'b', 'c'], 2), 'a, b and c'],
    ['two texts more than are named', series(['a', 'b', 'c', 'd'], 2), 'a, b and 2 more'],
    ['the first of many', foremost([1, 2, 3, 4], 2), [1, 2]],
    ['a share', share(0, 7), '0 of 7'],
    ['a share of nothing', share(0, 0), NONE],
    ['a share of nothing that has words', share(0, 0, 'no images'), 'no images'],
    ['a day short of two years', span(729 * DAY_MS), '1 year'],
    ['a day and a half', span(1.5 * DAY_MS), '1 day'],
    ['less than a second', span(20), '1 second'],
  ]
  for (const [what, words, expected] of cases) it(`are right for ${what}`, () => assert.deepEqual(words, expected))
})
