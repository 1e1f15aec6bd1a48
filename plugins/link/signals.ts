// Signals of a link, and their composites with signals of its page. All together stay within `safe`: honest links have
// them too, so only the page can make them decisive.
import type { Composite, Signals } from '../../src/engine/plugin.ts'
import type { LinkAddress } from './addresses.ts'
import type { AssetFolder } from './asset_folders.ts'
import type { PathHost } from './other_hosts.ts'
import type { PathBrand, PathLure } from './path_words.ts'
import type { Redirector } from './redirectors.ts'

/** What was found in a link; null and empty where there is none. */
export interface LinkFacts {
  readonly folder: AssetFolder | null
  readonly hosts: readonly PathHost[]
  readonly brands: readonly PathBrand[]
  readonly lure: PathLure | null
  readonly beside: string | null
  readonly address: LinkAddress | null
  readonly encoded: 'path' | 'query' | null
  readonly redirector: Redirector | null
}

/** Strength for a host name of an unknown owner. Archives and look-up services have them in honest paths. */
const OTHER_HOST = 0.3

export const signals = {
  page_in_asset_folder: {
    weight: 7,
    group: 'identity',
    severity: 'medium',
    title: 'The page is in a folder that should hold only files',
    advice: 'If the site is yours and you did not put the page there, it was broken into: remove the page.',
    when: ({ folder }) =>
      folder && {
        strength: folder.strength,
        detail: `The link leads to a page in ${folder.folder}, where sites keep files but no pages.`,
        evidence: { folder: folder.folder },
      },
  },
  host_in_path: {
    weight: 6,
    group: 'identity',
    severity: 'medium',
    title: 'The path contains the host name of another site',
    advice: null,
    warning: 'Look at the host before the first slash: it is the real site.',
    when: ({ hosts: [other] }) =>
      other && {
        strength: other.brand === null ? OTHER_HOST : 1,
        detail: `The path contains ${other.host}, a name of ${other.brand ?? 'another site'}.`,
        evidence: { ...other },
      },
  },
  brand_in_path: {
    weight: 5,
    group: 'identity',
    severity: 'medium',
    title: 'The path is named after a brand that uses other domains',
    advice: null,
    warning: 'To use the brand’s own site, type its name yourself.',
    when({ brands, hosts: [other] }) {
      // The signal for the host name covers its brand.
      const match = brands.find(one => one.brand !== other?.brand)
      return (
        match && {
          strength: match.strength,
          detail: `A part of the path is named after ${match.brand}, which does not own the host.`,
          evidence: { brand: match.brand },
        }
      )
    },
  },
  lure_in_path: {
    weight: 3,
    group: 'identity',
    severity: 'low',
    title: 'The path asks to verify, update or secure something',
    advice: null,
    when: ({ lure }) =>
      lure && {
        strength: lure.strength,
        detail: `The path contains “${lure.word}”.`,
        evidence: { words: lure.word },
      },
  },
  host_beside_at_sign: {
    weight: 3,
    group: 'identity',
    severity: 'medium',
    title: 'The path has a host name beside an @',
    advice: null,
    warning: 'Look at the host before the first slash: it is the real site.',
    when: ({ beside }) =>
      beside !== null && {
        detail: `The path has the host name ${beside} beside an @, which readers may take for the site.`,
        evidence: { host: beside },
      },
  },
  email_address_in_link: {
    weight: 2,
    group: 'identity',
    severity: 'low',
    title: 'The link contains an e-mail address',
    advice: null,
    when: ({ address }) =>
      address && {
        strength: address.place === 'path' || address.encoding === 'base64' ? 1 : 0.5,
        detail: `The ${address.place} of the link contains an e-mail address${address.encoding === 'base64' ? ', in Base64' : ''}.`,
        evidence: { ...address },
      },
  },
  double_encoding: {
    weight: 2,
    group: 'identity',
    severity: 'low',
    title: 'The link is encoded twice',
    advice: null,
    when: ({ encoded }) =>
      encoded !== null && {
        detail: `Characters of the ${encoded} are percent-encoded twice.`,
        evidence: { place: encoded },
      },
  },
  open_redirector: {
    weight: 2,
    group: 'identity',
    severity: 'medium',
    title: 'Uses a service that redirects to any site',
    advice: null,
    warning: 'Judge the link by the site that it leads to, not by the service that it begins with.',
    when: ({ redirector }) =>
      redirector?.guarded === false && {
        detail: `${redirector.service} only redirects: the link leads to ${redirector.leads_to ?? 'a site that it does not name'}.`,
        evidence: { service: redirector.service, leads_to: redirector.leads_to },
      },
  },
} satisfies Signals<LinkFacts>

/** Parts of a link that a break-in leaves behind, or that imitate another site. */
const MISLEADING = ['page_in_asset_folder', 'host_in_path', { signal: 'brand_in_path', strength: 0.5 }] as const
const PAGE = ['phishing_page', 'resembles_phishing_page'] as const

/** What signals of a link mean beside those of its page. */
export const composites: Readonly<Record<string, Composite>> = {
  impersonation_under_misleading_link: {
    all: [['impersonated_brand'], ['phishing_page'], MISLEADING],
    weight: 0,
    group: 'content',
    floor: 71,
    severity: 'critical',
    threat_types: ['phishing'],
    title: 'A brand’s log-in in a path made for it, on another site',
    reason:
      'The page asks for a secret under a brand’s name and resembles phishing, and its path imitates another site or hides the page.',
    advice: null,
    warning: 'Do not enter anything confidential.',
  },
  phishing_in_asset_folder: {
    all: [['phishing_page'], [{ signal: 'page_in_asset_folder', strength: 0.7 }]],
    weight: 0,
    group: 'content',
    floor: 71,
    severity: 'critical',
    threat_types: ['phishing'],
    title: 'A phishing page in a folder that should hold only files',
    reason: 'The page resembles phishing and is in a folder without pages of the site: the site was broken into.',
    advice: null,
    warning: 'Do not enter anything confidential.',
  },
  phishing_under_misleading_link: {
    all: [[...PAGE, 'impersonated_brand'], MISLEADING],
    weight: 0,
    group: 'content',
    floor: 31,
    severity: 'high',
    threat_types: ['phishing'],
    title: 'A page that resembles phishing, under a misleading path',
    reason: 'The page resembles phishing, and its path imitates another site or hides the page.',
    advice: null,
    warning: 'Do not enter anything confidential.',
  },
}
