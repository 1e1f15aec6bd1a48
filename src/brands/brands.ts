// The most imitated brands with their domains, including national domains with another name.
import type { Brand, BrandEntry } from './brand.ts'
import { families, phrasesOf } from './phrases.ts'
import { ownTopLevels, regionalDomains } from './regions.ts'
import { authorities } from './table/authorities.ts'
import { banks } from './table/banks.ts'
import { crypto } from './table/crypto.ts'
import { delivery } from './table/delivery.ts'
import { finance } from './table/finance.ts'
import { shopping } from './table/shopping.ts'
import { social } from './table/social.ts'
import { technology } from './table/technology.ts'

const complete = (entry: BrandEntry): Brand => ({
  ...entry,
  domains: [
    ...new Set([...entry.domains, ...(regionalDomains[entry.name] ?? []), ...(ownTopLevels[entry.name] ?? [])]),
  ],
  phrases: phrasesOf(entry.name, entry.everyday),
  family: families.has(entry.name),
})

export const brands: readonly Brand[] = [
  ...technology,
  ...social,
  ...finance,
  ...banks,
  ...crypto,
  ...delivery,
  ...shopping,
  ...authorities,
].map(complete)
