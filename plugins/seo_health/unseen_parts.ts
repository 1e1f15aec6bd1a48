// What the issues depend on and was not seen: the score could be any without it.
import { type CrawlFiles, type Entrance, type Entrances, isSilence, notFetched } from '../../src/engine/plugin.ts'

/** The reasons why something is unknown; none if everything was seen. `missing` has those of evidence that is null. */
export function unseenParts(
  crawl: CrawlFiles | null,
  entrances: Entrances | null,
  missing: { readonly entrances?: { readonly reason: string } },
): string[] {
  return [
    ...(crawl === null ? ['no_crawl_files'] : unreadFiles(crawl)),
    ...(entrances === null
      ? [`entrances_${missing.entrances?.reason ?? 'no_response'}`]
      : [...silentEntrance('plain_http', entrances.http), ...silentEntrance('other_host', entrances.www)]),
  ]
}

const unreadFiles = ({ robots, sitemaps }: CrawlFiles): string[] =>
  [notFetched('robots_txt', robots), ...sitemaps.map(sitemap => notFetched('sitemap', sitemap))].filter(
    reason => reason !== null,
  )

/** A closed port, a name that does not exist and a broken answer are known to serve no page. */
const silentEntrance = (name: string, entrance: Entrance | null): string[] =>
  entrance !== null && entrance.status === null && isSilence(entrance.failure ?? 'no_response')
    ? [`${name}_${entrance.failure ?? 'no_response'}`]
    : []
