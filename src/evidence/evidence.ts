// All evidence that analyzers can read, by name, and its types. A plugin package with its own source adds a kind by
// declaration merging, `declare module 'assay/plugin' { interface Evidence { my_source: MySource } }`, and lists it in
// its extension's `provides`.
import type { GatherContext as Context } from './gatherer.ts'
import type { BuiltInEvidence } from './kinds.ts'

export type * from './addresses/facts.ts'
export type * from './crawl_files/facts.ts'
export type * from './dns/facts.ts'
export type * from './document/facts.ts'
export type * from './entrances/facts.ts'
export type * from './feeds/facts.ts'
export type * from './first_seen/facts.ts'
export type * from './green_hosting/facts.ts'
export type * from './host_result/facts.ts'
export type * from './hsts_preload/facts.ts'
export type * from './icon/facts.ts'
export type * from './ip_network/facts.ts'
export type { BuiltInEvidence, Gatherers } from './kinds.ts'
export { builtInEvidence } from './kinds.ts'
export type * from './listings/facts.ts'
export type * from './location/facts.ts'
export type * from './mail_records/facts.ts'
export type * from './mail_servers/facts.ts'
export type * from './name_score/facts.ts'
export type * from './name_servers/facts.ts'
export type * from './operator_lists/facts.ts'
export type * from './page/facts.ts'
export type * from './popularity/facts.ts'
export type * from './redirect_listings/facts.ts'
export type { Registration } from './registration/facts.ts'
export type { Rendered, Screenshot } from './rendered/facts.ts'
export type * from './reverse_names/facts.ts'
export type { RedirectHop, Served, ServedKind } from './served/facts.ts'
export type * from './tls/facts.ts'
export type * from './tls_offer/facts.ts'

export interface Evidence extends BuiltInEvidence {}

export type EvidenceName = keyof Evidence

/** The context of a gatherer, with access to all evidence. */
export interface GatherContext extends Context<Evidence> {}

/** Gathers the kind of evidence with this name. */
export type Gatherer<Name extends EvidenceName> = (context: GatherContext) => Promise<Evidence[Name]>
