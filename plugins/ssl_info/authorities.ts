// Certificate authorities by the names in their certificates, and the domain names by which each is named in CAA records
// (CA/Browser Forum Baseline Requirements section 4.2.2.1: an authority publishes them in its practice statement).
import { dataFile, TextList, Type } from '../../src/engine/plugin.ts'
import data from './data/authorities.json' with { type: 'json' }

export const AuthoritiesFile = dataFile({
  authorities: Type.Array(
    Type.Object({ organizations: TextList, caa_domains: TextList }, { additionalProperties: false }),
    { minItems: 1 },
  ),
})

/** Spelling differs in case and in punctuation. */
const keyOf = (organization: string): string => organization.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')

const byOrganization: ReadonlyMap<string, readonly string[]> = new Map(
  data.authorities.flatMap(({ organizations, caa_domains }) => organizations.map(name => [keyOf(name), caa_domains])),
)

/** Null for an authority that is not in the table. */
export const caaDomainsOf = (organization: string): readonly string[] | null =>
  byOrganization.get(keyOf(organization)) ?? null
