import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import plugin from '../../plugins/tls_offer/index.ts'
import { type Evidence, Unavailable } from '../../src/engine/plugin.ts'
import { suiteKinds } from '../../src/evidence/tls_offer/suites.ts'
import { runPlugin } from '../../src/testing/run_plugin.ts'
import { describeSection } from '../engine/report/shipped.ts'

type Offer = Evidence['tls_offer']
type Version = Offer['versions'][number]
type Suites = Offer['suites'][number]

const all = ['TLSv1.3', 'TLSv1.2', 'TLSv1.1', 'TLSv1', 'SSLv3', 'SSLv2'] as const
const modern: readonly Version['version'][] = ['TLSv1.3', 'TLSv1.2']

interface Given extends Partial<Offer> {
  readonly accepts?: readonly Version['version'][]
  readonly kinds?: readonly Suites['kind'][]
  /** Why everything else is unknown, instead of refused. */
  readonly unknown?: string
}

function offerOf({ accepts = modern, kinds = [], unknown, ...rest }: Given): Offer {
  const other =
    unknown === undefined
      ? { status: 'refused' as const, reason: 'alert:handshake_failure', suite: null }
      : { status: 'unknown' as const, reason: unknown, suite: null }
  const accepted = (suite: string) => ({ status: 'accepted' as const, reason: null, suite })
  return {
    address: '93.184.216.34',
    server_name: 'example.com',
    versions: all.map(version =>
      accepts.includes(version)
        ? { version, ...accepted('TLS_RSA_WITH_AES_128_CBC_SHA'), block_mode: true }
        : { version, ...other, block_mode: null },
    ),
    suites: suiteKinds.map(kind =>
      kinds.includes(kind) ? { kind, ...accepted(`TLS_EXAMPLE_${kind}`) } : { kind, ...other },
    ),
    prime_bits: null,
    own_order: true,
    secure_renegotiation: true,
    compression: false,
    fallback_refused: null,
    handshakes: 9,
    ...rest,
  }
}

const judge = (given: Given, options: object = {}) =>
  runPlugin(plugin, {
    evidence: { tls_offer: offerOf(given) },
    plugins: { tls_offer: { options: options as Record<string, unknown> } },
  })

const weakPrime = (bits: number, points: number) =>
  [
    'weak_key_exchange_accepted',
    points,
    `example.com exchanges keys with a Diffie-Hellman prime of ${bits} bits; at least 2048 are required.`,
  ] as const

describe('tls_offer', () => {
  const cases: readonly (readonly [
    title: string,
    given: Given,
    signals: readonly (readonly [id: string, points: number, detail: string])[],
    options?: object,
  ])[] = [
    ['has no signal for a server that is up to date', {}, []],
    [
      'has none for suites without forward secrecy or with a large prime',
      { kinds: ['static_key', 'finite_field'], prime_bits: 2048, own_order: false, fallback_refused: false },
      [],
    ],
    [
      'tells old versions apart from broken ones',
      { accepts: [...all] },
      [
        ['broken_ssl_accepted', 4, 'example.com accepts SSL 3.0 and SSL 2.0, which attackers on the path can decrypt.'],
        ['old_tls_accepted', 2, 'example.com accepts TLS 1.1 and TLS 1.0, which RFC 8996 deprecates.'],
      ],
    ],
    [
      'counts suites that protect nothing once, whatever their kind',
      { kinds: ['null_encryption', 'anonymous', 'export', 'des'] },
      [
        [
          'broken_cipher_accepted',
          4,
          'example.com accepts cipher suites with no encryption, no certificate, export-grade keys and DES.',
        ],
      ],
    ],
    [
      'counts weak ciphers less',
      { kinds: ['rc4'] },
      [['weak_cipher_accepted', 2, 'example.com accepts cipher suites with RC4.']],
    ],
    ['has full weight for a prime that can be broken', { prime_bits: 768 }, [weakPrime(768, 3)]],
    ['has two thirds of it for a prime that is only small', { prime_bits: 1024 }, [weakPrime(1024, 2)]],
    ['accepts the prime that the operator accepts', { prime_bits: 1024 }, [], { least_prime_bits: 1024 }],
    [
      'reports renegotiation and compression',
      { secure_renegotiation: false, compression: true },
      [
        ['insecure_renegotiation', 2, 'example.com does not support secure renegotiation (RFC 5746).'],
        ['tls_compression', 2, 'example.com compresses TLS records, which can disclose cookies (CRIME).'],
      ],
    ],
    [
      'has no signal for what is unknown',
      { accepts: ['TLSv1.2'], unknown: 'timeout', secure_renegotiation: null, compression: null },
      [],
    ],
  ]
  for (const [title, given, signals, options] of cases) {
    it(title, async () => {
      const outcome = await judge(given, options)
      assert.equal(outcome.status, 'completed')
      const found = outcome.signals.map(({ id, points, detail }) => [id, points, detail])
      assert.deepEqual(found.sort(), [...signals].sort())
    })
  }

  it('says why a part is unknown', async () => {
    const { reason, section } = await judge({ accepts: ['TLSv1.2'], unknown: 'closed' })
    assert.equal(reason, 'tls_offer_closed')
    assert.deepEqual(section?.versions[0], {
      version: 'TLSv1.3',
      status: 'unknown',
      reason: 'closed',
      suite: null,
      block_mode: null,
    })
  })

  it('is unavailable if no offer was answered', async () => {
    const { status, reason } = await runPlugin(plugin, { evidence: { tls_offer: new Unavailable('timeout') } })
    assert.deepEqual([status, reason], ['unavailable', 'timeout'])
  })

  const shown: readonly (readonly [title: string, given: Given, summary: string, facts: Record<string, unknown>])[] = [
    [
      'of a server that is up to date',
      {},
      'The server refuses all outdated versions and cipher suites that were offered.',
      { Accepts: ['TLS 1.3', 'TLS 1.2'], 'Accepts suites with': [], 'Diffie-Hellman prime': [] },
    ],
    [
      'of an old server',
      { accepts: [...all], kinds: ['rc4', 'finite_field'], prime_bits: 512 },
      'The server accepts 4 outdated versions and 1 weak kind of cipher suites.',
      { Refuses: [], 'Diffie-Hellman prime': '512 bits' },
    ],
    [
      'of a server that did not answer everything',
      { accepts: ['TLSv1.2'], kinds: ['finite_field'], unknown: 'timeout' },
      'Nothing outdated was seen. Some offers were not answered.',
      { 'Diffie-Hellman prime': null, 'Refuses fallback to old versions': undefined },
    ],
  ]
  for (const [title, given, summary, facts] of shown) {
    it(`has words for people ${title}`, async () => {
      const { section, reason } = await judge(given)
      const described = describeSection('tls_offer', section as object, { reason })
      assert.deepEqual(described.summary, [summary])
      const all = Object.fromEntries(described.facts)
      for (const [label, value] of Object.entries(facts)) assert.deepEqual(all[label], value, label)
    })
  }
})
