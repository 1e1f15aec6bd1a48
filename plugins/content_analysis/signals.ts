// Signals of phishing pages. Weights are chosen so that an ordinary log-in page scores no points and no single signal
// leaves `safe`.
import type { SignalDefinition } from '../../src/engine/plugin.ts'

export const signals = {
  phishing_page: {
    weight: 35,
    group: 'content',
    severity: 'high',
    threat_types: ['phishing'],
    title: 'Page is built like phishing pages',
  },
  resembles_phishing_page: {
    weight: 16,
    group: 'content',
    severity: 'medium',
    threat_types: ['phishing'],
    title: 'Page resembles phishing pages',
  },
  paste_command_lure: {
    weight: 40,
    group: 'content',
    severity: 'high',
    threat_types: ['malware'],
    title: 'Tells visitors to run a command to prove or repair something',
  },
  tech_support_scare: {
    weight: 40,
    group: 'content',
    severity: 'high',
    threat_types: ['scam'],
    title: 'Warns of a virus and gives a number to call',
  },
  fake_virus_scan: {
    weight: 35,
    group: 'content',
    severity: 'high',
    threat_types: ['scam'],
    title: 'Shows a virus scan under a brand that is not the site’s',
  },
  coin_doubling: {
    weight: 40,
    group: 'content',
    severity: 'high',
    threat_types: ['scam'],
    title: 'Promises more coins back than are sent',
  },
  asks_for_wallet_phrase: {
    weight: 35,
    group: 'content',
    severity: 'high',
    threat_types: ['phishing'],
    title: 'Asks for the recovery phrase or key of a wallet',
  },
  asks_for_card_pin: {
    weight: 35,
    group: 'content',
    severity: 'high',
    threat_types: ['phishing'],
    title: 'Asks for the PIN of a card',
  },
  asks_for_identity_number: {
    weight: 20,
    group: 'content',
    severity: 'medium',
    threat_types: ['phishing'],
    title: 'Asks for an identity number beside a password or card',
  },
  asks_for_mailbox_password: {
    weight: 20,
    group: 'content',
    severity: 'medium',
    threat_types: ['phishing'],
    title: 'Asks for the password of a mailbox',
  },
  fake_browser_window: {
    weight: 20,
    group: 'content',
    severity: 'high',
    threat_types: ['phishing'],
    title: 'Draws a browser window with another site’s address',
  },
  impersonated_brand: {
    weight: 20,
    group: 'content',
    severity: 'high',
    threat_types: ['phishing'],
    title: 'Asks for a password under a brand name on a domain the brand does not own',
  },
  credentials_to_messenger_bot: {
    weight: 20,
    group: 'content',
    severity: 'critical',
    threat_types: ['phishing'],
    title: 'Asks for a password and posts to a messenger bot',
  },
  data_uri_form: {
    weight: 15,
    group: 'content',
    severity: 'high',
    title: 'A form or frame uses a data URL',
  },
  password_form_to_other_site: {
    weight: 12,
    group: 'content',
    severity: 'high',
    title: 'Password form submits to another site',
  },
  password_form_over_http: {
    weight: 10,
    group: 'content',
    severity: 'high',
    title: 'Password is submitted without encryption',
  },
  obfuscated_redirect: {
    weight: 10,
    group: 'content',
    severity: 'high',
    title: 'A script redirects to an encoded address',
  },
  password_on_http_page: {
    weight: 8,
    group: 'content',
    severity: 'high',
    title: 'Password field on an unencrypted page',
  },
  password_form_on_free_hosting: {
    weight: 6,
    group: 'content',
    severity: 'medium',
    title: 'Asks for a secret on free hosting',
  },
  refresh_to_other_site: {
    weight: 4,
    group: 'content',
    severity: 'medium',
    title: 'Page redirects immediately to another site',
  },
  obfuscated_script: {
    weight: 4,
    group: 'content',
    severity: 'medium',
    title: 'A script decodes its own code before running it',
  },
  parked_domain: {
    weight: 2,
    group: 'content',
    severity: 'low',
    title: 'Domain is parked, expired or a placeholder',
  },
  brand_in_title: {
    weight: 0,
    group: 'content',
    severity: 'info',
    title: 'Title names a brand that uses other domains',
  },
} as const satisfies Record<string, SignalDefinition>

export type Id = keyof typeof signals
