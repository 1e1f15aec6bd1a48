import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createScan } from '../../plugins/tech_stack/automaton.ts'
import { createCatalogue } from '../../plugins/tech_stack/catalogue.ts'
import type { CluePattern, How } from '../../plugins/tech_stack/fingerprint.ts'
import { fileOf, packagesOf } from '../../plugins/tech_stack/packages.ts'
import { compareVersions, readVersion } from '../../plugins/tech_stack/version.ts'

describe('the automaton', () => {
  const few = fc.string({ unit: fc.constantFrom('a', 'b', 'A', 'c', 'é', '.'), maxLength: 40 })
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'C', '.'), minLength: 1, maxLength: 5 })

  it('finds every occurrence of every text, like separate searches', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 8 }), few, (texts, subject) => {
        const found: string[] = []
        createScan(texts)(subject, (index, end) => found.push(`${index} ${end}`))
        const expected = texts.flatMap((one, index) =>
          Array.from({ length: subject.length + 1 }, (_, end) => end)
            .filter(
              end => end >= one.length && subject.slice(end - one.length, end).toLowerCase() === one.toLowerCase(),
            )
            .map(end => `${index} ${end}`),
        )
        assert.deepEqual(found.sort(), expected.sort())
      }),
    )
  })

  it('finds nothing without texts', () => {
    createScan(['', 'x'])('abc', () => assert.fail())
    createScan([])('abc', () => assert.fail())
  })
})

describe('a pattern', () => {
  const cases: readonly [place: CluePattern['in'], how: How, text: string, subject: string, found: boolean][] = [
    ['resource', 'within', 'stripe.com', 'https://js.stripe.com/v3/', true],
    ['resource', 'within', 'stripe.com', 'https://stripe.com', true],
    ['resource', 'within', 'stripe.com', 'https://stripe.com:8443/x', true],
    ['resource', 'within', 'stripe.com', 'https://stripe.com?x', true],
    ['resource', 'within', 'stripe.com', 'https://notstripe.com/', false],
    ['resource', 'within', 'stripe.com', 'https://stripe.com.example.org/', false],
    ['resource', 'within', 'stripe.com', 'https://example.org/stripe.com', false],
    ['resource', 'within', 'stripe.com', 'https://example.org/?u=https://js.stripe.com/', false],
    ['resource', 'has', '/wp-content/', 'https://example.org/wp-content/x.css', true],
    ['resource', 'has', '/wp-content/', '/WP-Content/x.css', true],
    ['mx', 'within', 'mail.protection.outlook.com', 'example-com.mail.protection.outlook.com', true],
    ['mx', 'within', 'outlook.com', 'outlook.com', true],
    ['mx', 'within', 'outlook.com', 'xoutlook.com', false],
    ['cookie', 'is', 'PHPSESSID', 'phpsessid', true],
    ['cookie', 'is', 'PHPSESSID', 'PHPSESSID2', false],
    ['cookie', 'starts', 'wordpress_', 'wordpress_logged_in', true],
    ['cookie', 'starts', 'wordpress_', 'x_wordpress_', false],
    ['inline', 'ends', ';', 'a;', true],
    ['inline', 'ends', ';', ';a', false],
    ['cookie', 'is', 'aa', 'aaa', false],
  ]
  for (const [place, how, text, subject, found] of cases) {
    it(`${how} ${text} is ${found ? '' : 'not '}in ${subject}`, () => {
      const rest = { path: '', exact_case: false, version: null, version_required: false, confidence: 100 }
      const pattern = { in: place, name: '', how, text, ...rest }
      const catalogue = createCatalogue([{ name: 'It', category: 'saas', marks: [pattern], implies: [] }])
      assert.equal(catalogue.match(place, '', subject).length, found ? 1 : 0)
    })
  }
})

describe('a version', () => {
  const cases: readonly [subject: string, before: string, version: string | null][] = [
    ['1.2.3', '', '1.2.3'],
    ['v3', '', '3'],
    ['3.6.0.min.js', '', '3.6.0'],
    ['1.1.1k', '', '1.1.1k'],
    ['1.1.1k-fips', '', '1.1.1k'],
    ['7.4.3-4ubuntu2.29', '', '7.4.3'],
    ['3f2a9c.js', '', null],
    ['12345678.js', '', null],
    ['2rc1', '', null],
    ['', '', null],
    ['.1', '', null],
    ['1.', '', '1'],
    [' 6.4.1', ' ', '6.4.1'],
    [' Portal Community Edition 6.2', ' ', '6.2'],
    ['.min.js?ver=3.7.1', '?ver=', '3.7.1'],
    ['.min.js?x=1', '?ver=', null],
    [`${'x'.repeat(65)}?ver=1`, '?ver=', null],
    [`1${'.1'.repeat(20)}`, '', null],
    ['٣.١', '', null],
  ]
  for (const [subject, before, version] of cases) {
    it(`of ${JSON.stringify(subject)} after ${JSON.stringify(before)} is ${version}`, () => {
      assert.equal(readVersion(subject, 0, before), version)
    })
  }

  it('is compared numerically', () => {
    const sorted = ['1', '1.0.1', '1.1.1k', '1.9', '1.10', '2.0', '10']
    assert.deepEqual([...sorted].reverse().sort(compareVersions), sorted)
    assert.equal(compareVersions('8', '8.0.0'), 0)
  })
})

describe('the packages of a URL', () => {
  const cases: readonly [url: string, packages: readonly string[]][] = [
    ['https://cdn.jsdelivr.net/npm/jquery@3.6.0/dist/jquery.min.js', ['jquery@3.6.0']],
    ['https://cdn.jsdelivr.net/npm/@popperjs/core@2.11.8/dist/umd/popper.min.js', ['@popperjs/core@2.11.8']],
    ['https://cdn.jsdelivr.net/combine/npm/jquery@3.6.0,npm/swiper@11.0.5', ['jquery@3.6.0', 'swiper@11.0.5']],
    ['https://cdnjs.cloudflare.com/ajax/libs/moment.js/2.29.1/moment.min.js', ['moment.js@2.29.1']],
    ['https://ajax.googleapis.com/ajax/libs/jquery/3.5.1/jquery.min.js', ['jquery@3.5.1']],
    ['https://unpkg.com/react@18.2.0/umd/react.production.min.js', ['react@18.2.0']],
    ['https://unpkg.com/@scope/name@1.0.0', ['@scope/name@1.0.0']],
    ['https://unpkg.com/react', []],
    ['https://example.com/react@18.2.0/x.js', []],
    ['https://example.com/x.js?u=/npm/jquery@3.6.0', []],
    ['https://example.com/npm/', []],
    ['npm', []],
    ['', []],
  ]
  for (const [url, packages] of cases) {
    it(`are ${packages.join(', ') || 'none'} in ${url}`, () => assert.deepEqual(packagesOf(url), packages))
  }

  it('are separate from its file, which includes the query', () => {
    assert.equal(fileOf('https://example.com/a/b.js?ver=1/2#x'), 'b.js?ver=1/2#x')
    assert.equal(fileOf('https://example.com/'), '')
  })
})
