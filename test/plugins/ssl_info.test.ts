import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { reasons } from '../../plugins/ssl_info/reasons.ts'
import { signals } from '../../plugins/ssl_info/signals.ts'
import type { Certificate, Tls } from '../../plugins/ssl_info/tls.ts'
import { raise } from '../../src/engine/conditions.ts'
import type { Evidence } from '../../src/engine/plugin.ts'
import { domainTarget, ipTarget } from '../evidence_of.ts'
import { authority, certificate, find, type Judged, judge, now, tls, withoutTls } from './ssl_info_judged.ts'

const clientAuth = '1.3.6.1.5.5.7.3.2'
const leaf = (parts: Partial<Certificate>): Partial<Tls> => ({ chain: [certificate(parts), authority()] })
const above = (parts: Partial<Certificate>): Partial<Tls> => ({ chain: [certificate(), authority(parts)] })

const ownLine = {
  subject: 'shop.example',
  issuer: 'Example CA 1',
  not_before: '2026-10-01T00:00:00Z',
  not_after: '2026-12-30T23:59:59Z',
  self_signed: false,
  fingerprint_sha256: 'f'.repeat(64),
}
const issuerLine = { ...ownLine, not_after: '2030-01-01T00:00:00Z' }

describe('ssl_info', () => {
  it('reports all fields of a valid certificate', () => {
    assert.deepEqual(find(tls()), {
      section: {
        valid: true,
        issuer: 'Example Trust',
        expires_at: '2026-12-30T23:59:59',
        days_to_expire: 40,
        is_self_signed: false,
        protocol: 'TLSv1.3',
        status: 'handshake',
        failure: null,
        invalid_reasons: [],
        subject: 'shop.example',
        subject_alternative_names: ['shop.example', '*.shop.example'],
        subject_alternative_names_total: 2,
        issuer_common_name: 'Example CA 1',
        not_before: '2026-10-01T00:00:00Z',
        serial: '4a',
        fingerprint_sha256: 'f'.repeat(64),
        key: { kind: 'ec', bits: null, curve: 'P-256' },
        signature_algorithm: 'ecdsa-with-SHA256',
        chain_length: 2,
        chain: [ownLine, issuerLine, { ...issuerLine, self_signed: true }],
        root: 'shop.example',
        sent_beside: [],
        cipher: 'TLS_AES_128_GCM_SHA256',
        alpn: 'http/1.1',
        key_exchange: { kind: 'ECDH', group: 'X25519', bits: 253, post_quantum: null },
        client_certificate_requested: false,
        revocation_checked: false,
        ocsp: {
          stapled: false,
          must_staple: false,
          response: null,
          status: null,
          revoked_at: null,
          revocation_reason: null,
          produced_at: null,
          this_update: null,
          next_update: null,
          current: null,
          for_this_certificate: null,
          verified: null,
        },
        caa: null,
        certificate_timestamps: [],
      },
      signals: [],
      unknown: null,
    })
  })

  it('explains each signal in a sentence with evidence', () => {
    const finding = find(tls({ ...leaf({ not_after: '2026-11-19T12:00:00Z' }), verify_error: 'CERT_HAS_EXPIRED' }))
    assert.deepEqual(finding.signals, [
      {
        id: 'expired_certificate',
        detail: 'The certificate of shop.example expired on 19 November 2026 at 12:00 UTC.',
        evidence: { reasons: ['expired'] },
      },
    ])
  })

  it('lists fifty names and counts them all', () => {
    const names = Array.from({ length: 1_000 }, (_, at) => `h${at}.shop.example`)
    const { section } = judge(tls(leaf({ dns_names: ['shop.example', ...names] })))
    assert.deepEqual(
      [section.subject_alternative_names?.length, section.subject_alternative_names_total, section.valid],
      [50, 1_001, true],
    )
  })

  it('works without a subject', () => {
    const { section } = judge(tls(leaf({ subject: null })))
    assert.deepEqual([section.subject, section.valid, section.issuer], [null, true, 'Example Trust'])
  })

  it('names the issuer by its label when it has no organization', () => {
    const issuer = { label: 'IT', common_name: null, organization: null, country: null }
    const { section } = judge(tls(leaf({ issuer })))
    assert.deepEqual([section.issuer, section.issuer_common_name], ['IT', null])
  })
})

describe('the period of validity', () => {
  const end = '2026-11-20T12:00:00Z'
  const rows: readonly [string, Partial<Certificate>, string, number, readonly string[]][] = [
    ['is over one second after its end', { not_after: end }, '2026-11-20T12:00:01Z', -1, ['expired']],
    ['includes its last second', { not_after: end }, '2026-11-20T12:00:00.999Z', 0, []],
    ['has 0 days left for 23 h 59 min', { not_after: end }, '2026-11-19T12:01:00Z', 0, []],
    ['has 1 day left for 24 h', { not_after: end }, '2026-11-19T12:00:00Z', 1, []],
    ['has -1 days left a whole day after', { not_after: end }, '2026-11-21T12:00:00Z', -1, ['expired']],
    ['has -2 days left a second later', { not_after: end }, '2026-11-21T12:00:01Z', -2, ['expired']],
    ['includes its first second', { not_before: '2026-11-20T12:00:00Z' }, '2026-11-20T12:00:00Z', 40, []],
    [
      'has not begun a second before',
      { not_before: '2026-11-20T12:00:00Z' },
      '2026-11-20T11:59:59Z',
      40,
      ['not_yet_valid'],
    ],
    ['may end with the year 9999', { not_after: '9999-12-31T23:59:59Z' }, '2026-11-20T12:00:00Z', 2_912_119, []],
    ['may begin in 1950', { not_before: '1950-01-01T00:00:00Z' }, '2026-11-20T12:00:00Z', 40, []],
  ]
  for (const [title, parts, moment, days, reasons] of rows) {
    it(title, () => {
      const judged = judge(tls(leaf(parts)), { now: new Date(moment) })
      assert.deepEqual([judged.section.days_to_expire, judged.reasons], [days, reasons])
      assert.equal(judged.section.valid, reasons.length === 0)
    })
  }
})

it('reports the certificate of a server that requires a client certificate', () => {
  const demanding = { failure: 'client_certificate_required', client_certificate_requested: true } as const
  const { section, signals } = judge(tls({ ...demanding, verify_error: 'NOT_JUDGED' }))
  assert.deepEqual(
    [section.valid, section.status, section.failure, section.issuer, section.client_certificate_requested],
    [true, 'handshake', 'client_certificate_required', 'Example Trust', true],
  )
  assert.deepEqual(signals, [])
})

describe('the reasons why a certificate is invalid', () => {
  const expired = '2026-11-01T00:00:00Z'
  const root = authority({ self_signed: true })
  const alone = (parts: Partial<Certificate> = {}): Partial<Tls> => ({ chain: [certificate(parts)] })
  const untrusted = { verify_error: 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', anchored: false } as const
  const rows: readonly [string, Partial<Tls>, readonly string[]][] = [
    ['an expired leaf', { ...leaf({ not_after: expired }), verify_error: 'CERT_HAS_EXPIRED' }, ['expired']],
    [
      'an expired leaf behind another complaint',
      { ...leaf({ not_after: expired }), verify_error: 'INVALID_PURPOSE' },
      ['expired', 'invalid_purpose'],
    ],
    [
      'an expired intermediate',
      { ...above({ not_after: expired }), verify_error: 'CERT_HAS_EXPIRED' },
      ['chain_expired'],
    ],
    ['a path that nobody judged but verified signatures', { verify_error: 'NOT_JUDGED' }, []],
    [
      'an expired intermediate in a path that nobody judged',
      { ...above({ not_after: expired }), verify_error: 'NOT_JUDGED' },
      ['chain_expired'],
    ],
    [
      'an unknown root of a path that nobody judged',
      { verify_error: 'NOT_JUDGED', anchored: false },
      ['untrusted_root'],
    ],
    [
      'a path that nobody judged and that is too tangled to follow',
      { verify_error: 'NOT_JUDGED', anchored: null },
      ['path_rejected'],
    ],
    [
      'an expired root that was not sent',
      { root: authority({ not_after: expired }), verify_error: 'CERT_HAS_EXPIRED' },
      ['chain_expired'],
    ],
    ['an expired certificate beside the path that OpenSSL followed', { verify_error: 'CERT_HAS_EXPIRED' }, []],
    [
      'an expired path that could not be followed completely',
      { verify_error: 'CERT_HAS_EXPIRED', anchored: null },
      ['chain_expired'],
    ],
    [
      'an intermediate of the future',
      { ...above({ not_before: '2027-01-01T00:00:00Z' }), verify_error: 'CERT_NOT_YET_VALID' },
      ['chain_not_yet_valid'],
    ],
    ['an expired certificate beside the path', above({ not_after: expired }), []],
    [
      'a self-signed leaf',
      { ...alone({ self_signed: true }), verify_error: 'DEPTH_ZERO_SELF_SIGNED_CERT', anchored: false },
      ['self_signed'],
    ],
    ['a self-signed leaf of the trust store', alone({ self_signed: true }), []],
    [
      'an untrusted root that was sent',
      { chain: [certificate(), authority(), root], verify_error: 'SELF_SIGNED_CERT_IN_CHAIN', anchored: false },
      ['untrusted_root'],
    ],
    ['an untrusted root that was not sent', untrusted, ['untrusted_root']],
    [
      'a missing intermediate of a public authority',
      {
        ...alone(),
        verify_error: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
        anchored: false,
        missing_intermediate: true,
      },
      ['incomplete_chain'],
    ],
    [
      'a missing intermediate of an unknown authority',
      { ...alone(), verify_error: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', anchored: false },
      ['untrusted_root'],
    ],
    [
      'a root that was sent, but is not in the trust store',
      {
        chain: [certificate(), authority(), root],
        verify_error: 'SELF_SIGNED_CERT_IN_CHAIN',
        anchored: false,
        missing_intermediate: true,
      },
      ['untrusted_root'],
    ],
    [
      'faults above the leaf of an untrusted path',
      {
        ...above({ not_after: expired, is_ca: false, signature_algorithm: 'md5WithRSAEncryption' }),
        ...untrusted,
        path_errors: ['invalid_ca'],
      },
      ['untrusted_root'],
    ],
    [
      'a missing issuer of another path that OpenSSL followed',
      { verify_error: 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY' },
      [],
    ],
    [
      'a false signature',
      { verify_error: 'CERT_SIGNATURE_FAILURE', anchored: false, path_errors: ['bad_signature'] },
      ['bad_signature'],
    ],
    ['an issuer that is no authority', { path_errors: ['invalid_ca'], verify_error: 'INVALID_CA' }, ['invalid_ca']],
    [
      'a path longer than allowed',
      { path_errors: ['path_too_long'], verify_error: 'PATH_LENGTH_EXCEEDED' },
      ['path_too_long'],
    ],
    [
      'a purpose other than servers',
      { ...leaf({ extended_key_usage: [clientAuth] }), verify_error: 'INVALID_PURPOSE' },
      ['invalid_purpose'],
    ],
    ['a purpose that key usage forbids', { verify_error: 'INVALID_PURPOSE' }, ['invalid_purpose']],
    [
      'a repeated extension',
      { path_errors: ['malformed_extension'], verify_error: 'UNSPECIFIED' },
      ['malformed_extension'],
    ],
    ['broken name constraints', { path_errors: ['name_constraints'], verify_error: 'UNSPECIFIED' }, ['path_rejected']],
    ['a complaint about one of two paths', { verify_error: 'UNSPECIFIED', paths: 2 }, []],
    ['a complaint without a code', { verify_error: 'UNSPECIFIED' }, ['path_rejected']],
    ['a complaint that we do not know', { verify_error: 'SOMETHING_NEW' }, ['path_rejected']],
    ['an unreadable date', { verify_error: 'ERROR_IN_CERT_NOT_AFTER_FIELD' }, ['path_rejected']],
    [
      'an unreadable leaf',
      { chain: [], chain_length: 1, verify_error: 'UNSPECIFIED', anchored: null },
      ['unreadable_certificate'],
    ],
    ['another name', leaf({ dns_names: ['other.example'] }), ['wrong_host']],
    ['no alternative name at all', leaf({ dns_names: [] }), ['wrong_host']],
    ['a short RSA key', leaf({ key: { kind: 'rsa', bits: 1024, curve: null } }), ['weak_key']],
    ['a good RSA key', leaf({ key: { kind: 'rsa', bits: 2048, curve: null } }), []],
    ['a DSA key', leaf({ key: { kind: 'dsa', bits: 2048, curve: null } }), ['weak_key']],
    ['a short curve', leaf({ key: { kind: 'ec', bits: null, curve: 'P-192' } }), ['weak_key']],
    ['an Edwards curve', leaf({ key: { kind: 'ed25519', bits: null, curve: null } }), []],
    ['a signature by MD5', leaf({ signature_algorithm: 'md5WithRSAEncryption' }), ['weak_signature']],
    ['an intermediate signed by SHA-1', above({ signature_algorithm: 'sha1WithRSAEncryption' }), ['weak_signature']],
    ['a signature by SHA-1 with ECDSA', leaf({ signature_algorithm: 'ecdsa-with-SHA1' }), ['weak_signature']],
    [
      'a root that signs itself by SHA-1',
      { chain: [certificate(), authority({ self_signed: true, signature_algorithm: 'sha1WithRSAEncryption' })] },
      [],
    ],
    [
      'everything at once',
      {
        chain: [
          certificate({
            not_after: expired,
            dns_names: [],
            self_signed: true,
            key: { kind: 'rsa', bits: 512, curve: null },
          }),
        ],
        verify_error: 'CERT_HAS_EXPIRED',
        anchored: false,
      },
      ['expired', 'wrong_host', 'self_signed', 'weak_key'],
    ],
    [
      'an expired leaf of an unknown authority',
      { ...leaf({ not_after: expired }), verify_error: 'CERT_HAS_EXPIRED', anchored: false },
      ['expired', 'untrusted_root'],
    ],
  ]
  for (const [title, parts, reasons] of rows) {
    it(`are [${reasons}] for ${title}`, () => {
      const judged = judge(tls(parts))
      assert.deepEqual(judged.reasons, reasons)
      assert.equal(judged.section.valid, reasons.length === 0)
    })
  }
})

describe('each reason', () => {
  for (const reason of reasons) {
    it(`raises one signal: ${reason}`, () => {
      const host = 'shop.example'
      const facts = { tls: tls(), caa: null, target: domainTarget(host), host, now, expiry_warning_days: 0 }
      const raised = raise(signals, { ...facts, reasons: [reason] })
      assert.deepEqual(
        raised.map(({ evidence }) => evidence),
        [{ reasons: [reason] }],
      )
    })
  }
})

describe('the signals of ssl_info', () => {
  const page = (failure: string | null): Evidence['page'] => ({
    exchanges: [],
    failure,
    stopped: null,
    stopped_at: null,
  })
  const short = { not_before: '2026-11-18T00:00:00Z', not_after: '2026-11-24T16:00:00Z' }
  const rows: readonly [string, Tls, Judged, readonly string[]][] = [
    ['nothing of a sound certificate', tls(), {}, []],
    [
      'one of several reasons that mean the same',
      tls({ verify_error: 'INVALID_PURPOSE', anchored: false }),
      {},
      ['untrusted_certificate'],
    ],
    [
      'an incomplete chain lightly',
      tls({
        chain: [certificate()],
        verify_error: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
        anchored: false,
        missing_intermediate: true,
      }),
      {},
      ['incomplete_certificate_chain'],
    ],
    ['another name', tls(leaf({ dns_names: ['other.example'] })), {}, ['certificate_name_mismatch']],
    ['nothing of another name behind an address', tls(), { target: ipTarget('93.184.216.34') }, []],
    ['an old protocol', tls({ protocol: 'TLSv1.1', only_legacy: true }), {}, ['legacy_tls']],
    ['no old protocol at TLS 1.2', tls({ protocol: 'TLSv1.2' }), {}, []],
    ['an end that is near', tls(leaf({ not_after: '2026-12-04T11:59:59Z' })), {}, ['certificate_expires_soon']],
    ['no end that is far', tls(leaf({ not_after: '2026-12-04T12:00:00Z' })), {}, []],
    ['no end when warnings are off', tls(leaf({ not_after: '2026-11-21T00:00:00Z' })), { expiry_warning_days: 0 }, []],
    ['no end of a short life at its middle', tls(leaf(short)), { now: new Date('2026-11-21T12:00:00Z') }, []],
    [
      'the end of a short life in its last third',
      tls(leaf(short)),
      { now: new Date('2026-11-23T00:00:00Z') },
      ['certificate_expires_soon'],
    ],
    [
      'a name shared with strangers',
      tls(leaf({ dns_names: ['*.github.io'] })),
      {
        target: domainTarget('shop.github.io', 'shop.github.io', 'github.io'),
      },
      ['shared_wildcard_certificate'],
    ],
    ['that nothing listens', withoutTls('refused'), { page: page(null) }, ['no_tls']],
    ['that what listens is not TLS', withoutTls('failed', 'not_tls'), {}, ['no_tls']],
    ['a handshake that fails', withoutTls('failed', 'alert:handshake_failure'), {}, ['tls_handshake_failed']],
    ['a handshake that is reset', withoutTls('failed', 'reset'), {}, ['tls_handshake_failed']],
  ]
  for (const [title, evidence, judged, signals] of rows) {
    it(`report ${title}`, () => assert.deepEqual(judge(evidence, judged).signals, signals))
  }

  it('does not apply to a host that answers on no web port', () => {
    assert.deepEqual(find(withoutTls('refused'), { page: page('refused') }), { notApplicable: 'refused' })
  })
})

describe('a handshake that could not be seen', () => {
  for (const failure of ['timeout', 'cancelled', 'certificate_too_large']) {
    it(`says nothing about the certificate (${failure})`, () => {
      assert.deepEqual(find(withoutTls('failed', failure), {}), { unavailable: failure })
    })
  }
})

describe('a target without TLS', () => {
  const rows: readonly [Tls, readonly string[]][] = [
    [withoutTls('refused'), ['no_tls']],
    [withoutTls('failed', 'not_tls'), ['no_tls']],
    [withoutTls('failed', 'reset'), ['handshake_failed']],
    [withoutTls('failed', 'alert:internal_error'), ['handshake_failed']],
  ]
  for (const [evidence, reasons] of rows) {
    it(`is not valid and has no certificate (${evidence.failure ?? evidence.status})`, () => {
      const { invalid_reasons, valid, status, failure, ...section } = judge(evidence).section
      assert.deepEqual([valid, status, failure, invalid_reasons], [false, evidence.status, evidence.failure, reasons])
      const { revocation_checked, ...rest } = section
      assert.equal(revocation_checked, false)
      assert.deepEqual([...new Set(Object.values(rest))], [null])
    })
  }
})

describe('an address as the target', () => {
  const rows: readonly [string, string, Partial<Certificate>, boolean][] = [
    ['is named by an address', '8.8.8.8', { ip_addresses: ['8.8.8.8'] }, true],
    ['is named by an address of IPv6', '2001:4860:4860::8888', { ip_addresses: ['2001:4860:4860::8888'] }, true],
    ['is not named by a name that looks like one', '8.8.8.8', { dns_names: ['8.8.8.8', '*.8.8.8'] }, false],
    ['is not named by another address', '8.8.8.8', { ip_addresses: ['8.8.4.4'] }, false],
  ]
  for (const [title, ip, parts, valid] of rows) {
    it(title, () => assert.equal(judge(tls(leaf(parts)), { target: ipTarget(ip), now }).section.valid, valid))
  }
})
