// What ssl_info says about stapled OCSP responses and certificate timestamps.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Staple, Tls } from '../../src/evidence/tls/facts.ts'
import { judge, tls } from './ssl_info_judged.ts'

/** A good one of this morning, for a week. The check is at noon of 20 November. */
const good: Staple = {
  response: 'successful',
  certificate_status: 'good',
  revoked_at: null,
  revocation_reason: null,
  produced_at: '2026-11-20T06:00:00Z',
  this_update: '2026-11-20T06:00:00Z',
  next_update: '2026-11-27T06:00:00Z',
  for_this_certificate: true,
  verified: true,
}
const revoked: Staple = {
  ...good,
  certificate_status: 'revoked',
  revoked_at: '2026-11-19T06:00:00Z',
  revocation_reason: 'key_compromise',
}
const outdated = {
  produced_at: '2026-11-01T06:00:00Z',
  this_update: '2026-11-01T06:00:00Z',
  next_update: '2026-11-08T06:00:00Z',
}
const unread: Staple = {
  response: 'unreadable',
  certificate_status: null,
  revoked_at: null,
  revocation_reason: null,
  produced_at: null,
  this_update: null,
  next_update: null,
  for_this_certificate: null,
  verified: null,
}

describe('a stapled OCSP response', () => {
  const rows: [title: string, staple: Staple, told: [signals: string[], current: boolean | null, checked: boolean]][] =
    [
      ['that is good, verified and current checks revocation', good, [[], true, true]],
      ['that is out of date does not check it', { ...good, ...outdated }, [[], false, false]],
      ['of the future does not check it', { ...good, this_update: '2026-11-20T12:05:01Z' }, [[], false, false]],
      ['of a clock that is ahead checks it', { ...good, this_update: '2026-11-20T12:05:00Z' }, [[], true, true]],
      ['of today without a next update checks it', { ...good, next_update: null }, [[], true, true]],
      ['of old without a next update does not', { ...good, ...outdated, next_update: null }, [[], false, false]],
      ['of an unknown responder does not check it', { ...good, verified: null }, [[], true, false]],
      [
        'that does not know the certificate does not check it',
        { ...good, certificate_status: 'unknown' },
        [[], true, false],
      ],
      ['that is revoked makes the certificate invalid', revoked, [['revoked_certificate'], true, true]],
      [
        'that is revoked makes it invalid when it is old, too',
        { ...revoked, ...outdated },
        [['revoked_certificate'], false, true],
      ],
      [
        'that held the certificate once does not',
        { ...revoked, ...outdated, revocation_reason: 'certificate_hold' },
        [[], false, false],
      ],
      [
        'that holds the certificate makes it invalid',
        { ...revoked, revocation_reason: 'certificate_hold' },
        [['revoked_certificate'], true, true],
      ],
      ['that is revoked by an unknown responder does not', { ...revoked, verified: null }, [[], true, false]],
      ['that is revoked with a wrong signature does not', { ...revoked, verified: false }, [[], true, false]],
      ['that revokes another certificate does not', { ...revoked, for_this_certificate: false }, [[], true, false]],
      ['that may revoke another certificate does not', { ...revoked, for_this_certificate: null }, [[], true, false]],
      ['that is unreadable says nothing', unread, [[], null, false]],
    ]
  for (const [title, staple, told] of rows) {
    it(title, () => {
      const { section, signals, reasons } = judge(tls({ stapled: true, staple }))
      assert.deepEqual([signals, section.ocsp?.current, section.revocation_checked], told)
      assert.deepEqual(reasons, signals.includes('revoked_certificate') ? ['revoked'] : [])
    })
  }
})

describe('a certificate that demands a staple', () => {
  const rows: [title: string, stapled: boolean | null, staple: Staple | null, missing: boolean][] = [
    ['has one', true, good, false],
    ['has one whose signer is unknown', true, { ...good, verified: null }, false],
    ['has none', false, null, true],
    ['has one that is out of date', true, { ...good, ...outdated }, true],
    ['has one that is unreadable', true, unread, true],
    ['has one that says to try later', true, { ...unread, response: 'try_later' }, true],
    ['has one for another certificate', true, { ...good, for_this_certificate: false }, true],
    ['has one that is too large to read', true, { ...unread, response: 'too_large' }, false],
    ['ended the handshake too early to tell', null, null, false],
  ]
  for (const [title, stapled, staple, missing] of rows) {
    it(title, () => {
      const { signals } = judge(tls({ must_staple: true, stapled, staple }))
      assert.deepEqual(signals, missing ? ['required_staple_missing'] : [])
    })
  }
})

describe('a certificate without timestamps', () => {
  const log = { log_id: 'A'.repeat(44), logged_at: '2026-10-01T00:00:00.000Z', source: 'certificate' } as const
  const rows: [title: string, evidence: Partial<Tls>, missing: boolean][] = [
    ['below a public root lacks them', { public_root: true }, true],
    ['below a root of the installation needs none', { public_root: false }, false],
    ['below no trusted root needs none', { public_root: null, root: null }, false],
  ]
  for (const [title, evidence, missing] of rows) {
    it(title, () => {
      const { signals, section } = judge(tls({ ...evidence, timestamps: [] }))
      assert.deepEqual(signals, missing ? ['missing_certificate_timestamps'] : [])
      assert.deepEqual(section.certificate_timestamps, [])
    })
  }

  it('is not one whose timestamps are unreadable', () => {
    const { signals, section } = judge(tls({ public_root: true, timestamps: null }))
    assert.deepEqual([signals, section.certificate_timestamps], [[], null])
  })

  it('is not one with a timestamp', () => {
    const { signals, section } = judge(tls({ public_root: true, timestamps: [log] }))
    const unnamed = { log: null, operator: null, state: null }
    assert.deepEqual([signals, section.certificate_timestamps], [[], [{ ...log, ...unnamed }]])
  })

  it('names the log of a timestamp, its operator and its state', () => {
    const named = { ...log, log: { name: 'Argon', operator: 'Google', state: 'retired' } }
    const { section } = judge(tls({ timestamps: [named] }))
    assert.deepEqual(section.certificate_timestamps, [{ ...log, log: 'Argon', operator: 'Google', state: 'retired' }])
  })
})
