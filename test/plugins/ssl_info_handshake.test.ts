// The shapes of certificates and servers that are met, as real servers on loopback show them.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ConnectionOptions, TlsOptions } from 'node:tls'
import type { Target } from '../../src/engine/plugin.ts'
import { contextTag, implicit, nothing, sequence } from '../../src/testing/der.ts'
import {
  type Authority,
  type CertificateOptions,
  createAuthority,
  extension,
  selfSign,
} from '../../src/testing/lab_ca.ts'
import { handshake } from '../evidence/certificate_handshake.ts'
import { domainTarget, ipTarget } from '../evidence_of.ts'
import { type Judgement, judge, tls } from './ssl_info_judged.ts'

const host = 'shop.badssl.test'
const names = [host]
const clientAuth = '1.3.6.1.5.5.7.3.2'
/** Weak keys and signatures are shown, not refused. */
const ciphers = 'DEFAULT@SECLEVEL=0'
const past = { not_before: new Date('2020-01-01T00:00:00Z'), not_after: new Date('2021-01-01T00:00:00Z') }
const future = { not_before: new Date('2090-01-01T00:00:00Z'), not_after: new Date('2091-01-01T00:00:00Z') }

const root = createAuthority()
const expiredRoot = createAuthority({ subject: [['CN', 'Expired Root']], ...past })
const stranger = createAuthority({ subject: [['CN', 'Stranger Root']] })
const intermediate = root.subordinate({
  subject: [
    ['CN', 'Lab Intermediate'],
    ['O', 'Lab Trust'],
  ],
})
const good = intermediate.issue({ names: ['*.badssl.test', 'badssl.test'] })
const trusted = [root, expiredRoot]

async function visit(server: TlsOptions, target: Target, options: ConnectionOptions = {}): Promise<Judgement> {
  const { facts, protocol } = await handshake({ ciphers, ...server }, trusted, { ciphers, ...options })
  return judge(tls({ ...facts, protocol }), { target, now: new Date() })
}

const leaf = (options: CertificateOptions, authority: Authority = intermediate) =>
  authority.issue({ names, ...options })
const through = (options: CertificateOptions) => leaf({}, root.subordinate(options))
const nameConstraints = (permitted: string) =>
  extension('2.5.29.30', true, sequence(contextTag(0, sequence(implicit(2, Buffer.from(permitted))))))
const unknownCritical = extension('1.3.6.1.4.1.99999.1', true, nothing())

describe('a certificate as a server shows it', () => {
  const [own, above, top] = good.chain
  const foreign = leaf({}, stranger)
  const stale = leaf(past)
  const rows: readonly [string, TlsOptions, readonly string[]][] = [
    ['good chain with a wildcard', good, []],
    ['root sent too', { key: good.key, cert: good.chain.join('') }, []],
    ['reversed chain', { key: good.key, cert: [own, top, above].join('') }, []],
    ['needless certificate among them', { key: good.key, cert: [own, stranger.certificate, above].join('') }, []],
    ['no common name', leaf({ subject: [['O', 'Shop']] }), []],
    ['no subject', leaf({ subject: [] }), []],
    ['no extended key usage', leaf({ extended_key_usage: null }), []],
    ['thousand names', leaf({ names: [...Array.from({ length: 999 }, (_, at) => `${at}.badssl.test`), host] }), []],
    ['key on P-521', leaf({ key: 'p521' }), []],
    ['key on Ed25519', leaf({ key: 'ed25519' }), []],
    ['long RSA key', leaf({ key: 'rsa2048' }), []],
    ['year 9999', leaf({ not_after: new Date('9999-12-31T23:59:59Z') }), []],
    ['serial number 0', leaf({ serial: 0n }), []],
    ['expired', leaf(past), ['expired']],
    ['not yet valid', leaf(future), ['not_yet_valid']],
    ['wrong host', leaf({ names: ['badssl.test', '*.shop.badssl.test'] }), ['wrong_host']],
    ['wrong host and expired', leaf({ names: ['badssl.test'], ...past }), ['expired', 'wrong_host']],
    ['no alternative name', leaf({ names: [], subject: [['CN', host]] }), ['wrong_host']],
    ['partial wildcard', leaf({ names: ['sh*.badssl.test'] }), ['wrong_host']],
    ['NUL in the name', leaf({ names: [`${host}\0.evil.test`] }), ['wrong_host']],
    ['UTF-8 in the name', leaf({ names: ['shöp.badssl.test'] }), ['wrong_host']],
    ['self-signed', selfSign({ names }), ['self_signed']],
    ['self-signed and expired', selfSign({ names, ...past }), ['expired', 'self_signed']],
    ['untrusted root', { key: foreign.key, cert: foreign.chain.join('') }, ['untrusted_root']],
    ['untrusted root, expired', leaf(past, stranger.subordinate()), ['expired', 'untrusted_root']],
    ['incomplete chain', { key: good.key, cert: own }, ['incomplete_chain']],
    ['incomplete chain, expired', { key: stale.key, cert: stale.chain[0] }, ['expired', 'incomplete_chain']],
    ['expired intermediate', through(past), ['chain_expired']],
    ['intermediate of the future', through(future), ['chain_not_yet_valid']],
    ['expired root', leaf({}, expiredRoot.subordinate()), ['chain_expired']],
    ['intermediate without the CA bit', through({ ca: false, extended_key_usage: null }), ['invalid_ca']],
    ['leaf for clients only', leaf({ extended_key_usage: [clientAuth] }), ['invalid_purpose']],
    ['intermediate for clients only', through({ extended_key_usage: [clientAuth] }), ['invalid_purpose']],
    ['name constraints kept', through({ extensions: [nameConstraints('badssl.test')] }), []],
    ['name constraints broken', through({ extensions: [nameConstraints('other.test')] }), ['path_rejected']],
    ['unknown critical extension', leaf({ extensions: [unknownCritical] }), ['path_rejected']],
    ['short RSA key', leaf({ key: 'rsa1024' }), ['weak_key']],
    ['signed by SHA-1', leaf({}, root.subordinate({ hash: 'sha1' })), ['weak_signature']],
  ]
  for (const [title, server, reasons] of rows) {
    it(`${title}: ${reasons.join(', ') || 'valid'}`, async () => {
      const judged = await visit(server, domainTarget(host))
      assert.deepEqual(judged.reasons, reasons)
      assert.equal(judged.section.is_self_signed, title.startsWith('self-signed'))
    })
  }

  it('names the issuer that signed the leaf', async () => {
    const { section } = await visit(good, domainTarget(host))
    assert.deepEqual(
      [section.issuer, section.issuer_common_name, section.subject, section.chain_length],
      ['Lab Trust', 'Lab Intermediate', '*.badssl.test', 2],
    )
  })
})

describe('an address as a server shows it', () => {
  it('is covered by an address in the certificate', async () => {
    const { section } = await visit(leaf({ names: [], ips: ['127.0.0.1'] }), ipTarget('127.0.0.1'))
    assert.equal(section.valid, true)
  })

  it('is not covered by a name that looks like it', async () => {
    const { reasons } = await visit(leaf({ names: ['127.0.0.1'] }), ipTarget('127.0.0.1'))
    assert.deepEqual(reasons, ['wrong_host'])
  })
})

describe('a protocol as a server shows it', () => {
  const rows = [
    ['TLSv1', ['legacy_tls']],
    ['TLSv1.1', ['legacy_tls']],
    ['TLSv1.2', []],
    ['TLSv1.3', []],
  ] as const
  for (const [version, signals] of rows) {
    it(`${version} is named, and its certificate is valid`, async () => {
      const only = { minVersion: version, maxVersion: version }
      const judged = await visit({ ...good, ...only }, domainTarget(host), only)
      assert.deepEqual([judged.section.protocol, judged.section.valid, judged.signals], [version, true, signals])
    })
  }
})
