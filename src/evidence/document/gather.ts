// Gathers the home page, which was parsed while it arrived.
import type { Addresses } from '../addresses/facts.ts'
import { withoutResponse } from '../facts.ts'
import type { Gatherer } from '../gatherer.ts'
import type { SiteSetup } from '../site_session/session.ts'
import type { Document } from './facts.ts'

/** Rejects when no response came. */
export default ({ sites }: SiteSetup): Gatherer<Document, { addresses: Addresses }> =>
  context =>
    sites.use(context, async site => {
      const { navigation, document } = await site.page()
      if (document) return document
      throw withoutResponse(navigation.failure)
    })
