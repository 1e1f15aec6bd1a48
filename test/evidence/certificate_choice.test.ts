// Which of two paths is chosen, and what a trust store remembers.
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { describe, it } from 'node:test'
import { describeCertificates, describeSent, sentDer } from '../../src/evidence/tls/chain.ts'
import { createTrustStore } from '../../src/evidence/tls/trust_store.ts'
import { implicit, nothing, octets, oid, sequence } from '../../src/testing/der.ts'
import {
  type Authority,
  type CertificateOptions,
  createAuthority,
  extension,
  selfSign,
} from '../../src/testing/lab_ca.ts'

const names = ['shop.test']
const day = 86_400_000
const past = { not_before: new Date(Date.now() - 900 * day), not_after: new Date(Date.now() - day) }
const future = { not_before: new Date(Date.now() + day) }
const forClients = { extended_key_usage: ['1.3.6.1.5.5.7.3.2'] }
const unknownCritical = { extensions: [extension('1.3.6.1.4.1.99999.1', true, nothing())] }
const named = (name: string): Pick<CertificateOptions, 'subject'> => ({ subject: [['CN', name]] })

const root = createAuthority(named('Root'))
const second = createAuthority(named('Second'))
const late = createAuthority({ ...named('Late'), ...past })
const weak = createAuthority({ ...named('Weak'), key: 'rsa1024', hash: 'sha1' })
const stranger = createAuthority(named('Stranger'))
const upper = root.subordinate(named('Upper'))
const weakUpper = second.subordinate({ ...named('Weak upper'), key: 'rsa1024' })
const strange = stranger.subordinate(named('Strange'))
const stranger2 = createAuthority(named('Stranger 2'))
const middle = createAuthority(named('Middle'))

const der = (pem: string): Buffer => new X509Certificate(pem).raw
const leafOf = (authority: Authority, options: CertificateOptions = {}): Buffer =>
  der(authority.issue({ names, ...options }).chain[0] ?? '')
const trusting = () => createTrustStore([root, second, late, weak].map(it => it.certificate).join('A comment\r\n'))
const look = (sent: readonly Buffer[], trust = trusting(), complaint: string | null = 'NOT_JUDGED') =>
  describeSent(sent, complaint, new Date(), trust)

const fingerprint = (certificate: Buffer): string =>
  new X509Certificate(certificate).fingerprint256.replaceAll(':', '').toLowerCase()

/** Certificates of an authority and of those above it. */
type Way = () => readonly string[]
const by =
  (authority: Authority, options: CertificateOptions = {}, ...above: readonly Authority[]): Way =>
  () => [authority.crossSign(middle, options), ...above.map(it => it.certificate)]

/** Of equally good paths the one with the lower fingerprints is chosen, so the worse one gets the lower ones. */
function drawn(better: Way, worse: Way): [readonly Buffer[], readonly Buffer[]] {
  const [good, bad] = [better().map(der), worse().map(der)]
  const [one, other] = [good, bad].map(([first]) => fingerprint(first as Buffer))
  return String(other) < String(one) ? [good, bad] : drawn(better, worse)
}

describe('the better of two paths', () => {
  const rows: readonly (readonly [title: string, better: Way, worse: Way])[] = [
    ['is an expired one to a trusted root before a sound one to another', by(root, past), by(stranger, {}, stranger)],
    ['is a valid one before an expired one', by(root), by(second, past)],
    ['is a valid one before one that is not valid yet', by(root), by(second, future)],
    ['is one to a valid root before one to an expired root', by(root), by(late)],
    ['is one for servers before one for clients', by(root), by(second, forClients)],
    ['is one without errors before one with an error', by(root), by(second, unknownCritical)],
    [
      'is one with an error before one with an error and an end',
      by(root, past),
      by(second, { ...past, ...unknownCritical }),
    ],
    [
      'is one with a fault before one with another purpose, too',
      by(root, past),
      by(second, { ...past, ...forClients }),
    ],
    ['is one signed by SHA-256 before one signed by SHA-1', by(root), by(second, { hash: 'sha1' })],
    ['is one with strong keys before one with a weak key', by(upper, {}, upper), by(weakUpper, {}, weakUpper)],
    ['is one with a weak key before an expired one', by(weakUpper, {}, weakUpper), by(upper, past, upper)],
    ['is the shorter one to a trusted root', by(root), by(upper, {}, upper)],
    ['is a longer one to nowhere', by(strange, {}, strange), by(stranger2)],
    ['is one to an unknown root before a longer one', by(stranger2, {}, stranger2), by(strange, {}, strange)],
  ]
  for (const [title, better, worse] of rows) {
    it(title, async () => {
      const [leaf, [good, bad]] = [leafOf(middle), drawn(better, worse)]
      for (const sent of [
        [leaf, ...good, ...bad],
        [leaf, ...bad, ...good],
      ]) {
        const { chain, paths } = await look(sent)
        assert.deepEqual([chain[1]?.fingerprint_sha256, paths], [fingerprint(good[0] as Buffer), 2])
      }
    })
  }

  it('has the lower fingerprints if none is better, whatever the strength of a root', async () => {
    for (const other of [root, weak]) {
      const [leaf, [high, low]] = [leafOf(middle), drawn(by(root), by(other, { hash: 'sha256' }))]
      for (const sent of [
        [leaf, ...high, ...low],
        [leaf, ...low, ...high],
      ]) {
        const { chain } = await look(sent)
        assert.equal(chain[1]?.fingerprint_sha256, fingerprint(low[0] as Buffer))
      }
    }
  })
})

it('a path ends at the certificate itself if it is trusted', async () => {
  const { cert } = selfSign({ names })
  const { anchored, root, chain_length } = await look([der(cert)], createTrustStore(cert))
  assert.deepEqual([anchored, root, chain_length], [true, null, 1])
})

describe('certificates beside the path', () => {
  it('are each described once, by fingerprint, with whether they signed themselves', async () => {
    const selfSigned = [stranger, stranger2, middle].map(it => der(it.certificate))
    const others = [...selfSigned, ...[strange, upper].map(it => der(it.certificate))]
    const sorted = others.map(it => [fingerprint(it), selfSigned.includes(it)] as const).toSorted()
    const leaf = leafOf(root)
    for (const sent of [others, others.toReversed(), [...others, ...others, leaf]]) {
      const { beside } = await look([leaf, ...sent])
      assert.deepEqual(
        beside?.map(it => [it.fingerprint_sha256, it.self_signed]),
        sorted,
      )
    }
  })
})

describe('the certificates of a handshake', () => {
  const [leaf, above, top] = [leafOf(upper), der(upper.certificate), der(root.certificate)]
  const last = { raw: top, issuerCertificate: {} }
  last.issuerCertificate = last
  const linked = { raw: leaf, issuerCertificate: { raw: above, issuerCertificate: last } } as object

  it('are those that Node links where it is not known which were sent', async () => {
    assert.deepEqual(sentDer({ sent: null, certificate: linked }), [leaf, above, top])
    assert.deepEqual(sentDer({ sent: null, certificate: { raw: leaf } as object }), [leaf])
    assert.deepEqual(sentDer({ sent: null, certificate: {} }), [])
    assert.deepEqual(sentDer({ sent: [leaf, top], certificate: linked }), [leaf, top])
  })

  it('show what was sent beside the path only where it is known', async () => {
    const peer = { certificate: linked, complaint: null }
    for (const [sent, beside] of [
      [null, null],
      [[leaf, above], []],
    ] as const) {
      const facts = await describeCertificates({ ...peer, sent }, new Date(), trusting())
      assert.deepEqual([facts.chain_length, facts.anchored, facts.beside], [2, true, beside])
    }
  })
})

describe('a missing intermediate', () => {
  const url = extension(
    '1.3.6.1.5.5.7.1.1',
    false,
    sequence(sequence(oid('1.3.6.1.5.5.7.48.2'), implicit(6, Buffer.from('http://ca.test/i.crt')))),
  )
  const timestamps = extension('1.3.6.1.4.1.11129.2.4.2', false, octets(Buffer.from('00020000', 'hex')))
  const alone = async (trust: ReturnType<typeof trusting>, authority: Authority) =>
    (await look([leafOf(authority)], trust)).missing_intermediate
  const chainOf = (authority: Authority) => authority.issue({ names }).chain.slice(0, -1).map(der)

  it('shows by an address of the issuer, timestamps and the key of the issuer, all three', async () => {
    const whole = leafOf(strange, { extensions: [url, timestamps] })
    const anonymous = Buffer.from(whole)
    anonymous.writeUInt8(99, anonymous.indexOf(Buffer.from([0x55, 0x1d, 35])) + 2)
    const rows = [
      [whole, true],
      [anonymous, false],
      [leafOf(strange, { extensions: [url] }), false],
      [leafOf(strange, { extensions: [timestamps] }), false],
    ] as const
    for (const [leaf, missing] of rows) assert.equal((await look([leaf])).missing_intermediate, missing)
  })

  it('is remembered with the last four of its name', async () => {
    const trust = trusting()
    const five = Array.from({ length: 5 }, () => root.subordinate(named('Same name')))
    for (const authority of [...five, five[4] as Authority]) await look(chainOf(authority), trust)
    const known = []
    for (const authority of five) known.push(await alone(trust, authority))
    assert.deepEqual(known, [false, true, true, true, true])
  })

  it('is remembered below up to three others', async () => {
    const trust = trusting()
    const line = [root]
    for (let at = 0; at < 5; at += 1) line.push((line[at] as Authority).subordinate(named(`Step ${at}`)))
    const [, , , , fourth, fifth] = line as [Authority, Authority, Authority, Authority, Authority, Authority]
    await look(chainOf(fifth), trust)
    assert.deepEqual([await alone(trust, fourth), await alone(trust, fifth)], [true, false])
  })

  it('is not forgotten for others of its name that lead to no trusted root', async () => {
    const [trust, twin] = [trusting(), root.subordinate(named('Twin'))]
    await look(chainOf(twin), trust)
    for (let at = 0; at < 4; at += 1) await look(chainOf(stranger.subordinate(named('Twin'))), trust)
    assert.equal(await alone(trust, twin), true)
  })

  it('is not remembered from beside a path', async () => {
    const trust = trusting()
    await look([leafOf(root), der(upper.certificate)], trust)
    assert.equal(await alone(trust, upper), false)
  })

  it('is none where OpenSSL found a path', async () => {
    const leaf = leafOf(strange, { extensions: [url, timestamps] })
    assert.equal((await look([leaf], trusting(), null)).missing_intermediate, false)
  })
})
