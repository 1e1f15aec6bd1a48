// MTA-STS records and policies (RFC 8461).
import { deepEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { FetchResult } from '../../src/network/network.ts'
import { served } from '../evidence/mail_zone.ts'
import { check, healthy, stsPolicy } from './dns_security_checked.ts'

const unreadable: FetchResult = { ok: false, exchanges: [], failure: 'certificate' }
type StsRow = readonly [
  title: string,
  txt: readonly string[],
  fetched: FetchResult,
  status: string,
  codes: readonly string[],
]
/** The policy's body ended before its end, for this reason. */
function cut(truncated: string): FetchResult {
  const whole = served(stsPolicy)
  return { ...whole, exchanges: whole.exchanges.map(exchange => ({ ...exchange, truncated })) }
}
const record = 'v=STSv1; id=1;'
const sts: readonly StsRow[] = [
  ['a policy in force', [record], served(stsPolicy), 'valid', []],
  ['no record', [], served(stsPolicy), 'missing', ['missing_mta_sts']],
  ['two records', [record, record], served(stsPolicy), 'invalid', ['multiple_mta_sts_records']],
  ['another version', ['v=STSv2; id=1;'], served(stsPolicy), 'invalid', ['mta_sts_invalid_record']],
  ['a blank before the first semicolon', ['v=STSv1 ; id=1;'], served(stsPolicy), 'invalid', ['mta_sts_invalid_record']],
  ['a version that is not first', ['id=1; v=STSv1;'], served(stsPolicy), 'invalid', ['mta_sts_invalid_record']],
  ['another record', ['site-verification=v=STSv1'], served(stsPolicy), 'missing', ['missing_mta_sts']],
  ['an ID in capitals', ['v=STSv1; ID=1;'], served(stsPolicy), 'invalid', ['mta_sts_invalid_record']],
  ['junk in the record', ['v=STSv1; id=1; junk'], served(stsPolicy), 'invalid', ['mta_sts_invalid_record']],
  ['an extension with a blank', ['v=STSv1; id=1; x=a b'], served(stsPolicy), 'invalid', ['mta_sts_invalid_record']],
  ['an extension', ['v=STSv1; id=1; x=ab'], served(stsPolicy), 'valid', []],
  ['a second id, which is ignored', ['v=STSv1; id=1; id=2'], served(stsPolicy), 'valid', []],
  ['junk in the policy', [record], served(`${stsPolicy}junk\n`), 'invalid', ['mta_sts_invalid_policy']],
  ['an unknown field', [record], served(`${stsPolicy}note: ab\n`), 'valid', []],
  ['a second mode, which is ignored', [record], served(`${stsPolicy}mode: none\n`), 'valid', ['mta_sts_ignored_field']],
  ['Mode in capitals', [record], served(stsPolicy.replace('mode', 'Mode')), 'invalid', ['mta_sts_invalid_policy']],
  ['a port behind a mail server', [record], served(`${stsPolicy}mx: a.b:25\n`), 'invalid', ['mta_sts_invalid_policy']],
  ['empty lines at the end', [record], served(`${stsPolicy}\r\n\r\n`), 'valid', []],
  ['a record without id', ['v=STSv1; x=1;'], served(stsPolicy), 'invalid', ['mta_sts_invalid_record']],
  ['an id with a dash', ['v=STSv1; id=a-b;'], served(stsPolicy), 'invalid', ['mta_sts_invalid_record']],
  ['a policy that is not there', [record], served('', 404), 'invalid', ['mta_sts_policy_not_served']],
  ['a policy that is moved', [record], served(stsPolicy, 301), 'invalid', ['mta_sts_policy_not_served']],
  ['a certificate that does not verify', [record], unreadable, 'invalid', ['mta_sts_policy_not_served']],
  ['a time-out of ours', [record], { ...unreadable, failure: 'timeout' }, 'unknown', []],
  ['a time-out of ours in the middle of the policy', [record], cut('timeout'), 'unknown', []],
  ['a policy that is too large', [record], cut('too_large'), 'invalid', ['mta_sts_policy_not_served']],
  ['a host whose DNS fails', [record], { ...unreadable, failure: 'dns_servfail' }, 'unknown', []],
  ['LF alone between lines', [record], served(stsPolicy.replaceAll('\r', '')), 'valid', []],
  ['a page of HTML', [record], served('<html>', 200, 'text/html'), 'invalid', ['mta_sts_invalid_policy']],
  ['no version', [record], served(stsPolicy.replace('version: STSv1', 'x: y')), 'invalid', ['mta_sts_invalid_policy']],
  ['an unknown mode', [record], served(stsPolicy.replace('enforce', 'strict')), 'invalid', ['mta_sts_invalid_policy']],
  ['too long a life', [record], served(stsPolicy.replace('604800', '31557601')), 'invalid', ['mta_sts_invalid_policy']],
  ['no mail server', [record], served(stsPolicy.replaceAll('mx:', 'x:')), 'invalid', ['mta_sts_invalid_policy']],
  ['test mode', [record], served(stsPolicy.replace('enforce', 'testing')), 'valid', ['mta_sts_not_enforced']],
  [
    'mode none without a mail server',
    [record],
    served('version: STSv1\nmode: none\nmax_age: 0\n'),
    'valid',
    ['mta_sts_not_enforced'],
  ],
  [
    'a mail server the policy does not name',
    [record],
    served(stsPolicy.replace('mx.example.com', 'mx.example.net')),
    'valid',
    ['mta_sts_mx_mismatch'],
  ],
  ['a wildcard for one label', [record], served(stsPolicy.replace('mx: mx.', 'mx: *.')), 'valid', []],
  [
    'a wildcard for no label',
    [record],
    served(stsPolicy.replace('mx: mx.example.com', 'mx: *.mx.example.com')),
    'valid',
    ['mta_sts_mx_mismatch'],
  ],
]

describe('MTA-STS', () => {
  for (const [title, TXT, fetched, status, codes] of sts) {
    test(`${title}: ${status}`, async () => {
      const checked = await check('example.com', { ...healthy, '_mta-sts.example.com': { TXT } }, { fetched })
      deepEqual([checked.section.mta_sts.status, [...new Set(checked.codes)]], [status, codes])
      deepEqual(checked.section.valid_config, true)
      const { mode, effective_mode } = checked.section.mta_sts
      deepEqual(effective_mode, status === 'valid' ? mode : status === 'unknown' ? null : 'none')
    })
  }

  test('senders do not apply the policy of a parent to a name below it', async () => {
    const { section } = await check('shop.example.com', {
      ...healthy,
      'shop.example.com': healthy['example.com'] ?? {},
    })
    deepEqual([section.mta_sts.status, section.mta_sts.effective_mode], ['missing', 'none'])
  })

  const consequences: readonly (readonly [mode: string, consequence: string])[] = [
    ['enforce', 'so senders do not use it'],
    ['testing', 'so senders will not use it once the policy is enforced'],
  ]
  for (const [mode, consequence] of consequences) {
    test(`a mail server missing from a policy in mode ${mode} is described correctly`, async () => {
      const fetched = served(stsPolicy.replace('enforce', mode).replace('mx.example.com', 'mx.example.net'))
      const { section } = await check('example.com', healthy, { fetched })
      const issue = section.issues?.find(({ code }) => code === 'mta_sts_mx_mismatch')
      const message = `The MTA-STS policy does not list the mail server "mx.example.com", ${consequence}.`
      deepEqual(issue?.message, message)
    })
  }
})
