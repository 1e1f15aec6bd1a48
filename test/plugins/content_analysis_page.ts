// A page judged by content_analysis: only what a case is about needs to be said.
import type { Static } from 'typebox'
import plugin from '../../plugins/content_analysis/index.ts'
import type { Section } from '../../plugins/content_analysis/section.ts'
import type { Document, Finding } from '../../src/engine/plugin.ts'
import type { Page } from '../../src/evidence/page/facts.ts'
import type { Served } from '../../src/evidence/served/facts.ts'
import { documentOf, pageOf } from '../../src/testing/page_of.ts'
import { EXAMPLE } from '../engine/engine_of.ts'

export const served = (url: string, kind: Served['kind'] = 'page'): Served => ({
  url,
  status: kind === 'error' ? 404 : 200,
  chain: [],
  kind,
  rule: kind === 'page' || kind === 'error' ? null : 'rule',
  failure: null,
  cut: null,
})

export const linksTo = (...hrefs: string[]): Document['anchors'] => hrefs.map(href => ({ href, text: '', rel: [] }))

type ContentSection = Static<typeof Section>

/** Nothing is known of the page's name. */
export const NAME_UNSEEN = { tls: null, addresses: null, location: null, registration: null, icon: null } as const

export function findingOf(
  document: Partial<Document> | null,
  {
    kind = 'page',
    brands = [],
    page = pageOf({ url: document?.url ?? 'https://example.com/' }),
  }: {
    kind?: Served['kind']
    brands?: never[] | { brand: string; names: string[]; domains: string[] }[]
    page?: Page
  } = {},
): Finding<ContentSection, string> {
  const whole = document && documentOf(document)
  return plugin.analyze(
    { served: served(whole?.url ?? 'https://example.com/', kind), document: whole, page, ...NAME_UNSEEN },
    { target: EXAMPLE, options: { brands }, missing: {}, now: new Date('2026-11-20T12:00:00Z') },
  )
}

/** The completed section. Throws when there is none. */
export function sectionOf(...asked: Parameters<typeof findingOf>): ContentSection {
  const finding = findingOf(...asked)
  if (!('section' in finding)) throw new Error(`no section: ${JSON.stringify(finding)}`)
  return finding.section
}

/** Ids of the signals, as found. */
export const signalsOf = (...asked: Parameters<typeof findingOf>): string[] =>
  (findingOf(...asked).signals ?? []).map(({ id }) => id)
