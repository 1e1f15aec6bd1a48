// Gathers whether the page's host is on the HSTS preload list, from the dataset.
import type { PreloadList } from '../../knowledge/datasets/held.ts'
import { NOT_CONFIGURED, NotApplicable, Unavailable } from '../facts.ts'
import type { Gatherer } from '../gatherer.ts'
import type { Page } from '../page/facts.ts'
import type { HstsPreload } from './facts.ts'

/**
 * Rejects with `Unavailable` (`not_configured`) without a current list: a list that is still loading counts as missing.
 * Browsers preload no addresses, so these are not applicable.
 */
export default function createHstsPreloadGatherer({
  hsts_preload: current,
}: {
  readonly hsts_preload: () => PreloadList | null
}): Gatherer<HstsPreload, { page: Page }> {
  return async ({ target, gather }) => {
    if (target.kind === 'ip') throw new NotApplicable('no_name')
    const list = current()
    if (list === null) throw new Unavailable(NOT_CONFIGURED)
    const last = (await gather('page')).exchanges.at(-1)
    const host = last !== undefined && URL.canParse(last.url) ? new URL(last.url).hostname : target.domain
    return { host, preloaded: list.has(host) }
  }
}
