import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createSecureContext } from 'node:tls'
import { createAuthority, selfSign } from '../../src/testing/lab_ca.ts'
import { BUDGET, SLACK } from '../cpu.ts'
import { handshake } from './certificate_handshake.ts'

const root = createAuthority()
const stranger = createAuthority({ subject: [['CN', 'Stranger Root']] })
const intermediate = root.subordinate()
const names = ['shop.test']
const past = { not_before: new Date('2020-01-01T00:00:00Z'), not_after: new Date('2021-01-01T00:00:00Z') }
const good = intermediate.issue({ names })
const strange = stranger.subordinate({ subject: [['CN', 'Stranger CA']] }).issue({ names })
const lone = selfSign({ names })

describe('the path to a root', () => {
  const expired = intermediate.issue({ names, ...past })
  const strangeExpired = stranger.issue({ names, ...past })
  const second = intermediate.subordinate({ subject: [['CN', 'Lab Second']] })
  const deep = second.issue({ names })
  const staleIntermediate = root.subordinate(past).issue({ names })
  const plain = { key: good.key }
  const rows = [
    ['a good chain verifies', { ...good }, 2, null, true],
    ['a chain sent with its root counts without it', { ...plain, cert: good.chain.join('') }, 2, null, true],
    ['a chain in reversed order verifies', { ...plain, cert: reversed(good.chain) }, 2, null, true],
    [
      'a missing intermediate leaves the leaf unverified',
      { ...plain, cert: good.chain[0] },
      1,
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      false,
    ],
    [
      'a root that nobody trusts is sent',
      { key: strange.key, cert: strange.chain.join('') },
      3,
      'SELF_SIGNED_CERT_IN_CHAIN',
      false,
    ],
    ['a root that nobody trusts is not sent', { ...strange }, 2, 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', false],
    ['a self-signed leaf leads nowhere', { ...lone }, 1, 'DEPTH_ZERO_SELF_SIGNED_CERT', false],
    ['an expired leaf still leads to its root', { ...expired }, 2, 'CERT_HAS_EXPIRED', true],
    [
      'an expired leaf in reversed order still leads to its root',
      { key: expired.key, cert: reversed(expired.chain) },
      2,
      'CERT_HAS_EXPIRED',
      true,
    ],
    ['an expired leaf of an unknown root leads nowhere', { ...strangeExpired }, 1, 'CERT_HAS_EXPIRED', false],
    ['an expired intermediate still leads to the root', { ...staleIntermediate }, 2, 'CERT_HAS_EXPIRED', true],
    ['a certificate that is not needed does no harm', { ...plain, cert: good.cert + strange.chain[1] }, 2, null, true],
    ['a longer chain verifies', { ...deep }, 3, null, true],
  ] as const
  for (const [title, server, length, error, anchored] of rows) {
    it(title, async () => {
      const { facts } = await handshake(server, [root])
      assert.deepEqual(
        [facts.chain_length, facts.chain.length, facts.verify_error, facts.anchored],
        [length, length, error, anchored],
      )
    })
  }

  it('a self-signed leaf in the store is anchored, even after its expiry', async () => {
    const stale = selfSign({ names, ...past })
    const { facts } = await handshake(stale, [{ certificate: stale.cert }])
    assert.deepEqual(
      [facts.verify_error, facts.anchored, facts.chain[0]?.self_signed],
      ['CERT_HAS_EXPIRED', true, true],
    )
  })

  it('a root with a trusted name and another key anchors nothing', async () => {
    const forged = createAuthority().issue({ names })
    const { facts } = await handshake(forged, [root])
    assert.deepEqual([facts.anchored, facts.chain[0]?.issuer.label], [false, 'Lab Root'])
  })

  it('the leaf comes first in any order', async () => {
    const { facts } = await handshake({ ...plain, cert: reversed(good.chain) }, [root])
    assert.deepEqual(
      facts.chain.map(certificate => [certificate.subject?.label, certificate.is_ca]),
      [
        ['shop.test', false],
        ['Lab Intermediate', true],
      ],
    )
  })
})

function reversed([leaf, ...above]: readonly string[]): string {
  return [leaf, ...above.toReversed()].join('')
}

describe('protocols', () => {
  for (const version of ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const) {
    it(`${version} shows the same certificates`, async () => {
      const only = { minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' }
      const { facts, protocol } = await handshake({ ...good, ...only }, [root], only)
      assert.deepEqual([protocol, facts.chain_length, facts.verify_error], [version, 2, null])
    })
  }

  it('a server that requires a client certificate shows its own first', async () => {
    const { facts } = await handshake({ ...good, requestCert: true, rejectUnauthorized: true }, [root])
    assert.deepEqual([facts.chain_length, facts.verify_error], [2, null])
  })
})

describe('size', () => {
  it('a thousand names are all described', async () => {
    const many = Array.from({ length: 1_000 }, (_, at) => `host-${at}.shop.test`)
    const { facts } = await handshake(intermediate.issue({ names: many }), [root])
    assert.deepEqual(facts.chain[0]?.dns_names, many)
  })

  it('a chain of 150 is followed and described in part, for what a page costs at most', async () => {
    let authority = stranger
    for (let depth = 0; depth < 148; depth += 1)
      authority = authority.subordinate({ subject: [['CN', `Depth ${depth}`]] })
    const deep = authority.issue({ names })
    const { facts, cost } = await handshake({ key: deep.key, cert: deep.chain.join('') }, [root])
    assert.deepEqual([facts.chain_length, facts.chain.length, facts.anchored], [null, 16, null])
    assert.ok(cost < BUDGET * SLACK, `${cost} walks over two mebibytes`)
  })
})

describe('certificates with one octet changed that OpenSSL still sends', () => {
  const [leaf = '', above = ''] = good.chain
  const der = Buffer.from(leaf.replace(/-----[A-Z ]+-----/g, ''), 'base64')
  const changed = (at: number): string => {
    const bytes = Buffer.from(der)
    bytes[at] = (der[at] ?? 0) ^ 0xff
    return `-----BEGIN CERTIFICATE-----\n${bytes.toString('base64')}\n-----END CERTIFICATE-----\n${above}`
  }
  const servable = (cert: string): boolean => {
    try {
      createSecureContext({ key: good.key, cert })
      return true
    } catch {
      return false
    }
  }

  it('are all described, and none is anchored', async () => {
    const certs = Array.from({ length: der.length / 7 }, (_, at) => changed(at * 7)).filter(servable)
    assert.ok(certs.length > 20)
    for (const cert of certs) {
      const { facts } = await handshake({ key: good.key, cert }, [], { ca: root.certificate })
      assert.notEqual(facts.verify_error, null)
      assert.notEqual(facts.anchored, true)
    }
  })
})
