// The blocklists that assay knows.
import { type Static, Type } from 'typebox'
import { dataFile } from '../../base/data_file.ts'
import { BLOCKLIST_CATEGORIES, STRENGTHS } from '../../knowledge/datasets/held.ts'
import { type BlockList, blockList } from './block_list.ts'
import known from './known_lists.json' with { type: 'json' }

const closed = { additionalProperties: false } as const
const text = Type.String({ minLength: 1 })
const octets = Type.String({ pattern: '^127(\\.(\\d{1,3}|\\*)){3}$' })
const names = Type.Array(text, { uniqueItems: true })
const meaning = {
  meaning: Type.String({ minLength: 1, description: 'What the operator says that the listing means.' }),
  category: Type.Enum([...BLOCKLIST_CATEGORIES]),
  strength: Type.Enum([...STRENGTHS], {
    description: 'How strongly a listing counts against the target.',
  }),
}

const KnownList = Type.Object(
  {
    id: Type.String({ pattern: '^[a-z0-9][a-z0-9_]*$', description: 'The name in configuration and results.' }),
    name: text,
    zone: text,
    asks: Type.Array(Type.Enum(['ipv4', 'ipv6', 'host', 'registrable']), { minItems: 1, uniqueItems: true }),
    codes: Type.Optional(
      Type.Array(Type.Object({ answers: Type.Array(octets, { minItems: 1, uniqueItems: true }), ...meaning }, closed), {
        description: 'By answer; the first that fits counts, `*` fits any octet.',
      }),
    ),
    bits: Type.Optional(
      Type.Array(Type.Object({ bit: Type.Enum([2, 4, 8, 16, 32, 64, 128]), ...meaning }, closed), {
        description: 'By bit of the last octet, for lists that combine answers as a bit mask.',
      }),
    ),
    errors: Type.Optional(Type.Record(octets, text, { additionalProperties: false, description: 'Error answers.' })),
    test_points: Type.Optional(
      Type.Object(
        { listed: names, unlisted: names },
        { ...closed, description: 'Names always and never listed, if they differ from RFC 5782 section 5.' },
      ),
    ),
    refuses_public_resolvers: Type.Optional(Type.Literal(true)),
    daily: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'Queries per UTC day that the operator allows; absent without a limit.',
      }),
    ),
    terms: Type.String({ minLength: 1, description: 'Who may use the list.' }),
    off: Type.Optional(
      Type.String({ minLength: 1, description: 'Why it is disabled by default; absent when it is enabled.' }),
    ),
  },
  closed,
)
export const KnownListsFile = dataFile({ lists: Type.Array(KnownList, { minItems: 1 }) })

export const knownLists: readonly BlockList[] = (known.lists as readonly Static<typeof KnownList>[]).map(
  ({ codes = [], bits = [], ...list }) =>
    blockList({
      ...list,
      codes: Object.fromEntries(codes.flatMap(({ answers, ...means }) => answers.map(answer => [answer, means]))),
      bits: Object.fromEntries(bits.map(({ bit, ...means }) => [bit, means])),
    }),
)
