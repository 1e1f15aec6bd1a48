// The section's fields.
import { ServedFields, type Static, type TSchema, Type } from '../../src/engine/plugin.ts'
import { ratings } from './emissions.ts'
import { standings } from './hosting.ts'

const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

export const Section = Type.Object(
  {
    ...ServedFields,
    green: Nullable(Type.Boolean({ description: 'Hosted on green energy; null when that is unknown.' })),
    green_status: Type.Enum([...standings], {
      description: 'Why `green` is what it is; `behind_cdn`: a delivery network hides the host.',
    }),
    green_via_cdn: Nullable(Type.Boolean({ description: 'Whether that delivery network runs on green energy.' })),
    hosted_by: Nullable(Type.String({ description: 'By the directory of green hosts.' })),
    cdn: Nullable(Type.String({ description: 'The delivery network that answered.' })),
    carbon_txt: Nullable(Type.String({ description: 'Where the site’s carbon.txt is, by TXT record or Via header.' })),
    bytes: Nullable(
      Type.Integer({ description: 'Octets of bodies as transferred; null when `blocked`, as all below.' }),
    ),
    bytes_complete: Nullable(Type.Boolean({ description: 'False when a body was not read to its end.' })),
    scope: Type.Enum(['document'], { description: 'The page and its redirects, without what it loads.' }),
    co2_grams_per_visit: Nullable(Type.Number({ description: 'CO2 equivalent, first visit.' })),
    rating: Nullable(Type.Enum([...ratings])),
    model: Type.Enum(['swd-v4'], { description: 'Sustainable Web Design model, version 4.' }),
    grid_intensity: Nullable(Type.Number({ description: 'Grams of CO2 equivalent for a kilowatt-hour at the host.' })),
    grid_country: Nullable(Type.String({ description: 'Whose grid that is, ISO 3166-1 alpha-2; null: the world’s.' })),
  },
  { additionalProperties: false },
)
export type Section = Static<typeof Section>
