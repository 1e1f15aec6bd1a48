// Suffixes and domains where a brand name has a different meaning.
import { dataFile, TextList } from '../../../src/engine/plugin.ts'
import data from '../data/places.json' with { type: 'json' }

export const PlacesFile = dataFile({ own_pages: TextList, carriers: TextList })

/** Platforms where brands publish their own pages: code, manuals and shops. */
export const ownPages: ReadonlySet<string> = new Set(data.own_pages)

/** CDNs that carry customer sites under the customer's whole name, and sites that describe domain names. */
export const carriers: ReadonlySet<string> = new Set(data.carriers)
