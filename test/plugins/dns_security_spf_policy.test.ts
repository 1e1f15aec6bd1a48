// How strong a well-formed SPF policy is, and what a name without mail says.
import { deepEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Zone } from '../evidence/mail_zone.ts'
import { check } from './dns_security_checked.ts'

/** Mail and DMARC in order, so that only the policy decides. */
const around: Zone = {
  'mx.example.com': { A: ['192.0.2.25'] },
  'open.example.com': { TXT: ['v=spf1 +all'] },
  '_dmarc.example.com': { TXT: ['v=DMARC1; p=reject'] },
}
const policy = (record: string): Zone => ({
  'example.com': { MX: [{ preference: 0, exchange: 'mx.example.com' }], A: ['192.0.2.80'], TXT: [record] },
})

type Strength = readonly [record: string, policy: string | null, signals: readonly string[]]
const strengths: readonly Strength[] = [
  ['v=spf1 +all', 'pass', ['permissive_spf_policy']],
  ['v=spf1 all', 'pass', ['permissive_spf_policy']],
  ['v=spf1 all -all', 'pass', ['permissive_spf_policy']],
  ['v=spf1 -all ip4:0.0.0.0/0', 'fail', []],
  ['v=spf1 -all include:open.example.com', 'fail', []],
  ['v=spf1 -all redirect=open.example.com', 'fail', []],
  ['v=spf1 ip4:0.0.0.0/0 -all', 'fail', ['permissive_spf_policy']],
  ['v=spf1 ip4:0.0.0.0/1 ip4:128.0.0.0/1 -all', 'fail', ['permissive_spf_policy']],
  ['v=spf1 ip6:::/0 -all', 'fail', ['permissive_spf_policy']],
  ['v=spf1 ip6:2000::/3 -all', 'fail', ['permissive_spf_policy']],
  ['v=spf1 ip6:::/2 -all', 'fail', ['permissive_spf_policy']],
  ['v=spf1 ip6:fe80::/10 ip6:FC00::/7 -all', 'fail', []],
  ['v=spf1 a/0 -all', 'fail', ['permissive_spf_policy']],
  ['v=spf1 exists:example.com -all', 'fail', ['permissive_spf_policy']],
  ['v=spf1 exists:%{i}.example.com -all', 'fail', []],
  ['v=spf1 include:open.example.com -all', 'fail', ['permissive_spf_policy']],
  ['v=spf1 -include:open.example.com -all', 'fail', []],
  ['v=spf1 redirect=open.example.com', 'pass', ['permissive_spf_policy']],
  ['v=spf1 -ip4:0.0.0.0/0 ~all', 'softfail', []],
  ['v=spf1 ip4:10.0.0.0/8 ip6:2001::/16 -all', 'fail', []],
  ['v=spf1 ?all', 'neutral', ['weak_spf_policy']],
  ['v=spf1', 'neutral', ['weak_spf_policy']],
  ['v=spf1 mx', 'neutral', ['weak_spf_policy']],
  ['v=spf1 redirect=%{l}.example.com', null, []],
  ['v=spf1 mx ~all', 'softfail', []],
  ['v=spf1 mx -all', 'fail', []],
]

describe('the strength of an SPF policy', () => {
  for (const [record, expected, raised] of strengths) {
    test(`"${record}" is ${expected ?? 'up to the sender'}, ${raised[0] ?? 'no fault'}`, async () => {
      const { section, signals } = await check('example.com', { ...around, ...policy(record) })
      deepEqual([section.spf.policy, signals, section.valid_config], [expected, raised, true])
    })
  }

  for (const null_mx of [true, false]) {
    test(`a parked name ${null_mx ? 'with' : 'without'} a null MX costs nothing`, async () => {
      const MX = null_mx ? { MX: [{ preference: 0, exchange: '' }] } : {}
      const { section, signals } = await check('example.com', { 'example.com': { ...MX, TXT: ['v=spf1 -all'] } })
      const { has_mx, valid_config, spf, dmarc } = section
      deepEqual([has_mx, valid_config, spf.status, dmarc.status, signals], [false, true, 'valid', 'missing', []])
    })
  }
})
