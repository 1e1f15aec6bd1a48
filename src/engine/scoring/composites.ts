// Joint evidence: signals of different sections that together mean more than the sum of their points. Pure.
import type { WeighedSignal } from './scored.ts'
import { severityOf } from './severity.ts'
import type { SignalDefinition } from './signal.ts'

/** A signal with its minimum strength. */
export interface Condition {
  readonly signal: string
  readonly strength?: number
}

export interface Composite extends SignalDefinition {
  /** All entries must be met; any one of its conditions meets an entry. */
  readonly all: readonly (readonly (string | Condition)[])[]
  /** A sentence: why the signals mean more together. */
  readonly reason: string
}

const PAGE = ['phishing_page', 'resembles_phishing_page'] as const
/** Requests to visitors that no honest page makes. */
const LURES = [
  'paste_command_lure',
  'tech_support_scare',
  'fake_virus_scan',
  'coin_doubling',
  'asks_for_wallet_phrase',
  'wallet_repair_lure',
  'router_update_lure',
  'asks_for_card_pin',
  'fake_browser_window',
] as const
/** Poses as a brand, and asks for a secret, who one is, or something else to do. */
const AS_BRAND = ['impersonated_brand', 'brand_sign_in_step', 'brand_lure'] as const
/** What kits do beside showing a brand, and honest sites do not. */
const KIT_TRAITS = [
  { signal: 'phishing_page', strength: 1 },
  'hidden_form',
  'credentials_to_messenger_bot',
  'data_uri_form',
  ...LURES,
] as const
const SECRETS = 'Do not enter anything confidential.'
/** Not the plain word of a brand under another ordinary suffix, which is mostly the owner's. */
const LOOKALIKE: Condition = { signal: 'lookalike_domain', strength: 0.25 }
const NEW: Condition = { signal: 'newly_registered_domain', strength: 1 }

/** By ID. The configuration can override, add or disable composites (`scoring.composites`). */
export const DEFAULT_COMPOSITES: Readonly<Record<string, Composite>> = {
  phishing_under_lookalike: {
    all: [[LOOKALIKE], [...PAGE, ...LURES, ...AS_BRAND]],
    weight: 0,
    group: 'content',
    floor: 71,
    severity: 'critical',
    threat_types: ['phishing'],
    title: 'A phishing page under a name that imitates a brand',
    reason: 'The name imitates a brand, and the page resembles phishing: honest sites rarely do both.',
    advice: null,
    warning: SECRETS,
  },
  phishing_on_new_domain: {
    all: [[{ signal: 'phishing_page', strength: 1 }], [NEW]],
    weight: 0,
    group: 'content',
    floor: 71,
    severity: 'critical',
    threat_types: ['phishing'],
    title: 'A phishing page on a newly registered domain',
    reason: 'The page resembles phishing kits, has no name that matches the host, and the domain is new.',
    advice: null,
    warning: SECRETS,
  },
  impersonation_on_new_domain: {
    all: [['impersonated_brand'], [NEW]],
    weight: 0,
    group: 'content',
    floor: 71,
    severity: 'critical',
    threat_types: ['phishing'],
    title: 'A brand’s log-in on a newly registered domain',
    reason: 'The page asks for a secret as a brand that does not own the domain, and the domain is new.',
    advice: null,
    warning: SECRETS,
  },
  impersonation_by_kit: {
    all: [AS_BRAND, KIT_TRAITS],
    weight: 0,
    group: 'content',
    floor: 71,
    severity: 'critical',
    threat_types: ['phishing'],
    title: 'A brand’s log-in, built like a phishing kit',
    reason: 'The page poses as a brand that does not own the domain, and is built like a phishing kit.',
    advice: null,
    warning: SECRETS,
  },
  phishing_page_listed: {
    all: [
      ['phishing_page', ...AS_BRAND, ...LURES],
      ['listed_by_weak_list', 'listed_for_abuse', 'reported_page', 'hosts_listed_pages'],
    ],
    weight: 0,
    group: 'content',
    floor: 71,
    severity: 'critical',
    threat_types: ['phishing'],
    title: 'A phishing page on a listed site',
    reason: 'The page resembles phishing, and the site is on a blocklist.',
    advice: null,
    warning: SECRETS,
  },
  listed_pages_under_lookalike: {
    all: [
      ['hosts_listed_pages', 'reported_page'],
      [LOOKALIKE, 'suspicious_name'],
    ],
    weight: 0,
    group: 'reputation',
    floor: 71,
    severity: 'critical',
    threat_types: ['phishing'],
    title: 'Listed pages under a name made to deceive',
    reason: 'Pages of the host are on a blocklist, and its name resembles names of malicious sites.',
    advice: null,
  },
  lure_on_new_domain: {
    all: [LURES, [NEW]],
    weight: 0,
    group: 'content',
    floor: 71,
    severity: 'critical',
    title: 'A lure on a newly registered domain',
    reason: 'The page asks visitors for something that no honest page asks for, and the domain is new.',
    advice: null,
    warning: SECRETS,
  },
  secrets_on_new_domain: {
    all: [['asks_for_identity_number', 'asks_for_mailbox_password'], PAGE, [NEW]],
    weight: 0,
    group: 'content',
    floor: 71,
    severity: 'critical',
    threat_types: ['phishing'],
    title: 'Asks for secrets that open other accounts, on a newly registered domain',
    reason: 'The page asks for secrets of other sites, resembles phishing pages, and the domain is new.',
    advice: null,
    warning: SECRETS,
  },
  phishing_under_suspicious_name: {
    all: [['suspicious_name'], [...PAGE]],
    weight: 0,
    group: 'content',
    floor: 31,
    severity: 'high',
    threat_types: ['phishing'],
    title: 'A page like phishing under a suspicious name',
    reason: 'Both the name and the page resemble phishing sites.',
    advice: null,
    warning: SECRETS,
  },
  phishing_on_free_hosting: {
    all: [['password_form_on_free_hosting'], ['phishing_page', { signal: 'resembles_phishing_page', strength: 0.8 }]],
    weight: 0,
    group: 'content',
    floor: 31,
    severity: 'high',
    threat_types: ['phishing'],
    title: 'A page like phishing on free hosting',
    reason:
      'The page asks for a secret, resembles phishing pages, and is on a host where anyone can publish anonymously.',
    advice: null,
  },
  new_domain_sends_elsewhere: {
    all: [['refresh_to_other_site', 'obfuscated_redirect', 'redirect_to_non_public', 'disposable_email'], [NEW]],
    weight: 0,
    group: 'content',
    floor: 31,
    severity: 'high',
    title: 'A new domain that sends visitors or mail elsewhere',
    reason: 'The domain is new, and it forwards visitors or serves disposable mail.',
    advice: null,
  },
  parked_lookalike: {
    all: [[LOOKALIKE], ['parked_domain']],
    weight: 0,
    group: 'content',
    floor: 31,
    severity: 'high',
    threat_types: ['phishing'],
    title: 'A parked name that imitates a brand',
    reason: 'The name imitates a brand and is parked: for sale or not yet in use.',
    advice: null,
  },
}

/** The composites that apply. The result lists their IDs like signal IDs. */
export function findComposites(
  weighed: readonly WeighedSignal[],
  composites: Readonly<Record<string, Composite>>,
): WeighedSignal[] {
  return Object.entries(composites).flatMap(([id, composite]) => {
    const parts = composite.all.map(any => weighed.find(one => any.some(condition => isMet(condition, one))))
    if (parts.length === 0 || parts.some(part => part === undefined)) return []
    const presentParts = parts.filter(part => part !== undefined)
    const signals = presentParts.map(part => part.signal.id)
    // A composite joins several sections; it is listed under the section of its first signal.
    const section = presentParts[0]?.section ?? ''
    const definition = { ...composite, severity: severityOf(composite) }
    return [{ section, definition, signal: { id, detail: composite.reason, evidence: { signals } } }]
  })
}

function isMet(condition: string | Condition, { signal }: WeighedSignal): boolean {
  if (typeof condition === 'string') return signal.id === condition
  return signal.id === condition.signal && (signal.strength ?? 1) >= (condition.strength ?? 0)
}
