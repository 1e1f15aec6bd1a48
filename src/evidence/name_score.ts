// How malicious the target's name looks to the name model.
import type { GatherContext } from '../engine/gather.ts'
import { NotApplicable } from '../engine/outcome.ts'
import type { NameModel, NameScore } from './name_model/name_model.ts'

export type { NameScore } from './name_model/name_model.ts'

/** An address has no name to look at. */
export function createNameScoreGatherer(
  model: NameModel,
): (context: Pick<GatherContext, 'target'>) => Promise<NameScore> {
  return async ({ target }) => {
    if (target.kind === 'ip') throw new NotApplicable('no_name')
    return model.score(target.domain)
  }
}
