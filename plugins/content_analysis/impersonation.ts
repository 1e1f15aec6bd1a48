// Signals about brands: the page poses as one, shows one, or is on a name that its owner owns.
import type { Brand, Raised } from '../../src/engine/plugin.ts'
import { actsIn, toldBy } from './acts.ts'
import type { SightPlace } from './brand_sights.ts'
import { walletPhrase } from './lures.ts'
import { asksForSecret } from './page_model/asks.ts'
import type { PageFacts } from './page_model/facts.ts'
import { MARKS, type PresentedBrand } from './presented.ts'
import type { Sight } from './sight.ts'
import { siteOf } from './text.ts'

const PLACE_NAMES: Readonly<Record<SightPlace, string>> = {
  title: 'title',
  heading: 'headings',
  text: 'text',
  image: 'pictures',
  resource: 'files',
  link: 'links',
  address: 'stated address',
  copyright: 'description',
  button: 'buttons',
}

const domainsOf = ({ name, domains }: Brand): string =>
  `${name} uses the domains ${domains
    .filter(domain => domain.includes('.'))
    .slice(0, 3)
    .join(', ')}.`

/** A wallet's phrase is asked for in fields that say nothing, below a text that does. */
const wantsSecret = (facts: PageFacts): boolean => asksForSecret(facts.asks) || walletPhrase(facts) !== null

/** A page that asks for a secret as a brand. What only reports on a brand, sells or explains it does not. */
export function impersonatedBrand(sight: Sight): Raised | null {
  const { presented, page, sights } = sight
  if (presented === null || !wantsSecret(sight.facts)) return null
  const { brand, marks } = presented
  const where = marks.map(mark => MARKS[mark]).join(', ')
  const places = sights.shown.find(one => one.brand === brand)?.places ?? []
  return {
    detail: `The page asks for a secret and presents itself as ${brand.name} (${where}). ${domainsOf(brand)}`,
    evidence: { brand: brand.name, site: siteOf(page), places: [...places], marks: [...marks] },
  }
}

/** The owner of a brand owns the name, by the proof in the sights. */
export function ownedByBrand({ sights: { owner } }: Sight): Raised | null {
  if (owner === null) return null
  const { brand, proof, detail, evidence } = owner
  return { detail, evidence: { brand: brand.name, proof, ...evidence } }
}

/** Marks that lone pictures and lines of makers do not leave. */
const isSignIn = ({ marks }: PresentedBrand): boolean =>
  marks.includes('login') || marks.includes('title') || marks.length >= 2

/** The first step of a brand's log-in: it asks who one is, and the next page for the secret. */
export function brandSignIn(sight: Sight): Raised | null {
  const { presented, page, facts } = sight
  const { visible, fields } = facts.asks
  if (presented === null || wantsSecret(facts) || !isSignIn(presented)) return null
  if (presented.own?.fitsHost === true || visible === 0) return null
  if (visible <= fields.search && fields.account === 0) return null
  const { brand, marks } = presented
  const where = marks.map(mark => MARKS[mark]).join(', ')
  return {
    detail: `The page asks who its visitors are and presents itself as ${brand.name} (${where}). ${domainsOf(brand)}`,
    evidence: { brand: brand.name, site: siteOf(page), marks: [...marks] },
  }
}

/** A brand's look, and something to do, before anything is asked for. */
export function brandLure(sight: Sight): Raised | null {
  const { presented, page, facts } = sight
  if (presented === null || presented.own?.fitsHost === true) return null
  if (wantsSecret(facts) || brandSignIn(sight) !== null) return null
  const acts = actsIn(toldBy(facts))
  if (acts.length === 0) return null
  const { brand, marks } = presented
  const where = marks.map(mark => MARKS[mark]).join(', ')
  const says = acts.map(act => act.says).join(' and to ')
  return {
    detail: `The page presents itself as ${brand.name} (${where}) and tells visitors to ${says}. ${domainsOf(brand)}`,
    evidence: { brand: brand.name, site: siteOf(page), marks: [...marks], acts: acts.map(({ id }) => id) },
  }
}

/** A title is what a visitor reads first. */
export function brandInTitle(sight: Sight): Raised | null {
  const { foreign } = sight.sights
  if (
    foreign === null ||
    !foreign.places.has('title') ||
    impersonatedBrand(sight) !== null ||
    brandSignIn(sight) !== null ||
    brandLure(sight) !== null
  )
    return null
  const { brand, places } = foreign
  const where = [...places].map(place => PLACE_NAMES[place]).join(', ')
  return {
    detail: `The page shows ${brand.name} in its ${where}. ${domainsOf(brand)}`,
    evidence: { brand: brand.name, site: siteOf(sight.page), places: [...places] },
  }
}
