// Targets of every kind and what a check says of each: the table that tests of the whole service go through.
import type { ResultClass } from '../../src/engine/completeness.ts'
import type { RequestedTarget } from './lab.ts'

export interface Case {
  /** Completes "a check of ...". */
  readonly of: string
  readonly asked: RequestedTarget
  readonly verdict: 'safe' | 'suspicious' | 'malicious'
  /** Recommendation and confidence. */
  readonly recommended: readonly [recommendation: string, confidence: string]
  readonly class: ResultClass
  /** The address in the result. */
  readonly ip: string | null
  /** Every connection, sorted. */
  readonly connections: readonly string[]
  /** Among the signals found. */
  readonly signals: readonly string[]
  /** Status of every section: `completed` unless here; `web` stands for those that read the page and are not here. */
  readonly sections: Partial<
    Record<
      | 'content_analysis'
      | 'dns_security'
      | 'ssl_info'
      | 'security_headers'
      | 'geo_location'
      | 'reputation'
      | 'security_txt'
      | 'web',
      string
    >
  >
}

const everywhere = (status: string): Case['sections'] => ({
  dns_security: status,
  ssl_info: status,
  geo_location: status,
  web: status,
})
const nothingToVisit = (reason: string, geo_location = `not_applicable ${reason}`): Case['sections'] => ({
  ssl_info: `not_applicable ${reason}`,
  web: `not_applicable ${reason}`,
  geo_location,
})

/** The sections of a host that has no page of its own. */
const pageless = (reason: string) => ({
  ...Object.fromEntries(
    ['content_analysis', 'tech_stack', 'carbon_footprint'].map(name => [name, `completed ${reason}`]),
  ),
  ...Object.fromEntries(['seo_health', 'security_headers', 'cookies'].map(name => [name, `not_applicable ${reason}`])),
})

/** The connections to an address: one with TLS, and so many without. */
const reached = (ip: string, plain = 1) => ({ ip, connections: [`${ip}:443`, ...Array(plain).fill(`${ip}:80`)] })

/** Of a site without fault, where nothing else is said. */
const usual = {
  verdict: 'safe',
  recommended: ['allow', 'high'],
  class: 'complete',
  ip: null,
  connections: [],
  signals: [],
  sections: {},
} as const

const given: readonly (Pick<Case, 'of' | 'asked'> & Partial<Case>)[] = [
  {
    of: 'an expired certificate',
    asked: { domain: 'expired-certificate.lab' },
    recommended: ['review', 'high'],
    ...reached('193.0.14.20'),
    signals: ['expired_certificate'],
  },
  {
    of: 'a page below an honest front page',
    asked: { url: 'https://corner-bakery.lab/wp-content/uploads/2026/mailbox/verify.php?id=7' },
    verdict: 'malicious',
    recommended: ['block', 'high'],
    ...reached('193.0.14.78'),
    signals: ['phishing_page', 'impersonated_brand', 'page_in_asset_folder', 'phishing_in_asset_folder'],
  },
  {
    of: 'the same page without a visit',
    asked: { url: 'https://corner-bakery.lab/wp-content/uploads/2026/mailbox/verify.php?id=7', visit: false },
    recommended: ['review', 'low'],
    sections: { ssl_info: 'not_applicable not_visited', web: 'not_applicable not_visited' },
  },
  {
    of: 'a page over plain HTTP that does not answer',
    asked: { url: 'http://expired-certificate.lab/x' },
    recommended: ['review', 'high'],
    ...reached('193.0.14.20', 2),
    signals: ['expired_certificate'],
    sections: { web: 'not_applicable refused' },
  },
  {
    of: 'a parked name',
    asked: { domain: 'parked-name.lab' },
    ...reached('193.0.14.30', 2),
    signals: ['no_tls', 'parked_domain'],
    sections: pageless('parked_page'),
  },
  {
    of: 'a listed phishing page under a self-signed certificate',
    asked: { domain: 'secure-paypal-login.lab' },
    verdict: 'malicious',
    recommended: ['block', 'high'],
    ...reached('45.130.40.40'),
    signals: ['listed_as_malicious', 'impersonated_brand', 'self_signed_certificate', 'password_form_to_other_site'],
  },
  {
    of: 'a name that does not exist',
    asked: { domain: 'no-such-name.lab' },
    verdict: 'suspicious',
    recommended: ['review', 'high'],
    class: 'not_found',
    signals: ['domain_not_found'],
    sections: everywhere('not_applicable domain_not_found'),
  },
  { of: 'a name without addresses', asked: { domain: 'no-address.lab' }, sections: nothingToVisit('no_address') },
  {
    of: 'a name whose zone fails',
    asked: { domain: 'broken-zone.lab' },
    verdict: 'suspicious',
    recommended: ['review', 'low'],
    class: 'withheld',
    signals: ['dns_servfail'],
    sections: everywhere('unavailable servfail'),
  },
  {
    of: 'a name that points inside',
    asked: { domain: 'points-inside.lab' },
    recommended: ['review', 'high'],
    signals: ['resolves_to_private_address'],
    sections: nothingToVisit('resolves_to_private_address', 'not_applicable not_public'),
  },
  {
    of: 'a name with public and private addresses',
    asked: { domain: 'mixed.lab' },
    recommended: ['review', 'high'],
    ...reached('193.0.14.51'),
    signals: ['resolves_to_private_address'],
  },
  {
    of: 'a name whose IPv6 address alone is private',
    asked: { domain: 'mixed-families.lab' },
    recommended: ['review', 'high'],
    ...reached('193.0.14.52'),
    signals: ['resolves_to_private_address'],
  },
  { of: 'a site without TLS', asked: { domain: 'only-plain.lab' }, ...reached('193.0.14.53', 2), signals: ['no_tls'] },
  {
    of: 'a host that refuses both ports',
    asked: { domain: 'closed.lab' },
    ...reached('193.0.14.54', 2),
    ip: null,
    sections: nothingToVisit('refused', 'completed'),
  },
  {
    of: 'a site whose port 443 is a black hole',
    asked: { domain: 'black-hole.lab' },
    recommended: ['allow', 'medium'],
    class: 'withheld',
    ...reached('193.0.14.55', 2),
    // Whether browsers would honour HSTS depends on the certificate.
    sections: { ssl_info: 'unavailable connect_timeout', security_headers: 'completed tls_connect_timeout' },
  },
  {
    of: 'a host that swallows everything',
    asked: { domain: 'silent.lab' },
    recommended: ['review', 'low'],
    class: 'withheld',
    ...reached('193.0.14.56', 2),
    ip: null,
    sections: { ssl_info: 'unavailable connect_timeout', web: 'unavailable connect_timeout' },
  },
  {
    of: 'a site that redirects to a metadata address',
    asked: { domain: 'leads-inside.lab' },
    recommended: ['review', 'medium'],
    class: 'withheld',
    ...reached('193.0.14.57'),
    sections: { ...pageless('redirecting_page'), security_txt: 'completed security_txt_redirect_to_non_public' },
  },
  {
    of: 'a site that redirects to a name that points inside',
    asked: { domain: 'leads-inside-by-name.lab' },
    recommended: ['review', 'medium'],
    class: 'withheld',
    ...reached('193.0.14.58'),
    sections: { ...pageless('redirecting_page'), security_txt: 'completed security_txt_redirect_to_non_public' },
  },
  {
    of: 'an IPv4 address',
    asked: { ip: '193.0.14.60' },
    ...reached('193.0.14.60'),
    sections: { dns_security: 'not_applicable ip_target' },
  },
  {
    of: 'an IPv6 address, however it is written',
    asked: { ip: '2A10:3781:1:0:0::61' },
    ...reached('2a10:3781:1::61'),
    sections: { dns_security: 'not_applicable ip_target' },
  },
  {
    of: 'an address where nothing listens',
    asked: { ip: '193.0.14.70' },
    ...reached('193.0.14.70', 2),
    sections: { dns_security: 'not_applicable ip_target', ...nothingToVisit('refused', 'completed') },
  },
  {
    of: 'a name at one of its addresses',
    asked: { domain: 'healthy-shop.lab', ip: '193.0.14.10' },
    ...reached('193.0.14.10'),
  },
  {
    of: 'a name at an address that is not its own',
    asked: { domain: 'healthy-shop.lab', ip: '193.0.14.65' },
    recommended: ['review', 'high'],
    ...reached('193.0.14.65'),
    signals: ['ip_not_in_dns_answers', 'certificate_name_mismatch'],
  },
  {
    of: 'a name that does not exist, at a given address',
    asked: { domain: 'no-such-name.lab', ip: '193.0.14.10' },
    verdict: 'suspicious',
    recommended: ['review', 'high'],
    class: 'not_found',
    ...reached('193.0.14.10'),
    signals: ['domain_not_found', 'certificate_name_mismatch'],
    sections: { dns_security: 'not_applicable domain_not_found' },
  },
  { of: 'a page with a session cookie', asked: { domain: 'canary.lab' }, ...reached('193.0.14.50') },
]
export const cases: readonly Case[] = given.map(one => ({ ...usual, ...one }))
