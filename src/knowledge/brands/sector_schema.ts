// The format of the brand table: one file for each sector, below `sectors/`.
import { type Static, Type } from 'typebox'
import { dataFile } from '../../base/data_file.ts'

const closed = { additionalProperties: false } as const

const Domain = Type.String({
  pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$',
  maxLength: 253,
})

const Text = Type.String({ minLength: 2, maxLength: 64, pattern: '^\\S+( \\S+)*$' })
const In = Type.Optional(Type.Enum(['names', 'pages'], { description: 'Looked for there only; absent for both.' }))

const BrandWordSchema = Type.Union([
  Type.Object({ text: Text, kind: Type.Enum(['distinctive', 'name']), in: In }, closed),
  Type.Object(
    {
      text: Text,
      kind: Type.Literal('word'),
      language: Type.String({ pattern: '^[a-z]{2}$', description: 'ISO 639-1.' }),
      in: In,
    },
    closed,
  ),
])

export const SectorFile = dataFile({
  brands: Type.Array(
    Type.Object(
      {
        name: Type.String({ minLength: 1, maxLength: 64 }),
        domains: Type.Array(Domain, { minItems: 1, uniqueItems: true }),
        regions: Type.Optional(
          Type.Record(Domain, Type.Array(Domain, { minItems: 1, uniqueItems: true }), {
            description: 'Suffixes under which the brand has registered a label: `amazon` with `co.uk`.',
          }),
        ),
        uploads: Type.Optional(
          Type.Array(Domain, {
            minItems: 1,
            uniqueItems: true,
            description:
              'Where its users and customers store files, at or below its domains: these pages do not show the brand.',
          }),
        ),
        words: Type.Array(BrandWordSchema, { minItems: 1 }),
        family: Type.Optional(Type.Literal(true, { description: 'Many independent owners share the name.' })),
      },
      closed,
    ),
    { minItems: 1 },
  ),
})

export type Sector = Static<typeof SectorFile>
