import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import plugin from '../../plugins/security_txt/index.ts'
import { presentation } from '../../plugins/security_txt/presentation.ts'
import { sectionAjv } from '../../src/engine/json_schema.ts'
import type { Evidence } from '../../src/engine/plugin.ts'
import { describeServed } from '../../src/evidence/served/gather.ts'
import { pageOf } from '../../src/testing/page_of.ts'
import { anyText } from '../any_text.ts'
import { assertCheap } from '../cpu.ts'
import { EXAMPLE } from '../engine/engine_of.ts'

const url = 'https://example.com/.well-known/security.txt'
const now = new Date('2026-11-24T00:00:00Z')
const served = describeServed(pageOf({}), null)
const withheld = { ...served, kind: 'challenge', rule: 'some' } as const
const validate = sectionAjv().compile(plugin.schema)

type File = Evidence['security_txt']
const fileOf = (parts: Partial<File>): File => ({
  url,
  status: 'found',
  reason: null,
  content_type: 'text/plain; charset=utf-8',
  text: null,
  truncated: false,
  ...parts,
})

function judge(parts: Partial<File>, page: Evidence['served'] = served) {
  const evidence = { security_txt: fileOf(parts), served: page }
  const finding = plugin.analyze(evidence, { target: EXAMPLE, options: {}, missing: {}, now })
  assert.ok('section' in finding && validate(finding.section), JSON.stringify(validate.errors))
  return finding
}

const CONTACT = 'Contact: mailto:security@example.com'
const EXPIRES = 'Expires: 2027-06-01T00:00:00Z'
const GOOD = `# Our contact\n${CONTACT}\n${EXPIRES}\nPreferred-Languages: en, nl\n`
const SIGNED = `-----BEGIN PGP SIGNED MESSAGE-----
Hash: SHA256

${CONTACT}
${EXPIRES}
- # -----
-----BEGIN PGP SIGNATURE-----

iQEzBAEBCAAdFiEE
-----END PGP SIGNATURE-----
`

describe('security_txt', () => {
  it('reports the fields of a file in order', () => {
    assert.deepEqual(judge({ text: GOOD }), {
      section: {
        url,
        found: true,
        valid: true,
        signed: false,
        expires_at: '2027-06-01T00:00:00.000Z',
        expired: false,
        fields: [
          { name: 'contact', value: 'mailto:security@example.com' },
          { name: 'expires', value: '2027-06-01T00:00:00Z' },
          { name: 'preferred-languages', value: 'en, nl' },
        ],
        issues: [],
      },
      signals: [],
    })
  })

  const lines = (...written: string[]) => ({ text: `${written.join('\n')}\n` })
  const table: [title: string, parts: Partial<File>, issues: string[]][] = [
    ['a file without a contact', lines(EXPIRES), ['missing_contact']],
    ['a file without an expiry', lines(CONTACT), ['missing_expires']],
    ['a file with two expiries', lines(CONTACT, EXPIRES, EXPIRES), ['repeated_expires']],
    ['an expiry that is no date', lines(CONTACT, 'Expires: next year'), ['malformed_expires']],
    ['an expiry on a day that does not exist', lines(CONTACT, 'Expires: 2027-13-01T00:00:00Z'), ['malformed_expires']],
    ['an expiry with an offset', lines(CONTACT, 'expires: 2027-06-01T00:00:00+02:00'), []],
    ['an expiry that has passed', lines(CONTACT, 'Expires: 2026-11-24T00:00:00Z'), ['expired']],
    ['an expiry in two years', lines(CONTACT, 'Expires: 2028-11-24T00:00:00Z'), ['expires_too_late']],
    [
      'languages given twice',
      lines(CONTACT, EXPIRES, ...Array(2).fill('Preferred-Languages: en')),
      ['repeated_preferred_languages'],
    ],
    ['a bare mail address', lines('Contact: security@example.com', EXPIRES), ['not_a_uri']],
    ['a contact by plain HTTP', lines('Contact: http://example.com/report', EXPIRES), ['insecure_uri']],
    ['a line that is no field', lines(CONTACT, EXPIRES, 'please write to us'), ['malformed_line']],
    ['no media type', { text: GOOD, content_type: null }, ['wrong_content_type']],
    ['a file without TLS', { text: GOOD, url: 'http://example.com/.well-known/security.txt' }, ['not_https']],
    [
      'a canonical URL elsewhere',
      lines(CONTACT, EXPIRES, 'Canonical: https://example.org/.well-known/security.txt'),
      ['canonical_mismatch'],
    ],
    ['its own canonical URL', lines(CONTACT, EXPIRES, `Canonical: ${url}`), []],
  ]
  for (const [title, parts, issues] of table) {
    it(`finds ${issues.length > 0 ? issues.join(' and ') : 'nothing wrong'} in ${title}`, () => {
      const { section } = judge(parts)
      const isAdvice = ['expires_too_late', 'canonical_mismatch'].includes(issues[0] ?? 'canonical_mismatch')
      assert.deepEqual([section.issues, section.valid, section.signed], [issues, isAdvice, false])
    })
  }

  const OPENING = '-----BEGIN PGP SIGNED MESSAGE-----'
  const HASH = 'Hash: SHA512'
  const TEXT = [CONTACT, EXPIRES]
  const DATA = 'iQEzBAEBCAAdFiEE'
  const BEGIN = '-----BEGIN PGP SIGNATURE-----'
  const END = '-----END PGP SIGNATURE-----'
  const SIGNATURE = [BEGIN, '', DATA, '=abcd', END]
  const messages: [title: string, message: readonly string[], signed: boolean, issues: string[]][] = [
    ['a whole signed message', [OPENING, HASH, '', ...TEXT, ...SIGNATURE], true, []],
    ['one with several hash names', [OPENING, 'Hash: SHA256,SHA512', HASH, '', ...TEXT, ...SIGNATURE], true, []],
    ['one with a dash-escaped comment', [OPENING, HASH, '', ...TEXT, '- # -----', ...SIGNATURE], true, []],
    [
      'one whose signature has headers',
      [OPENING, HASH, '', ...TEXT, BEGIN, 'Version: GnuPG v2', 'Comment: x', '', DATA, END],
      true,
      [],
    ],
    ['one with blanks behind its dashes', [`${OPENING} `, HASH, ' ', ...TEXT, `${BEGIN}\t`, '', DATA, END], true, []],
    ['one followed by empty lines', [OPENING, HASH, '', ...TEXT, ...SIGNATURE, '', ' '], true, []],
    ['the opening alone', [OPENING, HASH, '', ...TEXT], false, ['malformed_signature']],
    ['one without hash names', [OPENING, '', ...TEXT, ...SIGNATURE], false, ['malformed_signature']],
    ['one without a line between', [OPENING, HASH, ...TEXT, ...SIGNATURE], false, ['malformed_signature']],
    ['one without an end', [OPENING, HASH, '', ...TEXT, BEGIN, '', DATA], false, ['malformed_signature']],
    ['one without signature data', [OPENING, HASH, '', ...TEXT, BEGIN, '', END], false, ['malformed_signature']],
    [
      'one without a line before the data',
      [OPENING, HASH, '', ...TEXT, BEGIN, DATA, END],
      false,
      ['malformed_signature'],
    ],
    [
      'one whose data are words',
      [OPENING, HASH, '', ...TEXT, BEGIN, '', 'not a signature!', END],
      false,
      ['malformed_signature'],
    ],
    [
      'one that ends without a signature',
      [OPENING, HASH, '', ...TEXT, END],
      false,
      ['malformed_line', 'malformed_signature'],
    ],
    ['one whose opening is in lower case', [OPENING.toLowerCase(), ...TEXT], false, ['malformed_line']],
    ['a signature without the opening', [...TEXT, ...SIGNATURE], false, ['malformed_line']],
    ['text before the opening', [CONTACT, OPENING, HASH, '', EXPIRES, ...SIGNATURE], false, ['malformed_line']],
    [
      'a field behind the end',
      [OPENING, HASH, '', ...TEXT, ...SIGNATURE, 'Contact: http://example.net/'],
      true,
      ['text_after_signature'],
    ],
    ['a comment behind the end', [OPENING, HASH, '', ...TEXT, ...SIGNATURE, '# hello'], true, ['text_after_signature']],
    [
      'a second message behind the end',
      [...Array(2)].flatMap(() => [OPENING, HASH, '', ...TEXT, ...SIGNATURE]),
      true,
      ['text_after_signature'],
    ],
    [
      'an expiry behind the end alone',
      [OPENING, HASH, '', CONTACT, ...SIGNATURE, EXPIRES],
      true,
      ['missing_expires', 'text_after_signature'],
    ],
  ]
  for (const [title, message, signed, issues] of messages) {
    it(`reads ${title} as ${signed ? 'signed' : 'not signed'}, with ${issues.join(' and ') || 'no issue'}`, () => {
      const { section } = judge(lines(...message))
      assert.deepEqual([section.signed, section.issues, section.valid], [signed, issues, issues.length === 0])
    })
  }

  it('says that a signature was not verified', () => {
    const summaryOf = (text: string) => presentation.describe?.(judge({ text }).section, {} as never)?.summary
    assert.deepEqual(summaryOf(SIGNED), ['The security.txt file is valid.', 'Its signature was not verified.'])
    assert.deepEqual(summaryOf(GOOD), ['The security.txt file is valid.'])
  })

  const nothing = ['missing_contact', 'missing_expires']
  const unknownFields: [title: string, parts: Partial<File>, issues: string[] | null][] = [
    ['one unknown field', lines('hello: world'), nothing],
    ['unknown fields and comments', lines('# ours', '', 'hello: world'), nothing],
    ['a misspelled contact', lines('Contacts: mailto:security@example.com'), nothing],
    ['unknown fields that are signed', lines(OPENING, HASH, '', 'hello: world', ...SIGNATURE), nothing],
    ['unknown fields beside a known one', lines('hello: world', CONTACT, EXPIRES), []],
    [
      'a known field that is not plain text',
      { ...lines(CONTACT, EXPIRES), content_type: null },
      ['wrong_content_type'],
    ],
    ['an unknown field that is not plain text', { ...lines('error: not found'), content_type: 'text/html' }, null],
    ['prose with a colon', lines('Note: this page has moved', 'Please go back.'), null],
    ['prose', lines('not found'), null],
    ['comments alone', lines('# nothing here'), null],
    ['nothing', { text: '' }, null],
    ['a field without a value', lines('hello:'), null],
    ['JSON', lines('{"error": "not found"}'), null],
  ]
  for (const [title, parts, issues] of unknownFields) {
    it(`finds ${issues === null ? 'no file' : `a file with ${issues.join(' and ') || 'no issue'}`} in ${title}`, () => {
      const { section } = judge(parts)
      assert.deepEqual(
        [section.found, section.issues, section.valid],
        [issues !== null, issues, issues && issues.length === 0],
      )
    })
  }

  it('signals a file that has expired, which costs nothing', () => {
    assert.deepEqual(judge(lines(CONTACT, 'Expires: 2025-01-01T00:00:00Z')).signals, [
      {
        id: 'security_txt_expired',
        detail: 'The security.txt file expired on 1 January 2025.',
        evidence: { url, expires_at: '2025-01-01T00:00:00.000Z' },
      },
    ])
  })

  const html = { text: '\n<!doctype html><p>Contact: us', content_type: 'text/html' }
  const none: [title: string, parts: Partial<File>, page: Evidence['served'], found: false | null, unknown?: string][] =
    [
      ['is missing', { status: 'missing' }, served, false],
      ['is refused', { status: 'denied' }, served, false],
      ['is a page', html, served, false],
      ['is the beginning of a long page', { ...html, truncated: true }, served, false],
      ['is missing behind a challenge', { status: 'missing' }, withheld, null, 'page_withheld'],
      ['fails behind a challenge', { status: 'unknown', reason: 'status_503' }, withheld, null, 'page_withheld'],
      ['does not come', { status: 'unknown', reason: 'timeout' }, served, null, 'security_txt_timeout'],
      ['fails', { status: 'unknown', reason: 'status_503' }, served, null, 'security_txt_status_503'],
      ['is too long', { text: GOOD, truncated: true }, served, null, 'security_txt_too_large'],
    ]
  for (const [title, parts, page, found, unknown] of none) {
    it(`says ${found === null ? 'that it is unknown' : 'that there is no file'} when the file ${title}`, () => {
      const rest = { valid: null, signed: null, expires_at: null, expired: null, fields: null, issues: null }
      assert.deepEqual(judge(parts, page), {
        section: { url, found, ...rest },
        signals: [],
        ...(unknown !== undefined && { unknown }),
      })
    })
  }

  it('reports a file even if the page is withheld', () => {
    assert.equal(judge({ text: GOOD }, withheld).section.found, true)
  })

  it('does not apply if nothing answered', () => {
    const page = describeServed({ exchanges: [], failure: 'refused', stopped: null, stopped_at: null }, null)
    const evidence = { security_txt: fileOf({}), served: page }
    assert.deepEqual(plugin.analyze(evidence, { target: EXAMPLE, options: {}, missing: {}, now }), {
      notApplicable: 'refused',
    })
  })

  it('takes any text, in linear time', () => {
    fc.assert(fc.property(anyText(), text => void judge({ text: `Contact: x\n${text}` })))
    for (const text of [
      'Contact: x\n'.repeat(3_000),
      `Contact: ${'a:'.repeat(16_000)}`,
      `-----BEGIN PGP SIGNED MESSAGE-----${'\n- '.repeat(9_000)}`,
    ])
      assertCheap(() => void judge({ text }))
  })
})
