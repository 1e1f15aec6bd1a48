// The sites of the lists that name a target, where their operators say why and how an entry is removed.
import { dataFile, type Source, Type } from '../../src/engine/plugin.ts'
import data from './data/list_sites.json' with { type: 'json' }

/** By the beginning of the list's name: operators have several lists. */
export const ListSitesFile = dataFile({
  sites: Type.Array(
    Type.Object(
      { operator: Type.String({ minLength: 1 }), url: Type.String({ pattern: '^https://[!-~]+$' }) },
      { additionalProperties: false },
    ),
    { minItems: 1 },
  ),
})

interface Listed {
  readonly name: string
  readonly listed: boolean | null
}

/** Sources in a report that a section may have for its lists. */
const MOST = 6

/** One for each operator whose list names the target. */
export function listSources(lists: readonly Listed[]): readonly Source[] {
  const hits = lists.filter(one => one.listed === true)
  return data.sites
    .filter(({ operator }) => hits.some(({ name }) => name.startsWith(operator)))
    .slice(0, MOST)
    .map(({ operator, url }) => ({ label: operator, url }))
}
