// The hosts of others that the page brings visitors into contact with, and what for.
import { type Document, printable } from '../../src/engine/plugin.ts'
import type { Catalogue } from './catalogue.ts'
import type { TechnologyCategory } from './categories.ts'
import { ceilingOf, namesHost } from './provenance.ts'
import { absolute, type ClueSubject, relationOf, siteTeller } from './subjects.ts'

/** What the page does with files of a host, from what can do most to what can do least. */
export const uses = ['script', 'frame', 'form', 'style', 'picture', 'file', 'hint'] as const
export type ThirdPartyUse = (typeof uses)[number]

export interface ThirdParty {
  readonly host: string
  readonly uses: readonly ThirdPartyUse[]
  /** Technologies and services that its files show. */
  readonly technologies: readonly string[]
  readonly purposes: readonly TechnologyCategory[]
}

interface ThirdPartyReference {
  readonly url: string
  readonly use: ThirdPartyUse
}

const HOST_LENGTH = 253
const STYLE = 'stylesheet'

/** A link that is neither loaded nor announced leads to another page, which nobody visits by itself. */
function linkUse(rel: readonly string[]): ThirdPartyUse[] {
  if (rel.includes(STYLE)) return ['style']
  const relation = relationOf(rel)
  return relation === 'loaded' ? ['file'] : relation === 'hint' ? ['hint'] : []
}

function references({ scripts, links, iframes, forms, look, ...page }: Document): readonly ThirdPartyReference[] {
  const base = page.base ?? page.url
  const of = (use: ThirdPartyUse) => (url: string) => ({ url: absolute(url, base), use })
  return [
    ...scripts.flatMap(({ src }) => src ?? []).map(of('script')),
    ...iframes.map(of('frame')),
    ...forms.flatMap(({ action }) => action ?? []).map(of('form')),
    ...links.flatMap(({ rel, href }) => linkUse(rel).map(use => of(use)(href))),
    ...(look?.images ?? []).map(({ src }) => src).map(of('picture')),
  ]
}

/** Of `http` and `https` alone; null for others, such as pictures in the page itself. */
function hostOf(url: string): string | null {
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return null
  const { hostname } = new URL(url)
  return hostname === '' || hostname.length > HOST_LENGTH ? null : printable(hostname)
}

interface UseTally {
  readonly uses: Set<ThirdPartyUse>
  readonly technologies: Map<string, TechnologyCategory>
}

/** Each host that is not of the page's site, those that can do most first, then by name. */
export function thirdParties(document: Document, catalogue: Catalogue): readonly ThirdParty[] {
  const siteOf = siteTeller(document.url)
  const parties = new Map<string, UseTally>()
  for (const { url, use } of references(document)) {
    const host = hostOf(url)
    if (host === null || siteOf(url, use === 'frame' || use === 'form') === 'own') continue
    const party = parties.get(host) ?? { uses: new Set(), technologies: new Map() }
    parties.set(host, party)
    party.uses.add(use)
    for (const [name, category] of technologiesOf(url, use, catalogue)) party.technologies.set(name, category)
  }
  const rank = ({ uses: own }: ThirdParty) => Math.min(...own.map(use => uses.indexOf(use)))
  return [...parties]
    .map(([host, tally]) => ({
      host,
      uses: uses.filter(use => tally.uses.has(use)),
      technologies: [...tally.technologies.keys()].sort(),
      purposes: [...new Set(tally.technologies.values())].sort(),
    }))
    .sort((a, b) => rank(a) - rank(b) || (a.host < b.host ? -1 : 1))
}

const relations = {
  script: 'loaded',
  style: 'loaded',
  file: 'loaded',
  picture: 'loaded',
  frame: 'framed',
  hint: 'hint',
  form: 'linked',
} as const satisfies Record<ThirdPartyUse, ClueSubject['relation']>

/** Only patterns that name a host: a file's name says what it is, not whose host it is on. */
function technologiesOf(
  url: string,
  use: ThirdPartyUse,
  catalogue: Catalogue,
): readonly (readonly [string, TechnologyCategory])[] {
  const place = use === 'form' ? 'form' : 'resource'
  const subject: ClueSubject = { place, name: '', text: url, relation: relations[use], site: 'foreign' }
  return catalogue.match(place, '', url).flatMap(({ clue: { technology, pattern } }) => {
    const category = catalogue.technologies.get(technology)?.category ?? 'saas'
    return namesHost(pattern) && ceilingOf(subject, pattern, category) > 0 ? [[technology, category] as const] : []
  })
}
