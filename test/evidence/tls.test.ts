import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { TlsOptions } from 'node:tls'
import type { Tls } from '../../src/evidence/tls/facts.ts'
import { OFFERS_POST_QUANTUM } from '../../src/network/tls.ts'
import { type CertificateOptions, type Credentials, createAuthority, selfSign } from '../../src/testing/lab_ca.ts'
import { type LabDns, startLabDns } from '../../src/testing/lab_dns.ts'
import { hello, send, wait } from '../../src/testing/lab_script.ts'
import { startLabWeb } from '../../src/testing/lab_web.ts'
import { domainTarget, ipTarget } from './lab_check.ts'
import { startVisit } from './lab_visit.ts'

const here = '93.184.216.34'
const root = createAuthority()
const intermediate = root.subordinate()
const named: CertificateOptions = { names: ['a.example'] }
const day = 86_400_000
const leafOnly = ({ key, chain }: Credentials) => ({ key, cert: chain[0] ?? '' })

describe('the answer on port 443', () => {
  let dns: LabDns
  before(async () => {
    dns = await startLabDns({ zones: { 'a.example': { A: [here] } } })
  })
  after(() => dns.close())

  async function see(tls: TlsOptions, target = domainTarget('a.example')): Promise<Tls> {
    const web = await startLabWeb()
    await web.script(here, 443, [wait(100)], tls)
    const check = startVisit(web, dns, target, { extra_roots: root.certificate })
    const seen = await check.gather('tls')
    check.end()
    await web.close()
    return seen
  }

  const chains: [title: string, credentials: TlsOptions, told: unknown[]][] = [
    ['a full chain', intermediate.issue(named), [null, true, 2]],
    [
      'a chain without its intermediate',
      leafOnly(intermediate.issue(named)),
      ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', false, 1],
    ],
    [
      'an expired leaf',
      root.issue({ ...named, not_before: new Date(Date.now() - 9 * day), not_after: new Date(Date.now() - day) }),
      ['CERT_HAS_EXPIRED', true, 1],
    ],
    [
      'a leaf of tomorrow',
      root.issue({ ...named, not_before: new Date(Date.now() + day) }),
      ['CERT_NOT_YET_VALID', true, 1],
    ],
    ['a certificate that signs itself', selfSign(named), ['DEPTH_ZERO_SELF_SIGNED_CERT', false, 1]],
    ["a stranger's certificate", createAuthority().issue(named), ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', false, 1]],
    ['a certificate for another name', root.issue({ names: ['b.example'] }), [null, true, 1]],
  ]
  for (const [title, credentials, told] of chains) {
    it(`reports ${title}`, async () => {
      const { status, verify_error, anchored, chain_length, chain } = await see(credentials)
      assert.deepEqual([verify_error, anchored, chain_length], told)
      assert.deepEqual([status, chain.length], ['handshake', chain_length])
    })
  }

  it('reports the negotiated parameters', async () => {
    const seen = await see({ ...root.issue(named), ALPNProtocols: ['http/1.1'], ecdhCurve: 'X25519' })
    const { chain, root: top, ...rest } = seen
    assert.deepEqual(rest, {
      status: 'handshake',
      failure: null,
      address: here,
      server_name: 'a.example',
      protocol: 'TLSv1.3',
      cipher: 'TLS_AES_256_GCM_SHA384',
      alpn: 'http/1.1',
      key_exchange: { kind: 'ECDH', group: 'X25519', bits: 253, post_quantum: OFFERS_POST_QUANTUM ? false : null },
      only_legacy: false,
      client_certificate_requested: false,
      chain_length: 1,
      path_errors: [],
      paths: 1,
      beside: [],
      missing_intermediate: false,
      verify_error: null,
      anchored: true,
      public_root: false,
      stapled: false,
      staple: null,
      must_staple: false,
      timestamps: [],
    })
    assert.deepEqual([chain[0]?.dns_names, top?.subject?.label], [['a.example'], 'Lab Root'])
  })

  it('sends no SNI to an address', async () => {
    const seen = await see(root.issue({ ips: [here] }), ipTarget(here))
    assert.deepEqual([seen.server_name, seen.chain[0]?.ip_addresses], [null, [here]])
  })

  it('reports a server with only old versions', async () => {
    const old: TlsOptions = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }
    const { protocol, only_legacy, verify_error } = await see({ ...root.issue(named), ...old })
    assert.deepEqual([protocol, only_legacy, verify_error], ['TLSv1.1', true, null])
  })

  const demanding: [title: string, credentials: Pick<Credentials, 'key' | 'cert'>, told: unknown[]][] = [
    ['a root that is trusted', intermediate.issue(named), ['NOT_JUDGED', true, 2]],
    ['a root that nobody knows', createAuthority().issue(named), ['NOT_JUDGED', false, 1]],
  ]
  for (const [title, credentials, told] of demanding) {
    it(`reports everything about a server below ${title} that requires a client certificate`, async () => {
      const demand = { requestCert: true, rejectUnauthorized: true, maxVersion: 'TLSv1.2' } as const
      const seen = await see({ ...credentials, ...demand })
      assert.deepEqual([seen.verify_error, seen.anchored, seen.chain_length], told)
      assert.deepEqual(
        [seen.status, seen.failure, seen.client_certificate_requested, seen.protocol, seen.cipher, seen.address],
        ['handshake', 'client_certificate_required', true, 'TLSv1.2', 'ECDHE-ECDSA-AES128-GCM-SHA256', here],
      )
      assert.deepEqual(seen.chain[0]?.dns_names, ['a.example'])
    })
  }

  it('reports a certificate of more names than OpenSSL reads', async () => {
    const many = Array.from({ length: 10_000 }, (_, at) => `host-${at}.a.example`)
    const { status, failure } = await see(root.issue({ names: many }))
    assert.deepEqual([status, failure], ['failed', 'certificate_too_large'])
  })

  it('reports failures without certificates', async () => {
    const web = await startLabWeb()
    await web.script(here, 443, [hello(), send(Buffer.from([21, 3, 3, 0, 2, 2, 112]))])
    const check = startVisit(web, dns, domainTarget('a.example'))
    const { status, failure, address, protocol, chain, anchored } = await check.gather('tls')
    check.end()
    await web.close()
    assert.deepEqual(
      { status, failure, address, protocol, chain, anchored },
      {
        status: 'failed',
        failure: 'alert:unrecognized_name',
        address: here,
        protocol: null,
        chain: [],
        anchored: null,
      },
    )
  })
})
