// The section's fields, and what is wrong with them.
import { labelled, nullable, printable, type Static, Type } from '../../src/engine/plugin.ts'

const CLOSED = { additionalProperties: false }

const Server = Type.Object(
  {
    name: Type.String({ description: 'Host name of the name server.' }),
    in_parent: nullable(
      Type.Boolean({ description: 'The parent zone delegates to it; null if the parent did not say.' }),
    ),
    in_zone: nullable(Type.Boolean({ description: 'The zone itself names it.' })),
    address: nullable(Type.String({ description: 'The address that was asked.' })),
    contact: Type.Enum(['answered', 'unanswered', 'internal', 'no_address', 'unknown'], {
      description: '`internal`: its address is not public; nothing was sent there.',
    }),
    reason: nullable(Type.String({ description: 'How the contact failed, or why it is unknown.' })),
    lame: nullable(Type.Boolean({ description: 'It answers, but does not have the zone; null without an answer.' })),
    serial: nullable(Type.Integer({ minimum: 0, description: 'Version of the zone on this server.' })),
  },
  CLOSED,
)

const Issue = Type.Object(
  {
    code: Type.String({ description: 'Stable identifier of the issue.' }),
    severity: Type.Enum(['error', 'warning', 'info'], { description: 'How serious it is.' }),
    message: Type.String({ maxLength: 512, description: 'The issue as a sentence.' }),
  },
  CLOSED,
)

export const Section = Type.Object(
  {
    zone: labelled('Zone', Type.String({ description: 'The closest enclosing zone of the name.' })),
    parent: labelled('Parent zone', nullable(Type.String({ description: 'The zone that delegates to it.' }))),
    delegation: labelled(
      'Delegated to',
      nullable(Type.Array(Type.String(), { description: 'Name servers by the parent zone; null if it did not say.' })),
    ),
    consistent: labelled(
      'Parent and zone agree',
      nullable(
        Type.Boolean({
          description: 'The parent zone delegates to exactly the servers that the zone names; null if unknown.',
        }),
      ),
    ),
    servers: labelled(
      'Servers',
      Type.Array(Server, { description: 'The servers of zone and parent, at most 8, by name.' }),
    ),
    total: Type.Integer({ description: 'Number of servers.' }),
    issues: labelled(
      'Issues',
      nullable(Type.Array(Issue, { description: 'Most serious first; null if none was found and a part is unknown.' })),
    ),
  },
  CLOSED,
)

export type Section = Static<typeof Section>

export const nameList = (names: readonly string[]): string => names.map(name => printable(name)).join(', ')
