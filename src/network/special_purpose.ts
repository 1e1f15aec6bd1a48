// Address blocks that are not public: the IANA special-purpose registries (RFC 6890) where "globally reachable" is
// false, multicast, blocks that embed IPv4 addresses, and cloud metadata services.

import { type Static, Type } from 'typebox'
import { dataFile } from '../base/data_file.ts'
import { nullable } from '../base/nullable.ts'
import data from './data/special_purpose.json' with { type: 'json' }

const SpecialBlock = Type.Object(
  {
    cidr: Type.String({ pattern: '^[0-9a-f.:]+/\\d{1,3}$' }),
    reason: nullable(Type.String({ pattern: '^[a-z0-9_]+$' }), {
      description: 'Null: globally reachable, although inside a block that is not. The most specific entry decides.',
    }),
  },
  { additionalProperties: false },
)
export type SpecialBlock = Static<typeof SpecialBlock>

export const SpecialPurposeFile = dataFile({ blocks: Type.Array(SpecialBlock, { minItems: 1, uniqueItems: true }) })
export const specialBlocks: readonly SpecialBlock[] = data.blocks
