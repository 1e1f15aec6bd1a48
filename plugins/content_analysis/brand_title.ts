// Does a title name a brand whose domain this is not?
import { getDomainWithoutSuffix, getPublicSuffix } from 'tldts'
import { type Brand, brands } from './brands.ts'
import { siteOf } from './text.ts'

/** Letters of other scripts that look Latin: titles are written with them to be read by people and not by filters. */
const LOOK_ALIKES: Readonly<Record<string, string>> = Object.fromEntries(
  'аa вb сc ԁd еe ցg һh іi јj кk мm пn оo рp ԛq ѕs тt уy хx ԝw ѵv αa βb εe ιi κk νv οo ρp τt υu ιi ıi ɡg'
    .split(' ')
    .map(([other = '', latin = '']) => [other, latin]),
)

/** Characters of a title that are read. */
const NAME_LENGTH = 512

/** Lower-case words, accents and look-alikes made plain, each between single spaces. */
export function words(text: string): string {
  const plain = text
    .slice(0, NAME_LENGTH)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}+/gu, '')
    .replace(/[^\x00-\x7f]/g, letter => LOOK_ALIKES[letter] ?? letter)
  return ` ${plain.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()} `
}

type Named = readonly (readonly [name: string, brand: Brand])[]

const namesOf = (list: readonly Brand[]): Named =>
  list.flatMap(brand => brand.names.map(name => [words(name), brand] as const))

const known = namesOf(brands)

/** The first brand, of `others` or known, that the title names, unless the page is at the home of one it names; or null. */
export function foreignBrand(title: string, page: URL, others: readonly Brand[]): Brand | null {
  const said = words(title)
  const named = [...namesOf(others), ...known].filter(([name]) => said.includes(name)).map(([, brand]) => brand)
  return named.some(brand => isHome(brand, page)) ? null : (named[0] ?? null)
}

/** `gov.uk`, `bnpparibas` and `dhl` are public suffixes, and all below them is their holder's. */
const isSuffix = (domain: string): boolean => getPublicSuffix(domain) === domain

/**
 * Whether the page is at the brand's own. A brand's own name under a country's suffix (`amazon.nl`) is taken for its
 * own: large brands register it everywhere, and telling the few others apart needs more than a title.
 */
function isHome({ domains }: Brand, page: URL): boolean {
  const site = siteOf(page)
  if (domains.some(domain => site === domain || (isSuffix(domain) && page.hostname.endsWith(`.${domain}`)))) return true
  const suffix = getPublicSuffix(site) ?? ''
  const label = getDomainWithoutSuffix(site)
  return suffix.split('.').at(-1)?.length === 2 && domains.some(domain => getDomainWithoutSuffix(domain) === label)
}
