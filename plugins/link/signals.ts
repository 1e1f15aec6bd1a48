// Signals of a link, and their composites with signals of its page. All together stay within `safe`: honest links have
// them too, so only the page can make them decisive.
import type { Composite, SignalDefinition } from '../../src/engine/plugin.ts'

export const signals = {
  page_in_asset_folder: {
    weight: 7,
    group: 'identity',
    severity: 'medium',
    title: 'Leads to a page in a folder that holds no pages',
  },
  host_in_path: {
    weight: 6,
    group: 'identity',
    severity: 'medium',
    title: 'The path contains the host name of another site',
  },
  brand_in_path: {
    weight: 5,
    group: 'identity',
    severity: 'medium',
    title: 'The path is named after a brand that uses other domains',
  },
  lure_in_path: {
    weight: 3,
    group: 'identity',
    severity: 'low',
    title: 'The path asks to verify, update or secure something',
  },
  host_beside_at_sign: {
    weight: 3,
    group: 'identity',
    severity: 'medium',
    title: 'The path has a host name beside an @',
  },
  email_address_in_link: {
    weight: 2,
    group: 'identity',
    severity: 'low',
    title: 'The link contains an e-mail address',
  },
  double_encoding: { weight: 2, group: 'identity', severity: 'low', title: 'The link is encoded twice' },
  open_redirector: {
    weight: 2,
    group: 'identity',
    severity: 'medium',
    title: 'Uses a service that redirects to any site',
  },
} as const satisfies Record<string, SignalDefinition>

export type Id = keyof typeof signals

/** Parts of a link that a break-in leaves behind, or that imitate another site. */
const MISLEADING = ['page_in_asset_folder', 'host_in_path', { signal: 'brand_in_path', strength: 0.5 }] as const
const PAGE = ['phishing_page', 'resembles_phishing_page'] as const

export const composites: Readonly<Record<string, Composite>> = {
  impersonation_under_misleading_link: {
    all: [['impersonated_brand'], ['phishing_page'], MISLEADING],
    weight: 0,
    group: 'content',
    floor: 71,
    severity: 'critical',
    threat_types: ['phishing'],
    title: 'A brand’s log-in under a path made for it, on another’s site',
    reason:
      'The page asks for a secret under a brand’s name and resembles phishing, and its path was made to play another site or to hide it.',
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
    title: 'A phishing page in a folder that holds no pages',
    reason: 'The page resembles phishing and stands where the site keeps no pages: the site was broken into.',
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
    title: 'A page like phishing under a misleading path',
    reason: 'The page resembles phishing, and its path plays another site or hides it.',
    advice: null,
    warning: 'Do not enter anything confidential.',
  },
}
