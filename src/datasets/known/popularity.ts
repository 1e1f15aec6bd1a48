// Lists of the most visited domains, the first first.
import { type Dataset, dataset } from '../dataset.ts'
import { noKey, notCommercial, unstated } from './off.ts'

export const knownPopularity: readonly Dataset[] = [
  dataset({
    id: 'majestic_million',
    name: 'Majestic Million',
    use: 'popularity',
    url: 'https://downloads.majestic.com/majestic_million.csv',
    column: 'Domain',
    min_entries: 100_000,
    terms: 'CC BY 3.0: name Majestic where results are shown',
  }),
  dataset({
    id: 'tranco',
    name: 'Tranco',
    use: 'popularity',
    url: 'https://tranco-list.eu/top-1m.csv.zip',
    column: 1,
    min_entries: 100_000,
    terms: 'made of other lists, each with terms of its own',
    off: 'Cloudflare Radar, one of the lists in it, forbids commercial use',
  }),
  dataset({
    id: 'umbrella',
    name: 'Cisco Umbrella',
    use: 'popularity',
    url: 'https://s3-us-west-1.amazonaws.com/umbrella-static/top-1m.csv.zip',
    column: 1,
    min_entries: 100_000,
    terms: 'free of charge; terms are not stated',
    off: unstated,
  }),
  dataset({
    id: 'cloudflare_radar',
    name: 'Cloudflare Radar',
    use: 'popularity',
    column: 'domain',
    terms: 'CC BY-NC 4.0',
    off: `${notCommercial}, and it ${noKey}`,
  }),
]
