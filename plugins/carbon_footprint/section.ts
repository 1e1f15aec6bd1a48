// The section's fields.
import { labelled, nullable, ServedFields, type Static, Type } from '../../src/engine/plugin.ts'
import { ratings } from './emissions.ts'
import { standings } from './hosting.ts'

export const Section = Type.Object(
  {
    ...ServedFields,
    green: nullable(Type.Boolean({ description: 'Hosted on green energy; null if unknown.' })),
    green_status: Type.Enum([...standings], {
      description: 'Source of `green`; `behind_cdn`: a CDN hides the host.',
    }),
    green_via_cdn: nullable(Type.Boolean({ description: 'The CDN runs on green energy.' })),
    hosted_by: nullable(Type.String({ description: 'Host name in the directory of green hosts.' })),
    cdn: labelled('CDN', nullable(Type.String({ description: 'The CDN that answered.' }))),
    carbon_txt: labelled(
      'carbon.txt',
      nullable(Type.String({ description: 'URL of the site’s carbon.txt, from a TXT record or Via header.' })),
    ),
    bytes: labelled(
      'Size of the page',
      nullable(
        Type.Integer({
          description: 'Transferred octets of the response bodies; this and all fields below are null if `blocked`.',
        }),
      ),
    ),
    bytes_complete: nullable(Type.Boolean({ description: 'False if a body was not read completely.' })),
    scope: Type.Enum(['document'], { description: 'The page and its redirects, without subresources.' }),
    co2_grams_per_visit: labelled(
      'Grams of CO₂ per visit',
      nullable(Type.Number({ description: 'Grams of CO2 equivalent for a first visit.' })),
    ),
    rating: nullable(Type.Enum([...ratings], { description: 'Digital Carbon Rating of Sustainable Web Design.' })),
    model: Type.Enum(['swd-v4'], { description: 'Sustainable Web Design model, version 4.' }),
    grid_intensity: labelled(
      'Electricity',
      nullable(Type.Number({ description: 'Grams of CO2 equivalent per kilowatt-hour at the host.' })),
    ),
    grid_country: labelled(
      'Country of the grid',
      nullable(Type.String({ description: 'Country of that grid, ISO 3166-1 alpha-2; null for the world average.' })),
    ),
  },
  { additionalProperties: false },
)
export type Section = Static<typeof Section>
