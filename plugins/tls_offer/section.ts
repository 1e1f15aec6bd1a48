// The section's schema.
import { labelled, nullable, type Static, Type } from '../../src/engine/plugin.ts'

const offerFields = {
  status: Type.Enum(['accepted', 'refused', 'unknown'], { description: 'What the server did with the offer.' }),
  reason: nullable(Type.String({ description: 'How the server refused, or why it is unknown.' })),
  suite: nullable(Type.String({ description: 'The suite that the server chose, by its IANA name.' })),
}

export const Section = Type.Object(
  {
    address: Type.String({ description: 'The address that was contacted.' }),
    versions: Type.Array(
      Type.Object(
        {
          version: Type.Enum(['TLSv1.3', 'TLSv1.2', 'TLSv1.1', 'TLSv1', 'SSLv3', 'SSLv2'], {
            description: 'The version that was offered.',
          }),
          ...offerFields,
          block_mode: nullable(Type.Boolean({ description: 'The suite encrypts blocks in CBC mode.' })),
        },
        { additionalProperties: false },
      ),
      { description: 'All versions, the newest first.' },
    ),
    suites: labelled(
      'Cipher suites',
      Type.Array(
        Type.Object(
          {
            kind: Type.Enum(
              ['null_encryption', 'anonymous', 'export', 'des', 'rc4', 'small_blocks', 'static_key', 'finite_field'],
              { description: 'The kind of suites that was offered.' },
            ),
            ...offerFields,
          },
          { additionalProperties: false },
        ),
        { description: 'Kinds of cipher suites, offered with the newest version before TLS 1.3.' },
      ),
    ),
    prime_bits: labelled(
      'Diffie-Hellman prime',
      nullable(Type.Integer({ description: 'The smallest prime seen in a finite-field Diffie-Hellman exchange.' })),
    ),
    own_order: labelled(
      'Server chooses the suite',
      nullable(Type.Boolean({ description: 'The server chooses by its own order of suites.' })),
    ),
    secure_renegotiation: nullable(Type.Boolean({ description: 'RFC 5746; null with TLS 1.3 alone.' })),
    compression: nullable(Type.Boolean({ description: 'The server compresses if the client offers it.' })),
    fallback_refused: labelled(
      'Refuses fallback to old versions',
      nullable(
        Type.Boolean({ description: 'It refuses a needless fallback (RFC 7507); null without an old version.' }),
      ),
    ),
    handshakes: Type.Integer({ description: 'Handshakes begun for this section.' }),
  },
  { additionalProperties: false },
)

export type Section = Static<typeof Section>
