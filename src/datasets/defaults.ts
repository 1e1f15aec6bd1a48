// Well-known free sources. Those that need a key, forbid commercial use or leave their terms unsaid are off, and say why.
import type { Dataset } from './dataset.ts'
import { knownDatabases } from './known/databases.ts'
import { knownFeeds } from './known/feeds.ts'
import { knownPopularity } from './known/popularity.ts'

/** Those of one use in order of preference. */
export const knownDatasets: readonly Dataset[] = [...knownFeeds, ...knownPopularity, ...knownDatabases]
