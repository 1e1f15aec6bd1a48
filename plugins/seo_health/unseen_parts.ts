// What the issues depend on and was not seen: the score could be any without it.
import { type CrawlFiles, type Entrances, notFetched, unheard } from '../../src/engine/plugin.ts'

/** The reasons why something is unknown; none if everything was seen. `missing` has those of evidence that is null. */
export function unseenParts(
  crawl: CrawlFiles | null,
  entrances: Entrances | null,
  missing: { readonly entrances?: { readonly reason: string } },
): string[] {
  const ofEntrances =
    entrances === null
      ? [`entrances_${missing.entrances?.reason ?? 'no_response'}`]
      : [unheard('plain_http', entrances.http.failure), unheard('other_host', entrances.www?.failure)]
  return [...(crawl === null ? ['no_crawl_files'] : unreadFiles(crawl)), ...ofEntrances].filter(
    reason => reason !== null,
  )
}

const unreadFiles = ({ robots, sitemaps }: CrawlFiles): (string | null)[] => [
  notFetched('robots_txt', robots),
  ...sitemaps.map(sitemap => notFetched('sitemap', sitemap)),
]
