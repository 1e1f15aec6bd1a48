// TLS-RPT (RFC 8460) and BIMI.
import { deepEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Zone } from '../evidence/mail_zone.ts'
import { check, healthy } from './dns_security_checked.ts'

describe('TLS-RPT', () => {
  const rows: readonly (readonly [readonly string[], string, readonly string[]])[] = [
    [['v=TLSRPTv1; rua=mailto:t@example.com,https://t.example/v1'], 'valid', []],
    [[], 'missing', ['missing_tls_rpt']],
    [['v=TLSRPTv1; rua=t@example.com'], 'invalid', ['invalid_tls_rpt_record']],
    [['v=TLSRPTv1; rua=mailto: t@example.com'], 'invalid', ['invalid_tls_rpt_record']],
    [['v=TLSRPTv1; RUA=mailto:t@example.com'], 'invalid', ['invalid_tls_rpt_record']],
    [['v=TLSRPTv1; rua=mailto:t@example.com; junk'], 'invalid', ['invalid_tls_rpt_record']],
    [['v=TLSRPTv1; rua=mailto:t@example.com; rua=mailto:u@example.com'], 'valid', ['tls_rpt_ignored_tag']],
    [['v=tlsrptv1; rua=mailto:t@example.com'], 'invalid', ['invalid_tls_rpt_record']],
    [['v=TLSRPTv1;'], 'invalid', ['invalid_tls_rpt_record']],
    [
      ['v=TLSRPTv1; rua=mailto:a@b.example', 'v=TLSRPTv1; rua=mailto:a@b.example'],
      'invalid',
      ['invalid_tls_rpt_record'],
    ],
  ]
  for (const [TXT, status, codes] of rows) {
    test(`${JSON.stringify(TXT)} is ${status}`, async () => {
      const checked = await check('example.com', { ...healthy, '_smtp._tls.example.com': { TXT } })
      deepEqual([checked.section.tls_rpt.status, checked.codes], [status, codes])
    })
  }
})

describe('BIMI', () => {
  const rows: readonly (readonly [readonly string[], string, string | null, readonly string[]])[] = [
    [
      ['v=BIMI1; l=https://example.com/logo.svg; a=https://example.com/vmc.pem'],
      'valid',
      'https://example.com/logo.svg',
      [],
    ],
    [['v=BIMI1; l=; a=;'], 'valid', null, []],
    [['v=BIMI1; l=http://example.com/logo.svg'], 'invalid', null, ['invalid_bimi_record']],
    [['v=BIMI1;'], 'invalid', null, ['invalid_bimi_record']],
    [['v=BIMI1; l=', 'v=BIMI1; l='], 'invalid', null, ['invalid_bimi_record']],
    [['something else'], 'missing', null, []],
    [['v=BIMI1; l=; l=https://example.com/logo.svg'], 'invalid', null, ['invalid_bimi_record']],
    [['v=BIMI1; L=https://example.com/logo.svg'], 'invalid', null, ['invalid_bimi_record']],
    [['v=bimi1; l=https://example.com/logo.svg'], 'invalid', null, ['invalid_bimi_record']],
    [['v=BIMI1; l=; junk'], 'valid', null, ['bimi_ignored_tag']],
  ]

  const logoAbove: Zone = {
    ...healthy,
    'default._bimi.example.com': { TXT: ['v=BIMI1; l=https://example.com/logo.svg'] },
  }
  const fallbacks: readonly (readonly [string, Zone, Record<string, unknown>])[] = [
    [
      'without a record of its own takes that of the organizational domain',
      {},
      { status: 'valid', published: 'missing', found_at: 'example.com', logo: 'https://example.com/logo.svg' },
    ],
    [
      'with a broken record of its own takes none',
      { 'default._bimi.a.shop.example.com': { TXT: ['v=BIMI1; l=', 'v=BIMI1; l='] } },
      { status: 'invalid', published: 'invalid', found_at: 'a.shop.example.com', logo: null },
    ],
    [
      'whose own question is not answered may have one',
      { 'default._bimi.a.shop.example.com': { fails: 'timeout' } },
      { status: 'unknown', published: 'unknown', found_at: null, logo: null },
    ],
  ]
  for (const [title, zone, expected] of fallbacks) {
    test(`a name below ${title}`, async () => {
      const { authority: _, ...bimi } = (await check('a.shop.example.com', { ...logoAbove, ...zone })).section.bimi
      deepEqual(bimi, expected)
    })
  }

  for (const [TXT, status, logo, codes] of rows) {
    test(`${JSON.stringify(TXT)} is ${status}`, async () => {
      const checked = await check('example.com', { ...healthy, 'default._bimi.example.com': { TXT } })
      deepEqual([checked.section.bimi.status, checked.section.bimi.logo, checked.codes], [status, logo, codes])
    })
  }

  test('a logo with an unknown DMARC policy may be shown', async () => {
    const zone: Zone = {
      ...healthy,
      'default._bimi.example.com': { TXT: ['v=BIMI1; l=https://example.com/logo.svg'] },
      '_dmarc.example.com': { fails: 'timeout' },
    }
    deepEqual((await check('example.com', zone)).codes, [])
  })

  const svg = 'https://example.com/logo.svg'
  const shown: readonly (readonly [what: string, logo: string, dmarc: string, codes: readonly string[]])[] = [
    ['an enforced policy', svg, 'p=reject', []],
    ['a policy of quarantine', svg, 'p=quarantine', []],
    ['one that is enforced for names below', svg, 'p=reject; sp=quarantine', []],
    ['one that is stricter for names below', svg, 'p=quarantine; sp=reject', []],
    ['one that is not for names below', svg, 'p=reject; sp=none', ['bimi_without_enforcement']],
    ['one of quarantine that is not for names below', svg, 'p=quarantine; sp=none', ['bimi_without_enforcement']],
    ['one that is not for names that do not exist', svg, 'p=reject; np=none', []],
    ['a logo that is compressed', `${svg}z`, 'p=reject', []],
    ['a logo with a query', `${svg}?v=logo.png`, 'p=reject', []],
    ['a logo whose name says nothing', 'https://example.com/logo', 'p=reject', []],
    ['a logo in a folder', 'https://example.com/x.png/logo.svg', 'p=reject', []],
    ['a PNG', 'https://example.com/logo.png', 'p=reject', ['bimi_logo_not_svg']],
    ['a PNG in capitals', 'https://example.com/LOGO.PNG', 'p=reject', ['bimi_logo_not_svg']],
    ['a JPEG with a query', 'https://example.com/logo.jpg?w=96', 'p=reject', ['bimi_logo_not_svg']],
    ['a WebP', 'https://example.com/logo.webp', 'p=reject', ['bimi_logo_not_svg']],
    [
      'a PNG and a policy that is not for names below',
      'https://example.com/logo.png',
      'p=reject; sp=none',
      ['bimi_logo_not_svg', 'bimi_without_enforcement'],
    ],
    ['no logo', '', 'p=reject; sp=none', []],
  ]
  for (const [what, logo, dmarc, codes] of shown) {
    test(`with ${what} has ${codes.length === 0 ? 'no issue' : `the issues ${codes.join(', ')}`}`, async () => {
      const zone: Zone = {
        ...healthy,
        'default._bimi.example.com': { TXT: [`v=BIMI1; l=${logo}`] },
        '_dmarc.example.com': { TXT: [`v=DMARC1; ${dmarc}; rua=mailto:d@example.com`] },
      }
      const { codes: found } = await check('example.com', zone)
      deepEqual(
        found.filter(code => code.startsWith('bimi_')),
        codes,
      )
    })
  }

  test('a logo without an enforced DMARC policy is not shown', async () => {
    const zone: Zone = {
      ...healthy,
      'default._bimi.example.com': { TXT: ['v=BIMI1; l=https://example.com/logo.svg'] },
      '_dmarc.example.com': { TXT: ['v=DMARC1; p=none; rua=mailto:d@example.com'] },
    }
    deepEqual((await check('example.com', zone)).codes, ['dmarc_policy_none', 'bimi_without_enforcement'])
  })
})
