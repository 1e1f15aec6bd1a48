// The most imitated brands with their domains, including national domains with another name. Read from `sectors/`.
import { type Brand, completeBrand } from './brand.ts'
import type { Sector } from './sector_schema.ts'
import authorities from './sectors/authorities.json' with { type: 'json' }
import banks from './sectors/banks.json' with { type: 'json' }
import crypto from './sectors/crypto.json' with { type: 'json' }
import delivery from './sectors/delivery.json' with { type: 'json' }
import finance from './sectors/finance.json' with { type: 'json' }
import shopping from './sectors/shopping.json' with { type: 'json' }
import social from './sectors/social.json' with { type: 'json' }
import technology from './sectors/technology.json' with { type: 'json' }

/** A test validates the files, so that a start need not. */
const SECTORS = [technology, social, finance, banks, crypto, delivery, shopping, authorities] as readonly Sector[]

const brandOf = ({ name, domains, regions = {}, uploads = [], words, family }: Sector['brands'][number]): Brand =>
  completeBrand({
    name,
    domains: [...new Set([...domains, ...regionalDomains(regions)])],
    uploads,
    brandWords: words,
    family: family === true,
  })

const regionalDomains = (regions: Readonly<Record<string, readonly string[]>>): string[] =>
  Object.entries(regions).flatMap(([label, suffixes]) => suffixes.map(suffix => `${label}.${suffix}`))

export const brands: readonly Brand[] = SECTORS.flatMap(sector => sector.brands.map(brandOf))
