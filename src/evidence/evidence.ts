// Every kind of evidence there is, by name. A plugin package with a source of its own adds a kind by declaration
// merging: `declare module 'assay/plugin' { interface Evidence { my_source: MySource } }`.
import type { Addresses } from './addresses.ts'
import type { CrawlFiles } from './crawl_files.ts'
import type { Dns } from './dns.ts'
import type { Document } from './document.ts'
import type { Entrances } from './entrances.ts'
import type { Feeds } from './feeds.ts'
import type { GreenHosting } from './green_hosting.ts'
import type { IpNetwork } from './ip_network.ts'
import type { Listings } from './listings.ts'
import type { Location } from './location.ts'
import type { MailRecords } from './mail_records.ts'
import type { NameScore } from './name_score.ts'
import type { Page } from './page.ts'
import type { Popularity } from './popularity.ts'
import type { Registration } from './registration.ts'
import type { ReverseNames } from './reverse_names.ts'
import type { Served } from './served.ts'
import type { Tls } from './tls.ts'

export type * from './addresses.ts'
export type * from './crawl_files.ts'
export type * from './dns.ts'
export type * from './document.ts'
export type * from './entrances.ts'
export type * from './feeds.ts'
export type * from './green_hosting.ts'
export type * from './ip_network.ts'
export type * from './listings.ts'
export type * from './location.ts'
export type * from './mail_records.ts'
export type * from './name_score.ts'
export type * from './page.ts'
export type * from './popularity.ts'
export type * from './registration.ts'
export type * from './reverse_names.ts'
export type * from './served.ts'
export type * from './tls.ts'

/** What the service gathers itself. */
export interface BuiltInEvidence {
  addresses: Addresses
  dns: Dns
  mail_records: MailRecords
  tls: Tls
  page: Page
  document: Document
  served: Served
  entrances: Entrances
  crawl_files: CrawlFiles
  location: Location
  listings: Listings
  feeds: Feeds
  popularity: Popularity
  registration: Registration
  ip_network: IpNetwork
  name_score: NameScore
  reverse_names: ReverseNames
  /** Absent where no gatherer of it is installed. */
  green_hosting: GreenHosting
}

export interface Evidence extends BuiltInEvidence {}

export type EvidenceName = keyof Evidence
