// The sections that the page knows. Others, such as those of an operator's plugin, are shown field by field.
import { carbon_footprint } from './carbon_footprint.js'
import { content_analysis } from './content_analysis.js'
import { cookies } from './cookies.js'
import { dns_security } from './dns_security.js'
import { geo_location } from './geo_location.js'
import { link } from './link.js'
import { mail_servers } from './mail_servers.js'
import { operator_lists } from './operator_lists.js'
import { reputation } from './reputation.js'
import { quote, words } from './section.js'
import { security_headers } from './security_headers.js'
import { security_txt } from './security_txt.js'
import { seo_health } from './seo_health.js'
import { ssl_info } from './ssl_info.js'
import { tech_stack } from './tech_stack.js'
import { tls_offer } from './tls_offer.js'

/** @typedef {import('./section.js').Section} Section */
/** @typedef {import('../result.js').SectionCoverage} SectionCoverage */
/** @typedef {import('./section.js').Value} Value */

const known = /** @type {Readonly<Record<string, Section>>} */ ({
  dns_security,
  ssl_info,
  seo_health,
  content_analysis,
  tech_stack,
  security_headers,
  cookies,
  security_txt,
  geo_location,
  carbon_footprint,
  reputation,
  link,
  operator_lists,
  tls_offer,
  mail_servers,
})

const capital = (/** @type {string} */ text) => text.slice(0, 1).toUpperCase() + text.slice(1)

/** @type {(value: unknown) => Value} */
function plainValue(value) {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value
  if (typeof value === 'string') return quote(value)
  if (Array.isArray(value)) return value.map(one => (typeof one === 'string' ? one : JSON.stringify(one)))
  return quote(JSON.stringify(value))
}

/** @type {(name: string) => Section} */
const unknownSection = name => ({
  title: capital(words(name)),
  looks: 'the fields that this plugin reports',
  describe: section => ({
    summary: [],
    facts: Object.entries(section).map(([field, value]) => [capital(words(field)), plainValue(value)]),
  }),
})

/** @type {(name: string) => Section} */
export const sectionOf = name =>
  Object.hasOwn(known, name) ? /** @type {Section} */ (known[name]) : unknownSection(name)

/**
 * A section in words. A section with an unexpected shape, such as that of a plugin that replaced it, is shown field by
 * field.
 * @type {(name: string, section: object, coverage: Pick<SectionCoverage, 'reason'>) => import('./section.js').Description}
 */
export function describeSection(name, section, { reason }) {
  const isWhole = reason === null
  try {
    return sectionOf(name).describe(section, isWhole)
  } catch {
    return unknownSection(name).describe(section, isWhole)
  }
}
