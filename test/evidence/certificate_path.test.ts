// The path that is chosen among the certificates of a server, whatever their order and whatever else was sent.
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { describeSent } from '../../src/evidence/tls/chain.ts'
import { createTrustStore, type TrustStore } from '../../src/evidence/tls/trust_store.ts'
import { implicit, octets, oid, sequence } from '../../src/testing/der.ts'
import {
  type CertificateOptions,
  type Credentials,
  createAuthority,
  extension,
  selfSign,
} from '../../src/testing/lab_ca.ts'
import { domainTarget, judge, tls } from '../plugins/ssl_info_judged.ts'
import { handshake } from './certificate_handshake.ts'

const names = ['shop.test']
const day = 86_400_000
const past = { not_before: new Date(Date.now() - 900 * day), not_after: new Date(Date.now() - day) }
const named = (name: string): Pick<CertificateOptions, 'subject'> => ({ subject: [['CN', name]] })

const root = createAuthority(named('Trusted Root'))
const second = createAuthority(named('Second Root'))
const stranger = createAuthority(named('Stranger Root'))
const weakRoot = createAuthority({ ...named('Old Root'), key: 'rsa1024' })
const intermediate = root.subordinate(named('Intermediate'))
const lower = intermediate.subordinate(named('Lower'))
/** A new root that is not in the store, but that a root of the store has signed too. */
const newRoot = createAuthority(named('New Root'))
const newCross = root.crossSign(newRoot)
const stale = root.subordinate({ ...named('Stale Intermediate'), ...past })
const strange = stranger.subordinate(named('Strange Intermediate'))

/** A new store for each, because stores remember intermediates. */
const trusting = (): TrustStore => createTrustStore([root, second].map(it => it.certificate).join(''))

/** As a leaf of a public authority has them; nobody verifies them. */
const publicSigns: readonly Buffer[] = [
  extension(
    '1.3.6.1.5.5.7.1.1',
    false,
    sequence(sequence(oid('1.3.6.1.5.5.7.48.2'), implicit(6, Buffer.from('http://ca.test/i.crt')))),
  ),
  extension('1.3.6.1.4.1.11129.2.4.2', false, octets(Buffer.from('00020000', 'hex'))),
]

const der = (pem: string): Buffer => new X509Certificate(pem).raw

interface Seen {
  readonly reasons: readonly string[]
  readonly points: readonly string[]
  readonly path: readonly (string | undefined)[]
  readonly root: string | null
  readonly beside: readonly (string | undefined)[] | null
}

async function see(
  pems: readonly string[],
  trust = trusting(),
  complaint: string | null = 'NOT_JUDGED',
): Promise<Seen> {
  const facts = await describeSent(pems.map(der), complaint, new Date(), trust)
  const { reasons, signals } = judge(tls(facts), { target: domainTarget('shop.test'), now: new Date() })
  return {
    reasons,
    points: signals,
    path: facts.chain.map(({ subject }) => subject?.label),
    root: facts.root?.subject?.label ?? null,
    beside: facts.beside?.map(({ subject }) => subject?.label).toSorted() ?? null,
  }
}

const leaf = (authority = intermediate, options: CertificateOptions = {}): string =>
  authority.issue({ names, ...options }).chain[0] ?? ''

const good = leaf()
const deep = leaf(lower)
const expired = leaf(lower, past)
const strangeLeaf = leaf(strange)
const weakCross = weakRoot.crossSign(intermediate, { hash: 'sha1' })
const weakIntermediate = stranger.crossSign(intermediate, { hash: 'sha1' })
const expiredCross = second.crossSign(intermediate, past)

describe('the path that is chosen', () => {
  const rows: readonly [string, readonly string[], Pick<Seen, 'reasons' | 'path' | 'root' | 'beside'>][] = [
    [
      'an expired leaf whose intermediates come in another order leads to its root',
      [expired, intermediate.certificate, lower.certificate],
      { reasons: ['expired'], path: ['shop.test', 'Lower', 'Intermediate'], root: 'Trusted Root', beside: [] },
    ],
    [
      'an old cross-sign with SHA-1 and RSA-1024 beside the path does no harm',
      [good, weakCross, weakRoot.certificate, intermediate.certificate],
      {
        reasons: [],
        path: ['shop.test', 'Intermediate'],
        root: 'Trusted Root',
        beside: ['Intermediate', 'Old Root'],
      },
    ],
    [
      'a cross-sign with SHA-1 by an unknown root does no harm',
      [good, weakIntermediate, intermediate.certificate],
      { reasons: [], path: ['shop.test', 'Intermediate'], root: 'Trusted Root', beside: ['Intermediate'] },
    ],
    [
      'a new root sent self-signed and cross-signed leads to the root that signed it',
      [leaf(newRoot), newRoot.certificate, newCross],
      { reasons: [], path: ['shop.test', 'New Root'], root: 'Trusted Root', beside: ['New Root'] },
    ],
    [
      'an expired cross-sign by another trusted root is not followed',
      [good, expiredCross, intermediate.certificate],
      { reasons: [], path: ['shop.test', 'Intermediate'], root: 'Trusted Root', beside: ['Intermediate'] },
    ],
    [
      'an expired cross-sign that is the only path is followed',
      [good, expiredCross],
      { reasons: ['chain_expired'], path: ['shop.test', 'Intermediate'], root: 'Second Root', beside: [] },
    ],
    [
      'a needless root is part of the path, a needless intermediate is not',
      [good, root.certificate, strange.certificate, intermediate.certificate],
      { reasons: [], path: ['shop.test', 'Intermediate'], root: 'Trusted Root', beside: ['Strange Intermediate'] },
    ],
    [
      'an untrusted path is followed to its end',
      [strangeLeaf, stranger.certificate, strange.certificate],
      {
        reasons: ['untrusted_root'],
        path: ['shop.test', 'Strange Intermediate', 'Stranger Root'],
        root: null,
        beside: [],
      },
    ],
  ]
  for (const [title, sent, expected] of rows) {
    it(title, async () => {
      const { points: _, ...seen } = await see(sent)
      assert.deepEqual(seen, expected)
    })
  }

  it('is unknown beside the 16th certificate that is not on it', async () => {
    const many = Array.from({ length: 17 }, (_, at) => createAuthority(named(`Beside ${at}`)).certificate)
    const few = await see([good, ...many.slice(1), intermediate.certificate])
    const all = await see([good, ...many, intermediate.certificate])
    assert.deepEqual([few.beside?.length, all.beside, all.reasons], [16, null, []])
  })
})

describe('what changes no reason', () => {
  const chains: Readonly<Record<string, readonly string[]>> = {
    'a valid chain': [deep, lower.certificate, intermediate.certificate],
    'an expired leaf': [expired, lower.certificate, intermediate.certificate],
    'an expired leaf of an unknown root': [leaf(strange, past), strange.certificate],
    'an unknown root': [strangeLeaf, strange.certificate],
    'an unknown root that was sent': [strangeLeaf, strange.certificate, stranger.certificate],
    'a self-signed certificate': [selfSign({ names }).cert],
    'an intermediate left out': [leaf(strange)],
    'an intermediate of a public authority left out': [leaf(strange, { extensions: publicSigns })],
    'an expired intermediate': [leaf(stale), stale.certificate],
    'a new root with a cross-sign': [leaf(newRoot), newRoot.certificate, newCross],
  }
  /** None of them is an issuer that one of the chains lacks. */
  const others = [
    weakCross,
    weakIntermediate,
    expiredCross,
    weakRoot.certificate,
    newRoot.certificate,
    second.certificate,
    root.certificate,
    createAuthority(named('Trusted Root')).certificate,
    createAuthority(named('Intermediate')).certificate,
    createAuthority(named('Strange Intermediate')).certificate,
    leaf(createAuthority()),
    selfSign({ names }).cert,
  ]
  for (const [title, [own = '', ...above]] of Object.entries(chains)) {
    it(`order, repetition and other certificates, for ${title}`, async () => {
      const { path: _, beside: __, ...expected } = await see([own, ...above])
      const sent = fc
        .tuple(fc.subarray(others, { maxLength: 8 }), fc.subarray([own, ...above]))
        .chain(([added, repeated]) => {
          const all = [...above, ...added, ...repeated]
          return fc.shuffledSubarray(all, { minLength: all.length })
        })
      await fc.assert(
        fc.asyncProperty(sent, async all => {
          const { reasons, points, root } = await see([own, ...all])
          assert.deepEqual({ reasons, points, root }, expected)
        }),
        { numRuns: 20 },
      )
    })
  }
})

describe('an intermediate left out', () => {
  const weights: Readonly<Record<string, number>> = {
    untrusted_certificate: 20,
    expired_certificate: 15,
    weak_certificate_signature: 8,
    incomplete_certificate_chain: 4,
  }
  const points = ({ points }: Seen) => points.reduce((sum, id) => sum + (weights[id] ?? 0), 0)
  const authorities = {
    'of an unknown root': strange,
    'that expired, of an unknown root': stranger.subordinate(past),
    'signed by SHA-1, of an unknown root': stranger.subordinate({ hash: 'sha1' }),
    'without the CA bit, of an unknown root': stranger.subordinate({ ca: false }),
    'below another intermediate of an unknown root': strange.subordinate(named('Strange Lower')),
  }
  for (const [title, authority] of Object.entries(authorities)) {
    for (const extensions of [[], publicSigns]) {
      it(`${title} costs as much as one sent${extensions.length > 0 ? ', with the signs of a public leaf' : ''}`, async () => {
        const own = leaf(authority, { extensions })
        const [without, sent] = [await see([own]), await see([own, authority.certificate, strange.certificate])]
        assert.deepEqual(points(without), points(sent))
      })
    }
  }

  it('is told from an unknown root by what the leaf says', async () => {
    const { reasons } = await see([leaf(intermediate, { extensions: publicSigns })])
    assert.deepEqual(reasons, ['incomplete_chain'])
    assert.deepEqual((await see([good])).reasons, ['untrusted_root'])
  })

  it('is told from an unknown root once another server has sent it', async () => {
    const trust = trusting()
    await see([deep, lower.certificate, intermediate.certificate], trust)
    assert.deepEqual((await see([leaf(lower)], trust)).reasons, ['incomplete_chain'])
    assert.deepEqual((await see([strangeLeaf], trust)).reasons, ['untrusted_root'])
  })

  it('is not learnt from an untrusted path', async () => {
    const trust = trusting()
    await see([strangeLeaf, strange.certificate], trust)
    assert.deepEqual((await see([leaf(strange)], trust)).reasons, ['untrusted_root'])
  })
})

describe('the seen cases, as a real server shows them', () => {
  const keyed = (authority = intermediate, options: CertificateOptions = {}) => authority.issue({ names, ...options })
  const [fine, late, fresh] = [keyed(), keyed(lower, past), keyed(newRoot)]
  const of = ({ key, chain }: Credentials, ...above: readonly string[]) => ({
    key,
    cert: [chain[0], ...above].join(''),
  })
  const rows: readonly [string, { key: string; cert: string }, readonly string[], number][] = [
    ['an expired leaf', of(late, lower.certificate, intermediate.certificate), ['expired'], 0],
    ['an expired leaf in another order', of(late, intermediate.certificate, lower.certificate), ['expired'], 0],
    ['a weak cross-sign first', of(fine, weakIntermediate, weakCross, intermediate.certificate), [], 2],
    ['a weak cross-sign last', of(fine, intermediate.certificate, weakCross, weakIntermediate), [], 2],
    ['a weak cross-sign and its root', of(fine, weakCross, weakRoot.certificate, intermediate.certificate), [], 2],
    ['an expired cross-sign first', of(fine, expiredCross, intermediate.certificate), [], 1],
    ['a new root before its cross-sign', of(fresh, newRoot.certificate, newCross), [], 1],
    ['a new root after its cross-sign', of(fresh, newCross, newRoot.certificate), [], 1],
    ['an untrusted chain', of(keyed(strange), strange.certificate), ['untrusted_root'], 0],
    ['an untrusted chain without its intermediate', of(keyed(strange)), ['untrusted_root'], 0],
  ]
  for (const [title, server, reasons, beside] of rows) {
    for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
      it(`${title}, by ${maxVersion}: ${reasons.join(', ') || 'valid'}`, async () => {
        const options = { ...server, maxVersion, ciphers: 'DEFAULT@SECLEVEL=0' }
        const { facts } = await handshake(options, [root, second])
        const judged = judge(tls(facts), { target: domainTarget('shop.test'), now: new Date() })
        assert.deepEqual([judged.reasons, judged.section.sent_beside?.length], [reasons, beside])
      })
    }
  }
})
