// The section's schema.
import { labelled, nullable, type Static, Type } from '../../src/engine/plugin.ts'

export const Section = Type.Object(
  {
    ip: labelled('Address', Type.String({ description: 'The address that the section is about.' })),
    country: nullable(Type.String({ description: 'ISO 3166-1 alpha-2.' })),
    country_name: labelled('Country', nullable(Type.String({ description: 'English.' }))),
    region: nullable(Type.String({ description: 'English.' })),
    city: nullable(Type.String({ description: 'English.' })),
    latitude: nullable(Type.Number({ description: 'Degrees, WGS 84.' })),
    longitude: nullable(Type.Number({ description: 'Degrees, WGS 84.' })),
    asn: labelled('Network', nullable(Type.Integer({ description: 'Autonomous system that announces the address.' }))),
    isp: labelled('Operator', nullable(Type.String({ description: 'Organization that runs the network.' }))),
    is_hosting: labelled(
      'Hosting network',
      Type.Boolean({ description: 'The network hosts servers; false also if the network is unknown.' }),
    ),
    network_kind: labelled(
      'Kind',
      nullable(
        Type.Enum(['cloud', 'hosting', 'cdn', 'access'], { description: 'What the network is for; null if unknown.' }),
      ),
    ),
    databases: labelled(
      'Databases',
      nullable(
        Type.Array(Type.String(), { description: 'The types of the databases that know the place and the network.' }),
      ),
    ),
  },
  { additionalProperties: false },
)
export type Section = Static<typeof Section>
