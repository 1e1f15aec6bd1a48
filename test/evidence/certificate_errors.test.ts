// What is wrong with the path of a certificate, and what is unknown when the search for a path is cut off.
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { describe, it } from 'node:test'
import { describeSent } from '../../src/evidence/tls/chain.ts'
import type { PathError } from '../../src/evidence/tls/facts.ts'
import { createTrustStore } from '../../src/evidence/tls/trust_store.ts'
import { bits, contextTag, implicit, nothing, oid, sequence, set, utf8 } from '../../src/testing/der.ts'
import {
  type Authority,
  type CertificateOptions,
  createAuthority,
  extension,
  selfSign,
} from '../../src/testing/lab_ca.ts'

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
/** Excludes the subject that `named('Same')` makes. */
const notSame = extension(
  '2.5.29.30',
  true,
  sequence(contextTag(1, sequence(contextTag(4, sequence(set(sequence(oid('2.5.4.3'), utf8('Same')))))))),
)

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

/** The same certificate with another octet, by default the last of its signature. */
function forged(certificate: Buffer, at = certificate.length - 1): Buffer {
  const copy = Buffer.from(certificate)
  copy.writeUInt8(copy.readUInt8(at) ^ 1, at)
  return copy
}

/** The same certificate with an octet of its key changed. */
function withOtherKey(certificate: Buffer, at = 0): Buffer {
  const key = new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' })
  return forged(certificate, certificate.indexOf(key) + key.length - 1 - at)
}

/** The same certificate for another name, or under another identifier of its key. */
const renamed = (certificate: Buffer): Buffer => forged(certificate, certificate.lastIndexOf('Intermediate'))
const withOtherKeyId = (certificate: Buffer): Buffer =>
  forged(certificate, certificate.indexOf(Buffer.from([0x55, 0x1d, 14])) + 8)

const noKeyIds = { key_ids: false }
type Row = readonly [title: string, sent: readonly Buffer[], errors: readonly PathError[], trusted?: Authority]

describe('the errors of a path', () => {
  const [plain] = below(root, {}) as [Authority]
  const [own, ...above] = chainBelow([plain]) as [Buffer, Buffer]
  const broken = [forged(own), ...above]
  const anonymous = forged(chainBelow([plain], noKeyIds)[0] as Buffer)
  const unmarked = der(stranger.crossSign(plain, noKeyIds))
  const lone = forged(der(selfSign({ names }).cert))
  const top = der(stranger.certificate)
  const strange = chainBelow(below(stranger, {}))
  const narrow = createAuthority({ ...named('Narrow'), path_length: 0 })
  const limited = createAuthority({ ...named('Limited'), extensions: [onlyBelow('other.test')] })
  const same = below(root, { ...named('Same'), extensions: [notSame] })
  const rows: readonly Row[] = [
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
    ['an intermediate below a root that allows none', chainBelow(below(narrow, {})), ['path_too_long'], narrow],
    ['a name that the root does not permit', chainBelow(below(limited, {})), ['name_constraints'], limited],
    [
      'none for an excluded name of an intermediate that is issued to the issuer itself',
      chainBelow(below(same[0] as Authority, named('Same'))).concat(der((same[0] as Authority).certificate)),
      [],
    ],
    [
      'an excluded name of a certificate that is issued to the issuer itself',
      chainBelow(same, named('Same')),
      ['name_constraints'],
    ],
    ['a signature that is not of the issuer named', broken, ['bad_signature']],
    ['none where the issuer of a false signature was not sent', broken.slice(0, 1), []],
    ['none where a false signature names no key of its issuer', [anonymous, ...above], []],
    ['none where neither a false signature nor its issuer names a key', [anonymous, unmarked], []],
    ['none where the issuer of a false signature names no key', [forged(own), unmarked], []],
    ['a signature that is not of one of two issuers named', [forged(own), ...above, unmarked], ['bad_signature']],
    ['none for a self-signed certificate with a false signature, sent twice', [lone, lone], []],
    ['none where the key that is named has signed, and another has not', [...strange, top, withOtherKey(top)], []],
    [
      'none where more keys are named than are tried',
      [...broken, ...Array.from({ length: 33 }, (_, at) => withOtherKey(above[0], at))],
      [],
    ],
    [
      'each of several once',
      chainBelow(below(root, { path_length: 0, extensions: [unknownCritical] }, { extensions: [unknownCritical] })),
      ['unknown_critical_extension', 'path_too_long'],
    ],
  ]
  for (const [title, sent, errors, trusted = root] of rows) {
    it(title, async () => assert.deepEqual((await look(sent, [trusted])).path_errors, errors))
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

describe('the issuer of a certificate', () => {
  const [plain] = below(stranger, {}) as [Authority]
  const [own, above] = chainBelow([plain]) as [Buffer, Buffer]
  const rows: readonly (readonly [title: string, sent: readonly Buffer[], length: number])[] = [
    ['has its name, its key and its key identifier', [own, above], 2],
    ['is none under another name', [own, renamed(above)], 1],
    ['is none with another key', [own, withOtherKey(above)], 1],
    ['is none with another key identifier', [own, withOtherKeyId(above)], 1],
    ['needs no key identifier', [own, der(stranger.crossSign(plain, noKeyIds))], 2],
    ['needs not be named by its key', chainBelow([plain], noKeyIds), 2],
  ]
  for (const [title, sent, length] of rows) it(title, async () => assert.equal((await look(sent)).chain_length, length))

  it('is no trusted root with another key identifier', async () => {
    const trust = createTrustStore(new X509Certificate(withOtherKeyId(der(root.certificate))).toString())
    assert.equal((await describeSent(chainBelow([root]), 'NOT_JUDGED', new Date(), trust)).anchored, false)
  })

  it('is none whose signature was one too many to check', async () => {
    const copies = Array.from({ length: 33 }, (_, at) => withOtherKey(above, at))
    const facts = await look([forged(own), above, ...copies])
    assert.deepEqual([facts.anchored, facts.chain.length], [null, 1])
  })
})

describe('a path that is searched for no longer', () => {
  /** An authority that so many strangers certify, each of whom is sent. */
  async function certifiedBy(count: number, roots: readonly Authority[], more = 0) {
    const middle = createAuthority(named('Middle'))
    const lower = below(middle, ...Array.from({ length: more }, () => ({})))
    const strangers = Array.from({ length: count }, (_, at) => createAuthority(named(`Stranger ${at}`)))
    const crossed = [...strangers.map(it => it.crossSign(middle)), ...roots.map(it => it.crossSign(middle))]
    const [leaf = '', ...between] = (lower.at(-1) ?? middle).issue({ names }).chain.slice(0, 1 + more)
    return look([leaf, ...between, ...crossed, ...strangers.map(it => it.certificate)].map(der), roots)
  }

  it('is unknown beyond 32 signatures', async () => {
    const few = await certifiedBy(10, [])
    assert.deepEqual([few.anchored, few.chain_length, few.paths], [false, 3, 10])
    const all = await certifiedBy(15, [], 1)
    assert.deepEqual([all.anchored, all.chain_length, all.paths], [false, 4, 15])
    const many = await certifiedBy(16, [])
    assert.deepEqual([many.anchored, many.chain_length], [null, null])
  })

  it('is unknown beyond 64 paths', async () => {
    const paths = async (levels: number) => {
      const line = Array.from({ length: levels + 1 }, (_, at) => createAuthority(named(`Level ${at}`)))
      const twice = line.slice(1).flatMap((upper, at) => [0, 1].map(() => upper.crossSign(line[at] as Authority)))
      const leaf = line[0]?.issue({ names }).chain[0] ?? ''
      return look([leaf, ...twice].map(der))
    }
    const [all, many] = [await paths(6), await paths(7)]
    assert.deepEqual([all.anchored, all.paths, all.chain_length], [false, 64, 7])
    assert.deepEqual([many.anchored, many.paths, many.chain_length], [null, 64, null])
  })

  it('is unknown beyond 1 000 certificates', async () => {
    const [own, ...above] = chainBelow(below(root, {}))
    for (const [others, anchored, beside] of [
      [998, true, 1],
      [999, null, null],
    ] as const) {
      const facts = await look([own as Buffer, ...Array(others).fill(der(stranger.certificate)), ...above])
      assert.deepEqual([facts.anchored, facts.beside?.length ?? null], [anchored, beside])
    }
  })

  it('ends where authorities certify each other', async () => {
    const [one, other] = [createAuthority(named('One')), createAuthority(named('Other'))]
    const leaf = one.issue({ names }).chain[0] ?? ''
    const facts = await look([leaf, other.crossSign(one), one.crossSign(other)].map(der))
    assert.deepEqual([facts.anchored, facts.chain_length, facts.paths], [false, 3, 1])
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
