// What is wrong with the path of a certificate, and what is unknown when the search for a path is cut off.
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { describe, it } from 'node:test'
import { describeSent } from '../../src/evidence/tls/chain.ts'
import type { PathError } from '../../src/evidence/tls/facts.ts'
import { createTrustStore } from '../../src/evidence/tls/trust_store.ts'
import { bits, contextTag, implicit, nothing, sequence } from '../../src/testing/der.ts'
import { type Authority, type CertificateOptions, createAuthority, extension } from '../../src/testing/lab_ca.ts'

const names = ['shop.test']
const named = (name: string): Pick<CertificateOptions, 'subject'> => ({ subject: [['CN', name]] })
const der = (pem: string): Buffer => new X509Certificate(pem).raw

const root = createAuthority(named('Root'))
const stranger = createAuthority(named('Stranger'))

const unknownCritical = extension('1.3.6.1.4.1.99999.1', true, nothing())
/** A second one: RFC 5280 section 4.2 allows each extension once. */
const repeated = extension('2.5.29.19', true, sequence())
/** `cRLSign` alone (RFC 5280 section 4.2.1.3). */
const signsLists = extension('2.5.29.15', true, bits(Buffer.from([0x02])))
const onlyBelow = (name: string): Buffer =>
  extension('2.5.29.30', true, sequence(contextTag(0, sequence(implicit(2, Buffer.from(name))))))

/** A leaf below the last of the authorities, which follow each other from the root down. */
function chainBelow(authorities: readonly Authority[], options: CertificateOptions = {}): Buffer[] {
  const leaf = authorities.at(-1)?.issue({ names, ...options }).chain[0] ?? ''
  return [leaf, ...authorities.map(it => it.certificate).toReversed()].map(der)
}

const below = (authority: Authority, ...each: readonly CertificateOptions[]): Authority[] => {
  const list: Authority[] = []
  for (const [at, options] of each.entries())
    list.push((list.at(-1) ?? authority).subordinate({ ...named(`Intermediate ${at}`), ...options }))
  return list
}

const look = (sent: readonly Buffer[], roots: readonly Authority[] = [root], complaint: string | null = 'NOT_JUDGED') =>
  describeSent(sent, complaint, new Date(), createTrustStore(roots.map(it => it.certificate).join('')))

/** The same certificate with another signature. */
function forged(certificate: Buffer): Buffer {
  const copy = Buffer.from(certificate)
  copy.writeUInt8(copy.readUInt8(copy.length - 1) ^ 1, copy.length - 1)
  return copy
}

describe('the errors of a path', () => {
  const [plain] = below(root, {}) as [Authority]
  const [own, ...above] = chainBelow([plain])
  const broken = own === undefined ? [] : [forged(own), ...above]
  const rows: readonly (readonly [title: string, sent: readonly Buffer[], errors: readonly PathError[]])[] = [
    ['none', chainBelow(below(root, {}, {})), []],
    ['none where no intermediate may follow, and none does', chainBelow(below(root, { path_length: 0 })), []],
    ['an intermediate below one that allows none', chainBelow(below(root, { path_length: 0 }, {})), ['path_too_long']],
    ['none for as many intermediates as are allowed', chainBelow(below(root, { path_length: 1 }, {})), []],
    ['one intermediate more than is allowed', chainBelow(below(root, { path_length: 1 }, {}, {})), ['path_too_long']],
    [
      'none for an intermediate that is issued to the issuer itself',
      chainBelow(below(root, { path_length: 0, ...named('Same') }, named('Same'))),
      [],
    ],
    ['none for a name that is permitted', chainBelow(below(root, { extensions: [onlyBelow('shop.test')] })), []],
    [
      'a name that is not permitted',
      chainBelow(below(root, { extensions: [onlyBelow('other.test')] })),
      ['name_constraints'],
    ],
    [
      'a name that is not permitted two levels above',
      chainBelow(below(root, { extensions: [onlyBelow('other.test')] }, {})),
      ['name_constraints'],
    ],
    [
      'an unknown critical extension of the certificate itself',
      chainBelow([plain], { extensions: [unknownCritical] }),
      ['unknown_critical_extension'],
    ],
    [
      'an unknown critical extension of an intermediate',
      chainBelow(below(root, { extensions: [unknownCritical] })),
      ['unknown_critical_extension'],
    ],
    [
      'a repeated extension of the certificate itself',
      chainBelow([plain], { extensions: [repeated] }),
      ['malformed_extension'],
    ],
    [
      'a repeated extension of an intermediate',
      chainBelow(below(root, { extensions: [repeated] })),
      ['malformed_extension'],
    ],
    ['an issuer that is no authority', chainBelow(below(root, { ca: false })), ['invalid_ca']],
    [
      'an issuer whose key signs no certificates',
      chainBelow(below(root, { extensions: [signsLists] })),
      ['invalid_ca'],
    ],
    ['a signature that is not of the issuer named', broken, ['bad_signature']],
    ['none where the issuer of a false signature was not sent', broken.slice(0, 1), []],
    [
      'each of several once',
      chainBelow(below(root, { path_length: 0, extensions: [unknownCritical] }, { extensions: [unknownCritical] })),
      ['unknown_critical_extension', 'path_too_long'],
    ],
  ]
  for (const [title, sent, errors] of rows) {
    it(title, async () => assert.deepEqual((await look(sent)).path_errors, errors))
  }

  it('are not those of a trusted root, which is trusted as it is', async () => {
    for (const options of [{ ca: false }, { extensions: [unknownCritical] }, { extensions: [repeated] }]) {
      const odd = createAuthority({ ...named('Odd root'), ...options })
      const { anchored, path_errors } = await look(chainBelow(below(odd, {})), [odd])
      assert.deepEqual([anchored, path_errors], [true, []])
    }
  })

  it('are those of the path with fewest', async () => {
    const good = below(root, named('Twice'))
    const [twin] = good as [Authority]
    const worse = stranger.crossSign(twin, { extensions: [unknownCritical] })
    for (const roots of [
      [root, stranger],
      [stranger, root],
    ]) {
      const { path_errors, root: end, paths } = await look([...chainBelow(good), der(worse)], roots)
      assert.deepEqual([path_errors, end?.subject?.label, paths], [[], 'Root', 2])
    }
  })
})

describe('a path that is searched for no longer', () => {
  /** An authority that so many strangers certify, each of whom is sent. */
  async function certifiedBy(count: number, roots: readonly Authority[]) {
    const middle = createAuthority(named('Middle'))
    const strangers = Array.from({ length: count }, (_, at) => createAuthority(named(`Stranger ${at}`)))
    const crossed = [...strangers.map(it => it.crossSign(middle)), ...roots.map(it => it.crossSign(middle))]
    const leaf = middle.issue({ names }).chain[0] ?? ''
    return look([leaf, ...crossed, ...strangers.map(it => it.certificate)].map(der), roots)
  }

  it('is unknown beyond 32 signatures', async () => {
    const few = await certifiedBy(10, [])
    assert.deepEqual([few.anchored, few.chain_length, few.paths], [false, 3, 10])
    const many = await certifiedBy(40, [])
    assert.deepEqual([many.anchored, many.chain_length], [null, null])
  })

  it('is unknown beyond 16 certificates, unless a trusted root follows', async () => {
    const rows = [
      [root, 15, true, 16],
      [root, 16, null, null],
      [stranger, 14, false, 15],
      [stranger, 16, null, null],
    ] as const
    for (const [authority, count, anchored, length] of rows) {
      const facts = await look(chainBelow(below(authority, ...Array.from({ length: count }, () => ({})))))
      assert.deepEqual([facts.anchored, facts.chain_length], [anchored, length], `${count} intermediates`)
    }
  })

  it('is unknown beside a certificate that cannot be read', async () => {
    const junk = Buffer.from('3000', 'hex')
    const strange = chainBelow(below(stranger, {}))
    const rows = [
      [[...strange, junk], 'NOT_JUDGED', null, 2],
      [[...strange, junk], null, true, 2],
      [strange, 'NOT_JUDGED', false, 2],
      [[...chainBelow(below(root, {})), junk], 'NOT_JUDGED', true, 2],
      [[junk], 'NOT_JUDGED', null, 0],
      [[junk], null, true, 0],
    ] as const
    for (const [sent, complaint, anchored, length] of rows) {
      const facts = await look(sent, [root], complaint)
      assert.deepEqual([facts.anchored, facts.chain.length], [anchored, length])
      if (sent.includes(junk)) assert.equal(facts.beside, null)
    }
  })
})
