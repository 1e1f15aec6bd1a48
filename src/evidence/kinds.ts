// The kinds of evidence, one line each: the name and the module that gathers it. The types of evidence, the table of
// gatherers and the schema of recordings derive from this list. Gatherers are loaded when a service starts, not when
// only types are needed.
import type { Gatherer } from './gatherer.ts'

const kinds = {
  addresses: () => import('./addresses/gather.ts'),
  dns: () => import('./dns/gather.ts'),
  mail_records: () => import('./mail_records/gather.ts'),
  mail_servers: () => import('./mail_servers/gather.ts'),
  name_servers: () => import('./name_servers/gather.ts'),
  tls: () => import('./tls/gather.ts'),
  tls_offer: () => import('./tls_offer/gather.ts'),
  page: () => import('./page/gather.ts'),
  document: () => import('./document/gather.ts'),
  rendered: () => import('./rendered/gather.ts'),
  served: () => import('./served/gather.ts'),
  entrances: () => import('./entrances/gather.ts'),
  hsts_preload: () => import('./hsts_preload/gather.ts'),
  crawl_files: () => import('./crawl_files/gather.ts'),
  icon: () => import('./icon/gather.ts'),
  security_txt: () => import('./security_txt/gather.ts'),
  location: () => import('./location/gather.ts'),
  listings: () => import('./listings/gather.ts'),
  feeds: () => import('./feeds/gather.ts'),
  redirect_listings: () => import('./redirect_listings/gather.ts'),
  operator_lists: () => import('./operator_lists/gather.ts'),
  popularity: () => import('./popularity/gather.ts'),
  registration: () => import('./registration/gather.ts'),
  ip_network: () => import('./ip_network/gather.ts'),
  name_score: () => import('./name_score/gather.ts'),
  reverse_names: () => import('./reverse_names/gather.ts'),
  green_hosting: () => import('./green_hosting/gather.ts'),
  host_result: () => import('./host_result/gather.ts'),
  first_seen: () => import('./first_seen/gather.ts'),
}

type Kinds = typeof kinds
type Create<Name extends keyof Kinds> = Awaited<ReturnType<Kinds[Name]>>['default']

/** The kinds that the service gathers itself. */
export type BuiltInEvidence = { [Name in keyof Kinds]: Awaited<ReturnType<ReturnType<Create<Name>>>> }

export const builtInEvidence: readonly string[] = Object.keys(kinds)

export type Gatherers = { readonly [Name in keyof BuiltInEvidence]: Gatherer<BuiltInEvidence[Name], BuiltInEvidence> }

type Intersection<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never

/** The setup that the gatherers need: each declares its part as the parameter of its default export. */
export type GathererSetup = Intersection<{ [Name in keyof Kinds]: Parameters<Create<Name>>[0] & object }[keyof Kinds]>

/** Loads all built-in gatherers. An extension's earlier `stage` overrides any of them. */
export async function loadGatherers(setup: GathererSetup): Promise<Gatherers> {
  const gathererEntries = await Promise.all(
    Object.entries(kinds).map(async ([name, load]) => {
      const create = (await load()).default as (setup: GathererSetup) => unknown
      return [name, create(setup)] as const
    }),
  )
  return Object.fromEntries(gathererEntries) as Gatherers
}
