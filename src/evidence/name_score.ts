// How malicious the target's name looks to the name model.
import { NotApplicable } from './decline.ts'
import type { GatherContext } from './gatherer.ts'
import type { NameModel, NameScore } from './name_model/name_model.ts'

export type { NameScore } from './name_model/name_model.ts'

/** An address has no name to look at. `model` reads it when it is first asked. */
export function createNameScoreGatherer(
  model: () => NameModel,
): (context: Pick<GatherContext, 'target'>) => Promise<NameScore> {
  return async ({ target }) => {
    if (target.kind === 'ip') throw new NotApplicable('no_name')
    return model().score(target.domain)
  }
}
