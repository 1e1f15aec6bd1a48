// Gathers the home page as fetched: the response of every hop, without bodies.
import type { Addresses } from '../addresses/facts.ts'
import type { Gatherer } from '../gatherer.ts'
import type { SiteSetup } from '../site_session/session.ts'
import type { Page } from './facts.ts'

/** Rejects when the target did not respond, and when it has no usable address. */
export default ({ sites }: SiteSetup): Gatherer<Page, { addresses: Addresses }> =>
  context =>
    sites.use(context, async site => (await site.page()).navigation)
