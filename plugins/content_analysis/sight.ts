// What the detectors of content_analysis read of a page, and what they find.
import type { Document, Refresh, WayOn } from '../../src/engine/plugin.ts'
import type { Sights } from './brand_sights.ts'
import type { SeenForm } from './forms.ts'
import type { PageFacts } from './page_model/facts.ts'
import type { PageJudgement } from './page_model/judge.ts'
import type { PresentedBrand } from './presented.ts'

/** The page facts that the detectors read. */
export interface Sight {
  readonly page: URL
  readonly document: Document
  /** Something stands in place of the site’s page: a challenge, a block page or a parked name. */
  readonly blocked: boolean
  readonly forms: readonly SeenForm[]
  readonly refresh: Refresh | null
  /** Where the page that was looked at first led every visitor, if that was followed; null if it was not. */
  readonly onward: Onward | null
  readonly sights: Sights
  /** The brand as which the page presents itself; null without one. */
  readonly presented: PresentedBrand | null
  /** The page gives a name of its own that fits its host. */
  readonly isNamed: boolean
  readonly facts: PageFacts
  readonly judgement: PageJudgement
}

/** By a refresh, a script, or a frame that fills the window. */
export interface Onward {
  readonly from: URL
  readonly to: URL
  readonly by: WayOn['by']
  readonly seconds: number
}
