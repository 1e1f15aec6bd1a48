// Runs an analyzer of the web on a visit written out in a test.

import type { AnalysisContext, Finding } from '../../src/engine/plugin.ts'
import type { Document } from '../../src/evidence/document/facts.ts'
import type { Entrances } from '../../src/evidence/entrances/facts.ts'
import type { HstsPreload } from '../../src/evidence/hsts_preload/facts.ts'
import type { Page } from '../../src/evidence/page/facts.ts'
import { describeServed } from '../../src/evidence/served/gather.ts'
import type { Tls } from '../../src/evidence/tls/facts.ts'
import { documentOf } from '../../src/testing/page_of.ts'
import { EXAMPLE } from '../engine/engine_of.ts'

type Web = {
  readonly page: Page
  readonly served: ReturnType<typeof describeServed>
  readonly document: Document | null
  readonly entrances: Entrances | null
  readonly tls: Tls | null
  readonly hsts_preload: HstsPreload | null
}

export const NOW = new Date('2026-11-20T12:00:00Z')

/** The finding of an analyzer that needs the page and what it is; the document is an empty one unless given. */
export function find<Section, Id extends string>(
  analyze: (evidence: Web, context: AnalysisContext<never>) => Finding<Section, Id>,
  page: Page,
  document: Document | null = documentOf(),
  target = EXAMPLE,
  entrances: Entrances | null = null,
  tls: Tls | null = null,
  hsts_preload: HstsPreload | null = null,
  missing: AnalysisContext<never>['missing'] = {},
): Finding<Section, Id> {
  const served = describeServed(page, document)
  return analyze(
    { page, served, document, entrances, tls, hsts_preload },
    { target, missing, now: NOW, options: {} as never },
  )
}

/** The section of a finding that has one. */
export function sectionOf<Section>(finding: Finding<Section, string>): Section {
  if (!('section' in finding)) throw new Error(`no section: ${JSON.stringify(finding)}`)
  return finding.section
}

/** Ids of the signals, in order. */
export const idsOf = (finding: Finding<unknown, string>): string[] => (finding.signals ?? []).map(({ id }) => id)
