// Which TXT is the SPF record, and which texts are well formed (RFC 7208 sections 3, 4.5, 4.6 and 7.1).
import { deepEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { check } from './dns_security_checked.ts'

/** Octets as the resolver hands them on: one character each. */
const octets = (text: string) => Buffer.from(text).toString('latin1')

const around = {
  MX: [{ preference: 10, exchange: 'mx.example.com' }],
  A: ['192.0.2.80'],
}
/** Mail and DMARC in order, so that only SPF decides; every name under it resolves. */
const zone = (TXT: readonly string[]) => ({
  'example.com': { ...around, TXT },
  'mx.example.com': { A: ['192.0.2.25'] },
  '_dmarc.example.com': { TXT: ['v=DMARC1; p=reject'] },
})

type Row = readonly [title: string, txt: readonly string[], status: string, record: string | null]

const selection: readonly Row[] = [
  ['strings joined to v=spf1mx are no record', ['v=spf1mx'], 'missing', null],
  ['strings are joined with nothing between', ['v=spf1 ip4:192.0.2.5 -all'], 'valid', 'v=spf1 ip4:192.0.2.5 -all'],
  ['a bare version is a valid empty policy', ['v=spf1'], 'valid', 'v=spf1'],
  ['v=spf10 is not a second record', ['v=spf10', 'v=spf1 mx'], 'valid', 'v=spf1 mx'],
  ['the version is read in any case', ['V=sPf1 ~all'], 'valid', 'V=sPf1 ~all'],
  ['two records of different case are two', ['v=spf1 -all', 'V=sPf1 +all'], 'invalid', 'V=sPf1 +all'],
  ['two identical records are two', ['v=spf1 -all', 'v=spf1 -all'], 'invalid', 'v=spf1 -all'],
  ['no TXT means no record', [], 'missing', null],
  ['a leading space spoils the version', [' v=spf1 -all'], 'missing', null],
  ['a leading tab spoils the version', ['\tv=spf1 -all'], 'missing', null],
  ['a tab does not end the version', ['v=spf1\t-all'], 'missing', null],
  ['letters after the version spoil it', ['v=spf1foo -all'], 'missing', null],
  ['trailing spaces are allowed', ['v=spf1 -all  '], 'valid', 'v=spf1 -all  '],
  ['several spaces may part terms', ['v=spf1 a  -all'], 'valid', 'v=spf1 a  -all'],
  ['odd octets in another TXT do not matter', ['\u0096 anything', 'v=spf1 -all'], 'valid', 'v=spf1 -all'],
  [
    'a byte order mark in a domain is an error',
    [`v=spf1 a:${octets('\ufeff')}garbage.example.net -all`],
    'invalid',
    'v=spf1 a:garbage.example.net -all',
  ],
  [
    'an octet over 127 before a mechanism is an error',
    ['v=spf1 \u0080a:x.example.com -all'],
    'invalid',
    'v=spf1 a:x.example.com -all',
  ],
  ['a dash of a word processor is an error', ['v=spf1 \u0096all'], 'invalid', 'v=spf1 all'],
  [
    'UTF-8 is shown as the text it is',
    [octets('v=spf1 a:é.example.com -all')],
    'invalid',
    'v=spf1 a:é.example.com -all',
  ],
  [
    'a carriage return parts no terms',
    ['v=spf1 a:h.example.com\rptr -all'],
    'invalid',
    'v=spf1 a:h.example.comptr -all',
  ],
  [
    'a line feed parts no terms',
    ['v=spf1 ip4:192.0.2.5\n include:x.example.com ~all'],
    'invalid',
    'v=spf1 ip4:192.0.2.5 include:x.example.com ~all',
  ],
  ['a NUL in the domain of a is an error', ['v=spf1 a:foo.example.com\0'], 'invalid', 'v=spf1 a:foo.example.com'],
  ['a NUL in the domain of mx is an error', ['v=spf1 mx:foo.example.com\0'], 'invalid', 'v=spf1 mx:foo.example.com'],
  [
    'a record of more than 8 KiB is not read',
    [`v=spf1 ${'ip4:192.0.2.1 '.repeat(600)}-all`],
    'invalid',
    `v=spf1 ${'ip4:192.0.2.1 '.repeat(600)}-all`.slice(0, 4096),
  ],
]

describe('the SPF record of a name', () => {
  for (const [title, txt, status, record] of selection) {
    test(title, async () => {
      const { section } = await check('example.com', zone(txt))
      const { spf_record, spf, valid_config } = section
      deepEqual(
        { spf_record, status: spf.status, valid_config },
        { spf_record: record, status, valid_config: status === 'valid' },
      )
    })
  }
})

/** Each stands behind `v=spf1 `; bars part them. */
const grammar: Readonly<Record<'invalid' | 'valid', string>> = {
  invalid: `
    ip4:1.2.3.4 -all moo | moo.cow/far_out=man:dog/cat -all | moo.cow:far_out=man:dog/cat -all | 1up=foo | =all
    -redirect=a.example.com | -all foo=%abc | ip4:1.2.3.4 redirect:t2.example.com
    redirect=a.example.com redirect=a.example.com | exp=a.example.com exp=a.example.com | ?all redirect= | exp= -all
    redirect=-all | -all. | -all:foobar | -all/8 | ptr/0 | ptr: | exists | exists: | exists:h/24
    exists:h.example.com/24 | include | include: -all | include:h/24 | include:h.example.com/24 | mx: | a: | a/
    a/33 | a//129 | a/24/64 | a/032 | a:example.com/33 | a:example.com:8080 | ip4:1.2.3.4:8080 | a:111.222.33.44
    a:abc.123 | a:museum | a:museum. | a:foo-bar | a:example.-com | a:example.com- | ip4 | ip4: | ip4:1.2.3
    ip4:01.2.3.4 | ip4:1.2.3.4/33 | ip4:1.2.3.4/032 | ip4:1.2.3.4//32 | ip4:1200:0:AB00:1234::1 | ip6:78.46.96.236
    ip6:fe80::1%eth0 | ip6::CAFE::BABE | ip6:::1.1.1.1/129 | ip6:::1.1.1.1//33 | -all ip6 | ip4:8.8.8.8~all
    ip4:%{i} -all | exists:%(ir).sbl.example.com | exists:foo%.sbl.x.com | exists:foo% | exists:%{ir.sbl.example.com
    exists:%{d0}.example.com | a:%{a}.example.com | exp=%{z} | exp=%{r}.example.com | --all | all-
    v=spf1 -all include:
  `,
  valid: `
    moo.cow-far_out=man:dog/cat ip4:1.2.3.4 -all | default=pass | redirect=%{d}.d.spf.example.com. | all -all
    a/24//64 | a//33 | a/0 | a:foo.example.xn--zckzah | a:foo:bar/baz.example.com | ip4:1.1.1.1/0 | ip6:::1.1.1.1/0
    ip6:Cafe:Babe:8000::/33 | IP4:147.75.8.208 -ALL | a:macro%%percent%_%_space%-x.example.com
    exists:%{l2r+-}.user.%{d2} | exp=%{S}.e.example.com | exp=mx:mymx.com ~all | ip6:a::a ~all
    mx:example.com/24//64 -all | ptr:example.com ptr -all | moo= -all | foo=%{c}%{r}%{t} -all | v=spf1 -all
  `,
}

/** Whatever the records above refer to is there, so that only the grammar decides. */
const referred = {
  'example.com.d.spf.example.com': { TXT: ['v=spf1 -all'] },
  'foo:bar/baz.example.com': { A: ['192.0.2.1'] },
  'foo.example.xn--zckzah': { A: ['192.0.2.1'] },
}

describe('the grammar of an SPF record', () => {
  for (const status of ['invalid', 'valid'] as const) {
    for (const terms of grammar[status].trim().split(/ \| |\n +/)) {
      test(`"${terms}" is ${status}`, async () => {
        const { section, codes } = await check('example.com', { ...zone([`v=spf1 ${terms}`]), ...referred })
        deepEqual([section.spf.status, section.valid_config], [status, status === 'valid'])
        deepEqual(codes.includes('spf_syntax_error'), status === 'invalid')
      })
    }
  }

  test('the sentence names the term and what is wrong with it', async () => {
    const { section } = await check('example.com', zone(['v=spf1 ip4:1.2.3.4/33 -all']))
    deepEqual(
      section.issues?.filter(({ code }) => code === 'spf_syntax_error'),
      [
        {
          code: 'spf_syntax_error',
          severity: 'error',
          message: 'In the SPF record of example.com, "ip4:1.2.3.4/33" has no valid prefix length.',
        },
      ],
    )
  })
})
