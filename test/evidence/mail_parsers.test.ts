// The parsers of mail records never throw, take linear time, and read back what was printed.
import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { parseReportUris } from '../../src/evidence/mail_records/dmarc.ts'
import { readable } from '../../src/evidence/mail_records/dns_records.ts'
import type { SpfTerm } from '../../src/evidence/mail_records/facts.ts'
import { parseStsPolicy } from '../../src/evidence/mail_records/mta_sts.ts'
import { expand, parseDomainSpec } from '../../src/evidence/mail_records/spf_macro.ts'
import { isSpf, lookupTerms, parseSpf } from '../../src/evidence/mail_records/spf_record.ts'
import {
  isRecord,
  parseTagList,
  type RecordSyntax,
  resembles,
  syntax,
  tagValue,
} from '../../src/evidence/mail_records/tag_list.ts'
import { parts } from '../any_text.ts'
import { assertCheap } from '../cpu.ts'

/** Octets as in DNS texts: one character each. */
const octets = fc.string({
  unit: fc.integer({ min: 0, max: 255 }).map(code => String.fromCharCode(code)),
  maxLength: 600,
})
/** Inputs that are difficult for parsers. */
const hostile = fc
  .array(fc.constantFrom(...parts('v=spf1 ; = : / // % %{ } %{d2r.-} . a ip4: 1.2.3.4 all', ' ', '\0', '\x96')), {
    maxLength: 60,
  })
  .map(pieces => pieces.join(''))
const anyText = fc.oneof(octets, hostile)

const parsers: Readonly<Record<string, (text: string) => unknown>> = {
  parseSpf,
  parseSpfTerms: text => parseSpf(`v=spf1 ${text}`),
  parseDomainSpec,
  parseTagList: text => Object.values(syntax).map(rules => parseTagList(text, rules)),
  parseReportUris,
  parseStsPolicy,
  readable,
  isRecord: text => Object.values(syntax).map(rules => [isRecord(text, rules), resembles(text, rules)]),
}

describe('a parser of mail records', () => {
  for (const [name, parse] of Object.entries(parsers)) {
    test(`${name} never throws and yields plain JSON`, () => {
      fc.assert(fc.property(anyText, text => deepEqual(JSON.parse(JSON.stringify([parse(text)])), [parse(text)])))
    })

    test(`${name} takes linear time over hostile text`, () => {
      const units = parts('a %{ %% %{d} / : ; = 1. - , .a :: ! @', ' a', '\n', ' \t')
      for (const unit of units) {
        const text = unit.repeat(Math.ceil(65_535 / unit.length))
        assertCheap(() => parse(text))
      }
    })
  }

  test('no shown text holds controls, half characters or more than its length', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 64 }), (text, length) => {
        const shown = readable(text, length)
        ok(shown.length <= length && !/[\p{Cc}\p{Cf}\p{Cs}]/u.test(shown))
      }),
    )
  })

  test('UTF-8 is read as such and never cut within a character', () => {
    const emoji = Buffer.from('a😀').toString('latin1')
    deepEqual([readable(emoji), readable(emoji, 2), readable('\xe9')], ['a😀', 'a', 'é'])
  })
})

const label = fc.stringMatching(/^[a-z0-9]{1,8}$/)
const domain = fc
  .tuple(
    fc.array(fc.oneof(label, fc.constantFrom('%{d}', '%{l2r-}', '%%', '_spf')), { minLength: 1, maxLength: 3 }),
    fc.constantFrom('com', 'example', 'xn--p1ai'),
  )
  .map(([labels, top]) => [...labels, top].join('.'))
const v4 = fc.option(fc.integer({ min: 0, max: 32 }))
const v6 = fc.option(fc.integer({ min: 0, max: 128 }))
const blank = { domain: null, network: null, prefix4: null, prefix6: null }
const named = <T>(name: string, more: fc.Arbitrary<T>) => more.map(given => ({ ...blank, name, ...given }))
const ip4 = fc.tuple(fc.ipV4(), v4).map(([network, prefix4]) => ({ network, prefix4 }))
const ip6 = fc.tuple(fc.ipV6(), v6).map(([network, prefix6]) => ({ network: network.toLowerCase(), prefix6 }))
const host = fc.record({ domain: fc.option(domain), prefix4: v4, prefix6: v6 })
const mechanism = fc.oneof(
  named('all', fc.constant({})),
  named('include', fc.record({ domain })),
  named('exists', fc.record({ domain })),
  named('ptr', fc.record({ domain: fc.option(domain) })),
  named('a', host),
  named('mx', host),
  named('ip4', ip4),
  named('ip6', ip6),
)
const term = fc
  .tuple(fc.constantFrom('+', '-', '~', '?'), mechanism)
  .map(([qualifier, shape]) => ({ ...shape, qualifier, kind: 'mechanism', error: null }))

type Printed = Omit<SpfTerm, 'text' | 'kind' | 'qualifier'> & { readonly qualifier: string }

function print({ qualifier, name, domain, network, prefix4, prefix6 }: Printed): string {
  const argument = domain ?? network
  const four = prefix4 === null ? '' : `/${prefix4}`
  const six = prefix6 === null ? '' : `${name === 'ip6' ? '/' : '//'}${prefix6}`
  return `${qualifier}${name}${argument === null ? '' : `:${argument}`}${four}${six}`
}

describe('an SPF record', () => {
  test('is read as it was printed', () => {
    fc.assert(
      fc.property(fc.array(term, { maxLength: 12 }), terms => {
        const text = ['v=spf1', ...terms.map(print)].join(' ')
        ok(isSpf(text))
        deepEqual(parseSpf(text), { text, too_long: false, terms: terms.map(each => ({ ...each, text: print(each) })) })
      }),
    )
  })

  test('is looked up only where it is evaluated', () => {
    const rows: readonly (readonly [string, readonly number[]])[] = [
      ['v=spf1 a mx -all ptr', [0, 1]],
      ['v=spf1 -all a include:b.example.com redirect=a.example.com', []],
      ['v=spf1 redirect=a.example.com a', [1, 0]],
      ['v=spf1 redirect=a.example.com ~all', []],
      ['v=spf1 a moo', []],
      ['v=spf1 a=b include=c -all exp=x.example.com', []],
    ]
    for (const [text, expected] of rows) deepEqual(lookupTerms(parseSpf(text)), expected)
  })
})

describe('a domain spec', () => {
  const known = { d: 'mail.example.com', o: 'example.org' }
  const rows: readonly (readonly [string, string | null])[] = [
    ['%{d}', 'mail.example.com'],
    ['_spf.%{D}', '_spf.mail.example.com'],
    ['%{d2}', 'example.com'],
    ['%{d1}.x.com', 'com.x.com'],
    ['%{dr}', 'com.example.mail'],
    ['%{d1r}', 'mail'],
    ['%{o}.x.com', 'example.org.x.com'],
    ['%{da}', null],
    ['a%%b%_c%-d.com', 'a%b c%20d.com'],
    ['%{d99}', 'mail.example.com'],
    ['%{d-}', 'mail.example.com'],
    ['%{i}.x.com', null],
    ['%{l}.%{d}', null],
  ]
  for (const [spec, expected] of rows) {
    test(`${spec} stands for ${expected ?? 'nothing known'}`, () => {
      const parts = parseDomainSpec(spec)
      equal(parts && expand(parts, known), expected)
    })
  }
})

/** Values that every standard allows. */
const value = fc.stringMatching(/^[!-:<>-~]{1,20}$/)
const pair = fc.tuple(fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/), value).map(([name, value]) => ({ name, value }))
const pairs = fc.uniqueArray(pair, { maxLength: 20, selector: ({ name }) => name })
const space = fc.constantFrom('', ' ', '\t', '  ')
const printTags = (list: readonly { name: string; value: string }[], blank = '') =>
  list.map(({ name, value }) => `${blank}${name}${blank}=${blank}${value}${blank}`).join(';')

for (const [name, rules] of Object.entries(syntax)) {
  const defined = fc.constantFrom<string>(...rules.defined)
  const rulesOf: RecordSyntax = rules

  describe(`a tag list of ${name}`, () => {
    test('is read as it was printed, whatever the white space', () => {
      fc.assert(
        fc.property(pairs, space, (list, blank) => {
          const { tags, violations, valid } = parseTagList(printTags(list, blank), rules)
          deepEqual([tags, violations, valid], [list, [], true])
        }),
      )
    })

    test('holds the same values in any order', () => {
      fc.assert(
        fc.property(pairs, list => {
          const [one, other] = [list, list.toReversed()].map(some => parseTagList(printTags(some), rules))
          for (const { name: tag } of list) equal(one && tagValue(one, tag), other && tagValue(other, tag))
        }),
      )
    })

    test(`reports a repeated tag, and is ${rules.repeated === 'invalid' ? 'invalid' : 'read by the first one'}`, () => {
      fc.assert(
        fc.property(defined, value, value, pairs, (tag, first, second, others) => {
          const rest = others.filter(other => other.name !== tag)
          const list = parseTagList(
            printTags([{ name: tag, value: first }, ...rest, { name: tag, value: second }]),
            rules,
          )
          deepEqual(list.violations, [{ kind: 'repeated', text: tag }])
          deepEqual([tagValue(list, tag), list.valid], [first, rules.repeated === 'first'])
        }),
      )
    })

    test(`${rules.letter_case === 'lower' ? 'reports a defined name in upper case' : 'takes names in any case'}`, () => {
      fc.assert(
        fc.property(defined, value, (tag, given) => {
          const list = parseTagList(printTags([{ name: tag.toUpperCase(), value: given }]), rules)
          const isSame = rulesOf.letter_case === 'any'
          deepEqual(list.violations, isSame ? [] : [{ kind: 'letter_case', text: tag.toUpperCase() }])
          deepEqual(tagValue(list, tag), isSame ? given : null)
        }),
      )
    })

    test(`reports what is not a tag, and is ${rules.malformed === 'invalid' ? 'invalid' : 'still valid'}`, () => {
      fc.assert(
        fc.property(pairs, fc.constantFrom('junk', '=x', '1a=b', 'a b=c'), (list, junk) => {
          const { violations, valid } = parseTagList(`${printTags(list)};${junk}`, rules)
          deepEqual([violations, valid], [[{ kind: 'malformed', text: junk }], rules.malformed === 'ignored'])
        }),
      )
    })

    test('is a record if the version comes first, and resembles one if it does not', () => {
      const spellings: readonly (readonly [string, boolean, boolean])[] = [
        [`v=${rules.version}; a=b`, true, true],
        [`v=${rules.version};`, true, true],
        [`a=b; v=${rules.version}`, false, true],
        [`v=${rules.version.toLowerCase()}; a=b`, false, true],
        [` v=${rules.version}; a=b`, false, true],
        [`"v=${rules.version}; a=b"`, false, true],
        [`v = ${rules.version} ; a=b`, rulesOf.start === 'blanks', true],
        ['v=spf1 -all', false, false],
        [`about ${rules.version}`, false, false],
      ]
      for (const [text, is, looks] of spellings)
        deepEqual([text, isRecord(text, rules), resembles(text, rules)], [text, is, looks])
    })
  })
}
