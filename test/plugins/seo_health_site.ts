// A site judged by seo_health: a page without fault, but for what a case is about.
import type { Static } from 'typebox'
import plugin from '../../plugins/seo_health/index.ts'
import type { Section } from '../../plugins/seo_health/section.ts'
import type { CrawlFiles, Document, Entrance, Entrances, Finding } from '../../src/engine/plugin.ts'
import type { ServedKind } from '../../src/evidence/served/facts.ts'
import { describeServed } from '../../src/evidence/served/gather.ts'
import { documentOf, pageOf, type ResponseGiven } from '../../src/testing/page_of.ts'
import { EXAMPLE } from '../engine/engine_of.ts'

type Robots = CrawlFiles['robots']
type Sitemap = CrawlFiles['sitemaps'][number]

export const robotsOf = (text: string | null, status: Robots['status'] = 'found'): Robots => ({
  url: 'https://example.com/robots.txt',
  status,
  reason: status === 'unknown' ? 'timeout' : null,
  text,
})

export const sitemapOf = (parts: Partial<Sitemap> = {}): Sitemap => ({
  url: 'https://example.com/sitemap.xml',
  status: 'found',
  reason: null,
  root: 'urlset',
  gzip: false,
  ...parts,
})

/** What answers at http://example.com/ and http://www.example.com/: statuses, null where nothing does. */
export function entrancesOf(http: number | null, www: number | null): Entrances {
  const entrance = (host: string, status: number | null): Entrance => ({
    url: `http://${host}/`,
    status,
    failure: status === null ? 'refused' : null,
    location: status === 301 ? 'https://example.com/' : null,
  })
  return { http: entrance('example.com', http), www: entrance('www.example.com', www) }
}

export const meta = (name: string, content: string) => ({ name, content })
export const link = (rel: string, href: string, hreflang: string | null = null): Document['links'][number] => ({
  rel: [rel],
  href,
  hreflang,
  type: null,
})

/** Nothing is to be said against it. */
export const sound: Partial<Document> = {
  title: 'Acme: tools for every workshop',
  lang: 'en-GB',
  metas: [
    meta('description', 'Hand tools and machines for every workshop, made in our own factory since 1911.'),
    meta('viewport', 'width=device-width, initial-scale=1'),
  ],
  links: [link('canonical', 'https://example.com/')],
  headings: [{ level: 1, text: 'Tools' }],
  text: 'word '.repeat(80),
}

/** Metas of the sound page, with this one instead of its namesake. */
export const withMeta = (name: string, content: string | null): Partial<Document> => ({
  metas: [...(sound.metas ?? []).filter(one => one.name !== name), ...(content === null ? [] : [meta(name, content)])],
})

export interface Site {
  readonly document?: Partial<Document> | null
  readonly responses?: readonly ResponseGiven[]
  readonly robots?: Robots
  readonly sitemaps?: readonly Sitemap[]
  /** Null when neither could be asked for. */
  readonly crawl?: null
  /** Both redirect if absent. Null when they could not be asked. */
  readonly entrances?: Entrances | null
  readonly kind?: ServedKind
  readonly crawler?: string
}

export type SeoSection = Static<typeof Section>

export function findingOf(site: Site): Finding<SeoSection, never> {
  const { responses = [{}], robots = robotsOf(''), sitemaps = [sitemapOf()], crawler = 'Googlebot' } = site
  const page = pageOf(...responses)
  const url = page.exchanges.at(-1)?.url ?? ''
  const document = site.document === null ? null : documentOf({ ...sound, url, ...site.document })
  const served = describeServed(page, document)
  return plugin.analyze(
    {
      page,
      document,
      served: site.kind ? { ...served, kind: site.kind } : served,
      crawl_files: site.crawl === null ? null : { robots, sitemaps },
      entrances: site.entrances === undefined ? entrancesOf(301, 301) : site.entrances,
    },
    { target: EXAMPLE, options: { crawler }, missing: {}, now: new Date('2026-11-20T12:00:00Z') },
  )
}

/** The completed section. Throws when there is none. */
export function sectionOf(site: Site): SeoSection {
  const finding = findingOf(site)
  if (!('section' in finding)) throw new Error(`no section: ${JSON.stringify(finding)}`)
  return finding.section
}

export const codesOf = (site: Site): string[] => sectionOf(site).issues?.map(({ code }) => code) ?? []
