import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { describeKeyExchange } from '../../src/evidence/tls/key_exchange.ts'

describe('the key exchange', () => {
  const ecdh = (name: string, size: number) => ({ type: 'ECDH', name, size })
  const rows: [title: string, info: object | null, offered: boolean, told: unknown][] = [
    ['X25519', ecdh('X25519', 253), false, { kind: 'ECDH', group: 'X25519', bits: 253, post_quantum: null }],
    [
      "a curve by OpenSSL's name",
      ecdh('prime256v1', 256),
      false,
      { kind: 'ECDH', group: 'P-256', bits: 256, post_quantum: null },
    ],
    [
      'a curve that was preferred to ML-KEM',
      ecdh('X25519', 253),
      true,
      { kind: 'ECDH', group: 'X25519', bits: 253, post_quantum: false },
    ],
    ['a finite field', { type: 'DH', size: 2048 }, false, { kind: 'DH', group: null, bits: 2048, post_quantum: null }],
    [
      'X25519 with ML-KEM',
      { type: 'KEM', name: 'X25519MLKEM768' },
      true,
      { kind: 'KEM', group: 'X25519MLKEM768', bits: null, post_quantum: true },
    ],
    [
      'P-256 with ML-KEM, without a kind',
      { name: 'SecP256r1MLKEM768' },
      true,
      { kind: 'ECDH', group: 'SecP256r1MLKEM768', bits: null, post_quantum: true },
    ],
    [
      'the draft of ML-KEM',
      ecdh('X25519Kyber768Draft00', 253),
      true,
      { kind: 'ECDH', group: 'X25519Kyber768Draft00', bits: 253, post_quantum: true },
    ],
    ['no ephemeral key, or a group that Node does not know', {}, true, null],
    ['a connection that is gone', null, true, null],
  ]
  for (const [title, info, offered, told] of rows) {
    it(`reports ${title}`, () => assert.deepEqual(describeKeyExchange(info, offered), told))
  }
})
