// The section's schema.
import { labelled, nullable, type Static, Type } from '../../src/engine/plugin.ts'

export const Section = Type.Object(
  {
    list: nullable(
      Type.Enum(['allow', 'block'], {
        description: 'The list that names the target; also `block` if a host that its redirects lead to is blocked.',
      }),
    ),
    entry: nullable(Type.String({ description: 'A name, an address or a CIDR range.' })),
    reason: nullable(Type.String({ description: 'What the operator noted.' })),
    expires_at: labelled('Valid until', nullable(Type.String({ description: 'ISO 8601.' }))),
  },
  { additionalProperties: false },
)
export type Section = Static<typeof Section>
