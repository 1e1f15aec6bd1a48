// tls_offer: the protocol versions and cipher suites that the server on port 443 accepts, beyond those that a modern
// client negotiates.
import { analyzer, mainReason, nullable, Type } from '../../src/engine/plugin.ts'
import { findSignals, signals } from './signals.ts'

const offered = {
  status: Type.Enum(['accepted', 'refused', 'unknown']),
  reason: nullable(Type.String({ description: 'How the server refused, or why it is unknown.' })),
  suite: nullable(Type.String({ description: 'The suite that the server chose, by its IANA name.' })),
}

const Section = Type.Object(
  {
    address: Type.String({ description: 'The address that was contacted.' }),
    versions: Type.Array(
      Type.Object(
        {
          version: Type.Enum(['TLSv1.3', 'TLSv1.2', 'TLSv1.1', 'TLSv1', 'SSLv3', 'SSLv2']),
          ...offered,
          block_mode: nullable(Type.Boolean({ description: 'The suite encrypts blocks in CBC mode.' })),
        },
        { additionalProperties: false },
      ),
      { description: 'All versions, the newest first.' },
    ),
    suites: Type.Array(
      Type.Object(
        {
          kind: Type.Enum([
            'null_encryption',
            'anonymous',
            'export',
            'des',
            'rc4',
            'small_blocks',
            'static_key',
            'finite_field',
          ]),
          ...offered,
        },
        { additionalProperties: false },
      ),
      { description: 'Kinds of cipher suites, offered with the newest version before TLS 1.3.' },
    ),
    prime_bits: nullable(
      Type.Integer({ description: 'The smallest prime seen in a finite-field Diffie-Hellman exchange.' }),
    ),
    own_order: nullable(Type.Boolean({ description: 'The server chooses by its own order of suites.' })),
    secure_renegotiation: nullable(Type.Boolean({ description: 'RFC 5746; null with TLS 1.3 alone.' })),
    compression: nullable(Type.Boolean({ description: 'The server compresses if the client offers it.' })),
    fallback_refused: nullable(
      Type.Boolean({ description: 'It refuses a needless fallback (RFC 7507); null without an old version.' }),
    ),
    handshakes: Type.Integer({ description: 'Handshakes begun for this section.' }),
  },
  { additionalProperties: false },
)

const Options = Type.Object(
  {
    least_prime_bits: Type.Integer({
      default: 2_048,
      minimum: 512,
      maximum: 16_384,
      description:
        'Bits of a Diffie-Hellman prime below which `weak_key_exchange_accepted` is reported (RFC 9325 section 4.5).',
    }),
  },
  { additionalProperties: false },
)

export default analyzer({
  name: 'tls_offer',
  description: 'Protocol versions, kinds of cipher suites and key sizes that the TLS server still accepts.',
  targets: ['domain', 'ip'],
  needs: ['tls_offer'],
  optional: true,
  schema: Section,
  options: Options,
  signals,
  analyze({ tls_offer }, { target, options }) {
    const { server_name: _, versions, suites, ...rest } = tls_offer
    const reasons = [...versions, ...suites].flatMap(({ status, reason }) =>
      status === 'unknown' && reason !== null ? [`tls_offer_${reason}`] : [],
    )
    return {
      section: { ...rest, versions: [...versions], suites: [...suites] },
      signals: findSignals(tls_offer, target.domain ?? target.ip, options.least_prime_bits),
      unknown: mainReason(reasons),
    }
  },
})
