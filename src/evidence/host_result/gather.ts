// The front page's result is given to a check by who has a cache, and is never fetched for it.
import { NotApplicable } from '../facts.ts'
import type { Gatherer } from '../gatherer.ts'
import type { HostResult } from './facts.ts'

/** Called when no result was given. */
const gatherHostResult: Gatherer<HostResult> = async ({ target }) => {
  throw new NotApplicable(target.url === null ? 'no_url' : 'not_cached')
}

export default () => gatherHostResult
