import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseLinkHeaders } from '../../plugins/seo_health/link_header.ts'
import { directivesFor } from '../../plugins/seo_health/robots_directives.ts'
import { matchesPattern, normalizeEncoding, normalizePath } from '../../plugins/seo_health/robots_pattern.ts'
import { decidingRule, parseRobotsTxt } from '../../plugins/seo_health/robots_txt.ts'
import { anyText } from '../any_text.ts'

const allows = (text: string, path: string, crawler = 'Googlebot'): boolean =>
  decidingRule(parseRobotsTxt(text, crawler), new URL(path, 'https://example.com/'))?.allow ?? true

describe('the faults of robots.txt', () => {
  it('are lines that crawlers ignore or forgive, by number', () => {
    const text = 'disallow: /a\n\nuseragent: *\ndisallow: /b\nDisalow: /c\nwhat is this\ncrawl-delay: 3'
    const { faults, fault_lines } = parseRobotsTxt(text, 'Googlebot')
    assert.deepEqual([faults, fault_lines], [4, [1, 3, 5, 6]])
  })
})

describe('robots.txt', () => {
  const cases: [says: string, text: string, path: string, allowed: boolean][] = [
    ['allows everything when it is empty', '', '/', true],
    ['allows what no rule forbids', 'user-agent: *\ndisallow: /private', '/', true],
    ['forbids what begins with a rule’s path', 'user-agent: *\ndisallow: /private', '/private/page', false],
    ['forbids everything by a slash', 'User-agent: *\nDisallow: /', '/', false],
    ['forbids nothing by an empty rule', 'User-agent: *\nDisallow:', '/', true],
    ['heeds the crawler’s own group alone', 'User-agent: Googlebot\nAllow: /\n\nUser-agent: *\nDisallow: /', '/', true],
    [
      'heeds the own group wherever it stands',
      'User-agent: *\nDisallow: /\nUser-agent: Googlebot\nDisallow: /x',
      '/',
      true,
    ],
    ['obeys a misspelled rule as crawlers do', 'useragent: *\ndisallaw: /', '/', false],
    ['obeys a line without a colon', 'user-agent *\ndisallow /', '/', false],
    ['is not misled by half a byte order mark', '\u00ef\u00bbuser-agent: *\ndisallow: /', '/', false],
    ['heeds an own group without rules', 'User-agent: *\nDisallow: /\nUser-agent: Googlebot\n', '/', true],
    [
      'takes groups of the same crawler for one',
      'User-agent: googlebot\nDisallow: /a\n\nUser-agent: *\nAllow: /\n\nUser-agent: GoogleBot\nDisallow: /b',
      '/b',
      false,
    ],
    [
      'takes a group for each crawler that it names',
      'User-agent: bingbot\nUser-agent: Googlebot\nDisallow: /',
      '/',
      false,
    ],
    [
      'ends the names of a group with its first rule',
      'User-agent: Googlebot\nDisallow:\nUser-agent: bingbot\nDisallow: /',
      '/',
      true,
    ],
    ['does not end a group with an empty line', 'User-agent: Googlebot\n\n\nDisallow: /', '/', false],
    [
      'does not end a group with a record of another kind',
      'User-agent: Googlebot\nSitemap: https://example.com/s.xml\nUser-agent: bingbot\nDisallow: /',
      '/',
      false,
    ],
    ['does not take a longer name for the crawler’s', 'User-agent: Googlebot-Image\nDisallow: /', '/', true],
    ['passes over the version of a name', 'User-agent: Googlebot/2.1\nDisallow: /', '/', false],
    ['passes over comments', '# all\nUser-agent: * # everyone\nDisallow: / # nothing', '/', false],
    ['passes over rules before any group', 'Disallow: /\nUser-agent: bingbot\nDisallow:', '/', true],
    ['is read through a byte order mark', '\ufeffUser-agent: *\nDisallow: /', '/', false],
    ['is read with any end of line', 'User-agent: *\rDisallow: /a\r\nAllow: /', '/a', false],
    ['follows the longest rule', 'User-agent: *\nAllow: /p\nDisallow: /', '/page', true],
    ['follows the longest rule in any order', 'User-agent: *\nDisallow: /page/x\nAllow: /page', '/page/x', false],
    ['allows when rules are equally long', 'User-agent: *\nDisallow: /page\nAllow: /page', '/page', true],
    ['matches anything by a star', 'User-agent: *\nDisallow: /*.gif', '/pictures/a.gif?x', false],
    ['matches the end by a dollar', 'User-agent: *\nDisallow: /*.gif$', '/a.gif?x', true],
    ['matches nothing but the end by a dollar', 'User-agent: *\nDisallow: /$', '/', false],
    ['leaves the rest by a dollar', 'User-agent: *\nDisallow: /$', '/page', true],
    ['takes an encoded dollar for itself', 'User-agent: *\nDisallow: /a%24b', '/a$b', false],
    ['takes a dollar before the end for itself', 'User-agent: *\nDisallow: /a$b', '/a$b/c', false],
    ['takes the last of two dollars for the end', 'User-agent: *\nDisallow: /a$$', '/a$b', true],
    ['takes an encoded star for itself', 'User-agent: *\nDisallow: /a%2Ab', '/a*b', false],
    ['does not take a star for itself only', 'User-agent: *\nDisallow: /a*b', '/axxb', false],
    ['minds upper and lower case in paths', 'User-agent: *\nDisallow: /Page', '/page', true],
    ['minds no case in encodings', 'User-agent: *\nDisallow: /%e4%bd%a0', '/%E4%BD%A0', false],
    ['takes letters and their encodings for the same', 'User-agent: *\nDisallow: /%62%61%7a', '/baz', false],
    ['takes letters of all scripts and their encodings for the same', 'User-agent: *\nDisallow: /ä', '/%C3%A4', false],
    ['does not decode what has a meaning of its own', 'User-agent: *\nDisallow: /a%2Fb', '/a/b', true],
    ['matches the query', 'User-agent: *\nDisallow: /*?', '/page?x=1', false],
    ['is always allowed itself', 'User-agent: *\nDisallow: /', '/robots.txt', true],
    ['reads the beginning of an endless line', `User-agent: *\nDisallow: /a${'b'.repeat(600_000)}`, '/a', true],
  ]
  for (const [says, text, path, allowed] of cases) {
    it(says, () => assert.equal(allows(text, path), allowed))
  }

  const NBSP = '\u00a0'
  const blanks: [says: string, text: string, path: string, allowed: boolean][] = [
    ['trims spaces around key and value', ' User-agent : * \n  Disallow :  /a  ', '/a', false],
    ['trims tabs around key and value', '\tUser-agent\t:\t*\t\n\tDisallow\t:\t/a\t', '/a', false],
    ['trims spaces before a comment', 'User-agent: *\nDisallow: /a \t # all', '/a', false],
    ['reads a line of spaces and tabs as empty', 'User-agent: *\n \t \nDisallow: /a', '/a', false],
    ['ignores a rule behind a no-break space', `User-agent: *\n${NBSP}Disallow: /a`, '/a', true],
    ['ignores a rule with a no-break space before the colon', `User-agent: *\nDisallow${NBSP}: /a`, '/a', true],
    [
      'keeps a no-break space before a path, which then matches nothing',
      `User-agent: *\nDisallow:${NBSP}/a`,
      '/a',
      true,
    ],
    ['keeps a no-break space behind a path', `User-agent: *\nDisallow: /a${NBSP}`, '/a', true],
    ['matches a no-break space behind a path', `User-agent: *\nDisallow: /a${NBSP}`, '/a%C2%A0b', false],
    ['ignores a group behind a no-break space', `${NBSP}User-agent: *\nDisallow: /`, '/', true],
    ['names no crawler behind a no-break space', `User-agent:${NBSP}Googlebot\nDisallow: /`, '/', true],
    ['names a crawler before a no-break space', `User-agent: Googlebot${NBSP}\nDisallow: /`, '/', false],
    ['keeps an ideographic space', 'User-agent: *\nDisallow:\u3000/a', '/a', true],
    ['keeps a byte order mark inside the file', 'User-agent: *\n\ufeffDisallow: /a', '/a', true],
    ['takes no line separator for the end of a line', 'User-agent: *\u2028Disallow: /a', '/a', true],
    ['needs a space or a tab where the colon is missing', `User-agent: *\ndisallow${NBSP}/a`, '/a', true],
    ['keeps a no-break space where the colon is missing', `User-agent: *\ndisallow /a${NBSP}`, '/a', true],
  ]
  for (const [says, text, path, allowed] of blanks) {
    it(says, () => assert.equal(allows(text, path), allowed))
  }

  it('counts invalid lines', () => {
    const { faults } = parseRobotsTxt('<html>\nDisallow: /\nUser-agent: *\nnonsense\nCrawl-delay: 3\n', 'x')
    assert.equal(faults, 3)
  })
})

/** The definition, by dynamic programming: slow and plain. */
function matchesPlainly(pattern: string, path: string): boolean {
  const anchored = pattern.endsWith('$')
  const body = anchored ? pattern.slice(0, -1) : `${pattern}*`
  let ends = new Set([0])
  for (const sign of body) {
    const next = new Set<number>()
    for (const end of ends) {
      if (sign === '*') for (let i = end; i <= path.length; i++) next.add(i)
      else if (path[end] === sign) next.add(end + 1)
    }
    ends = next
  }
  return ends.has(path.length)
}

describe('a path pattern', () => {
  const patterns = fc.string({ unit: fc.constantFrom('a', 'b', '*', '/'), maxLength: 12 })
  const ending = fc.constantFrom('', '$')

  it('matches as defined', () => {
    fc.assert(
      fc.property(
        patterns,
        ending,
        fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 16 }),
        (start, end, path) => {
          assert.equal(matchesPattern(start + end, path), matchesPlainly(start + end, path))
        },
      ),
      { numRuns: 2_000 },
    )
  })

  it('has one form in any encoding', () => {
    fc.assert(
      fc.property(anyText(), text => {
        const once = normalizeEncoding(text)
        assert.equal(normalizeEncoding(once), once)
        assert.match(once, /^[\x00-\x7f]*$/)
        assert.doesNotMatch(normalizePath(text), /[*$]/)
      }),
    )
  })
})

describe('directives', () => {
  const now = new Date('2026-11-20T12:00:00Z')
  const cases: [says: string, metas: [string, string][], headers: string[], directives: string[]][] = [
    ['are none by default', [], [], []],
    ['are read from the robots meta', [['robots', 'NOINDEX, nofollow']], [], ['noindex', 'nofollow']],
    ['are read from the crawler’s meta', [['googlebot', 'noindex']], [], ['noindex']],
    ['are not another crawler’s', [['bingbot', 'noindex']], [], []],
    ['are two in the word none', [['robots', 'none']], [], ['noindex', 'nofollow']],
    ['pass over unknown words', [['robots', 'no-index, noodles, noarchive']], [], ['noarchive']],
    ['are read from the header', [], ['noindex'], ['noindex']],
    ['are read from the header for the crawler', [], ['Googlebot: noindex, nofollow'], ['noindex', 'nofollow']],
    ['are not those of the header for another', [], ['bingbot: noindex'], []],
    ['have values', [], ['max-snippet:0, max-image-preview: large'], ['max-snippet:0', 'max-image-preview: large']],
    ['are of every header', [], ['noarchive', 'noindex'], ['noarchive', 'noindex']],
    ['end a page’s time', [], ['unavailable_after: 25 Jun 2010 15:00:00 PST'], ['noindex']],
    [
      'hold after the end of a page’s time, whose date may have commas',
      [['robots', 'unavailable_after: Friday, 25 Jun 2050 15:00:00 GMT, noindex, max-snippet:0']],
      ['unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, nofollow'],
      ['noindex', 'max-snippet:0', 'nofollow'],
    ],
    ['do not end it before', [], ['unavailable_after: 25 Jun 2050 15:00:00 PST'], []],
    ['are told once', [['robots', 'noindex, noindex']], ['noindex'], ['noindex']],
  ]
  for (const [says, metas, headers, directives] of cases) {
    it(says, () => {
      const found = directivesFor(
        'Googlebot',
        metas.map(([name, content]) => ({ name, content })),
        headers.map(value => ['x-robots-tag', value] as const),
        now,
      )
      assert.deepEqual(found, directives)
    })
  }
})

describe('links in headers', () => {
  const cases: [says: string, value: string, links: ReturnType<typeof parseLinkHeaders>][] = [
    ['have a target and a relation', '</a>; rel=canonical', [{ href: '/a', rel: ['canonical'], hreflang: null }]],
    [
      'have quoted parameters',
      '<https://example.com/>; rel="alternate"; hreflang="de"',
      [{ href: 'https://example.com/', rel: ['alternate'], hreflang: 'de' }],
    ],
    [
      'are several',
      '</a>; rel=next, </b>; rel="prev first"',
      [
        { href: '/a', rel: ['next'], hreflang: null },
        { href: '/b', rel: ['prev', 'first'], hreflang: null },
      ],
    ],
    ['are none without brackets', '/a; rel=canonical', []],
    ['are none without an end', '</a; rel=canonical', []],
  ]
  for (const [says, value, links] of cases) {
    it(says, () => assert.deepEqual(parseLinkHeaders([['link', value]]), links))
  }
})
