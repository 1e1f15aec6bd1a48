// Scores the target's name with the name model.
import { NotApplicable } from '../facts.ts'
import type { GatherContext } from '../gatherer.ts'
import type { NameScore } from './facts.ts'
import type { NameModel } from './name_model.ts'

export type { NameScore } from './facts.ts'

/** Not applicable to addresses. `name_model` loads the model on first use. */
export default function createNameScoreGatherer({
  name_model: model,
}: {
  readonly name_model: () => NameModel
}): (context: Pick<GatherContext, 'target'>) => Promise<NameScore> {
  return async ({ target }) => {
    if (target.kind === 'ip') throw new NotApplicable('no_name')
    return model().score(target.domain)
  }
}
