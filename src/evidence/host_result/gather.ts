// The caller of a check passes the front page's result from its cache; it is never gathered.
import { NotApplicable } from '../facts.ts'
import type { Gatherer } from '../gatherer.ts'
import type { HostResult } from './facts.ts'

/** Called when no result was given. */
const gatherHostResult: Gatherer<HostResult> = async ({ target }) => {
  throw new NotApplicable(target.url === null ? 'no_url' : 'not_cached')
}

export default () => gatherHostResult
