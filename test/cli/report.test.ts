import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import { cutTo, type Display, displayOf, padTo, widthOf, wrap, wrapProse } from '../../src/cli/report/display.ts'
import { reportText } from '../../src/cli/report/report.ts'
import { readTerminal } from '../../src/config/environment.ts'
import { reportOf } from '../engine/report/shipped.ts'
import { kindsIn, readResult } from '../golden/files.ts'

const ESCAPE = '\u001b'
const report = (result: object, display: Display) => reportText(reportOf(result), display)
const plain = (width: number): Display => ({ width, paint: (_, text) => text })

describe('the width of text', () => {
  for (const [text, width] of [
    ['plain', 5],
    ['漢字', 4],
    ['ｆｕｌｌ', 8],
    ['ﾊﾝｶｸ', 4],
    ['한국', 4],
    ['é', 1],
    ['e\u0301', 1],
    ['👩‍👩‍👧‍👦', 2],
    ['🇩🇪', 2],
    ['☀️', 2],
    ['Ω≈', 2],
    ['', 0],
  ] as const) {
    it(`is ${width} for ${JSON.stringify(text)}`, () => assert.equal(widthOf(text), width))
  }

  const words = fc.array(fc.constantFrom('a', 'word', '漢字', '한국어입니다', 'é', '👩‍👩‍👧‍👦', 'x'.repeat(90)), {
    maxLength: 12,
  })

  it('never exceeds the limit, and wrapping loses nothing', () => {
    fc.assert(
      fc.property(words, fc.integer({ min: 2, max: 80 }), (words, width) => {
        const text = words.join(' ')
        const lines = wrap(text, width)
        for (const line of lines) assert.ok(widthOf(line) <= width, line)
        assert.equal(lines.join('').replaceAll(' ', ''), text.replaceAll(' ', ''))
        assert.ok(widthOf(cutTo(text, width)) <= width)
        assert.equal(widthOf(padTo(cutTo(text, width), width)), width)
      }),
    )
  })
})

it('prose is joined and broken at the width, and lists and examples stay as they are', () => {
  const text = 'One two three four\nfive.\n\nExamples:\n  assay check a-long-example.com\n'
  assert.equal(wrapProse(text, 12), 'One two\nthree four\nfive.\n\nExamples:\n  assay check a-long-example.com\n')
})

describe('the report', () => {
  for (const kind of kindsIn('results')) {
    it(`of ${kind} fits every width, with and without colour`, () => {
      for (const width of [40, 64, 80, 120]) {
        const text = report(readResult(kind), plain(width))
        const colored = report(readResult(kind), { ...displayOf('always', {}, { color: null, columns: width }) })
        assert.equal(stripVTControlCharacters(colored), text)
        for (const line of text.split('\n')) assert.ok(widthOf(line) <= width, `${width}: ${line}`)
      }
    })
  }

  it('adds up to the score for any signals', () => {
    for (const kind of kindsIn('results')) {
      const result = readResult(kind)
      const lines = report(result, plain(100)).split('\n')
      const end = lines.findIndex(line => /^ +\d+ {2}risk score$/.test(line))
      if (end === -1) continue
      const points = lines.slice(0, end).flatMap(line => /^ {0,6}([+−][\d.]+) {2}\S/.exec(line)?.[1] ?? [])
      const sum = points.reduce((sum, one) => sum + Math.round(Number(one.replace('−', '-')) * 10), 0)
      assert.equal(sum, result.risk_score * 10, kind)
    }
  })

  it('escapes untrusted text, so that it neither controls the terminal nor reverses a line', () => {
    const evil = `${ESCAPE}[2J${ESCAPE}]0;owned\u0007\u202egnp.exe\u0000\u009b1m`
    const poison = (value: unknown): unknown => {
      if (typeof value === 'string') return value + evil
      if (Array.isArray(value)) return value.map(poison)
      if (value === null || typeof value !== 'object') return value
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, poison(one)]))
    }
    const { content_analysis, tech_stack, ssl_info, signal_details, ...rest } = readResult('shop')
    const result = {
      ...rest,
      signal_details: poison(signal_details),
      content_analysis: poison(content_analysis),
      tech_stack: poison(tech_stack),
      ssl_info: poison(ssl_info),
    }
    const text = report(result, plain(80))
    assert.doesNotMatch(text, /(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/u)
    assert.match(text, /‹U\+001B›/)
  })

  it('names unknown facts in the middle of a line, and keeps their acronyms', () => {
    const phishing = readResult('phishing')
    const ipv6 = { web: null, mail: null, name_servers: null }
    const sections = {
      ...phishing.coverage.sections,
      dns_security: { status: 'completed', reason: 'timeout' } as const,
    }
    const coverage = { ...phishing.coverage, complete: false, sections }
    const result = { ...phishing, coverage, dns_security: Object.assign({}, phishing.dns_security, { ipv6 }) }
    assert.match(report(result, plain(80)), /^ {2}Unknown +start of authority, IPv6$/m)
  })

  it('does not call unknown what is known to be missing', () => {
    const phishing = readResult('phishing')
    const ssl_info = Object.assign({}, phishing.ssl_info, { root: null, is_self_signed: true })
    const text = report({ ...phishing, ssl_info }, plain(80))
    assert.match(text, /^ {2}IPv6 +not the web site$/m)
    assert.match(text, /^ {2}Trusted root +none$/m)
    assert.doesNotMatch(text, /CAA records/)
  })

  it('does not cut the labels of headers at 80 columns', () => {
    assert.match(report(readResult('shop'), plain(80)), /^ {2}Cross-Origin-Resource-Policy {2,}\S/m)
  })

  it('lists unknown sections, and says that unknown is not good', () => {
    const result = structuredClone(readResult('shop')) as unknown as {
      coverage: { ratio: number; sections: Record<string, object> }
    } & Record<string, unknown>
    result.coverage.sections['reputation'] = { status: 'unavailable', reason: 'timeout', duration_ms: 1 }
    result.coverage.ratio = 0.9
    result['reputation'] = null
    const text = report(result, plain(80))
    assert.match(
      text,
      /^coverage 90 %: what is unknown does not count as good\n {2}\? Reputation: could not be seen \(no answer came in time\)$/m,
    )
  })
})

describe('the display', () => {
  const env = (variables: Record<string, string>) => readTerminal(variables)
  const isColored = ({ paint }: Display) => paint('red', 'x') !== 'x'
  const cases: readonly (readonly [
    string,
    Parameters<typeof displayOf>[0],
    number | undefined,
    Record<string, string>,
    boolean,
  ])[] = [
    ['on a terminal', 'auto', 80, {}, true],
    ['elsewhere', 'auto', undefined, {}, false],
    ['on a terminal with NO_COLOR', 'auto', 80, { NO_COLOR: '1' }, false],
    ['on a terminal with an empty NO_COLOR', 'auto', 80, { NO_COLOR: '' }, true],
    ['elsewhere with FORCE_COLOR', 'auto', undefined, { FORCE_COLOR: '1' }, true],
    ['on a terminal with FORCE_COLOR=0', 'auto', 80, { FORCE_COLOR: '0' }, false],
    ['with both, as Node has it', 'auto', undefined, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
    ['on a dumb terminal', 'auto', 80, { TERM: 'dumb' }, false],
    ['with --color always', 'always', undefined, { NO_COLOR: '1' }, true],
    ['with --color never', 'never', 80, { FORCE_COLOR: '1' }, false],
  ]
  for (const [what, choice, columns, variables, expected] of cases) {
    it(`has ${expected ? 'colour' : 'no colour'} ${what}`, () => {
      const output = columns === undefined ? {} : { columns }
      assert.equal(isColored(displayOf(choice, output, env(variables))), expected)
    })
  }

  for (const [what, columns, variables, width] of [
    ['of the terminal', 100, {}, 100],
    ['of COLUMNS before it', 100, { COLUMNS: '72' }, 72],
    ['of 80 where there is no terminal', undefined, {}, 80],
    ['not below what words need', undefined, { COLUMNS: '7' }, 40],
    ['not beyond what eyes follow', 300, {}, 120],
    ['that makes sense', undefined, { COLUMNS: '-3' }, 80],
  ] as const) {
    it(`has the width ${what}`, () => {
      assert.equal(displayOf('auto', columns === undefined ? {} : { columns }, env(variables)).width, width)
    })
  }
})
