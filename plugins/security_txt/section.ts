// The section's schema.
import { labelled, nullable, type Static, Type } from '../../src/engine/plugin.ts'
import { ISSUES } from './file.ts'

export const Section = Type.Object(
  {
    url: labelled('File', Type.String({ description: 'Where the file was requested: on the origin of the page.' })),
    found: nullable(
      Type.Boolean({ description: 'Null when unknown. A page served in place of the file does not count.' }),
    ),
    valid: labelled(
      'Follows RFC 9116',
      nullable(Type.Boolean({ description: 'No rule of RFC 9116 is broken; null without a file.' })),
    ),
    signed: labelled(
      'Signed (signature not verified)',
      nullable(
        Type.Boolean({
          description: 'The file is one OpenPGP signed message; the signature was not verified. Null without a file.',
        }),
      ),
    ),
    expires_at: labelled(
      'Expires',
      nullable(Type.String({ description: 'ISO 8601 in UTC; null when missing, repeated or malformed.' })),
    ),
    expired: nullable(Type.Boolean({ description: 'Null without `expires_at`.' })),
    fields: nullable(
      Type.Array(
        Type.Object(
          {
            name: Type.String({ description: 'Name of the field.' }),
            value: Type.String({ description: 'As written, shortened.' }),
          },
          { additionalProperties: false },
        ),
        {
          description: 'At most 50, in their order, names in lower case; null without a file.',
        },
      ),
    ),
    issues: nullable(Type.Array(Type.Enum([...ISSUES]), { description: 'Issues of the file; null without a file.' })),
  },
  { additionalProperties: false },
)
export type Section = Static<typeof Section>
