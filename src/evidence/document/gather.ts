// Gathers the home page, which was parsed while it arrived; where a browser ran its scripts, what they made of it.
import type { Addresses } from '../addresses/facts.ts'
import { withoutResponse } from '../facts.ts'
import type { Gatherer } from '../gatherer.ts'
import type { Rendered } from '../rendered/facts.ts'
import type { RenderingSetup } from '../rendered/renderer.ts'
import type { SiteSetup } from '../site_session/session.ts'
import type { Document } from './facts.ts'

/** Rejects when no response came. */
export default ({
  sites,
  rendering,
}: SiteSetup & RenderingSetup): Gatherer<Document, { addresses: Addresses; rendered: Rendered }> =>
  context =>
    sites.use(context, async site => {
      const { navigation, document } = await site.page()
      if (document === null) throw withoutResponse(navigation.failure)
      if (rendering === null) return document
      const rendered = await context.gather('rendered').catch(() => null)
      return rendered?.document ?? document
    })
