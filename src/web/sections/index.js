// The sections the page has words for. Any other, such as a plugin of the operator's, is told field by field.
import { carbon_footprint } from './carbon_footprint.js'
import { content_analysis } from './content_analysis.js'
import { cookies } from './cookies.js'
import { dns_security } from './dns_security.js'
import { geo_location } from './geo_location.js'
import { reputation } from './reputation.js'
import { quote, words } from './section.js'
import { security_headers } from './security_headers.js'
import { seo_health } from './seo_health.js'
import { ssl_info } from './ssl_info.js'
import { tech_stack } from './tech_stack.js'

/** @typedef {import('./section.js').Section} Section */
/** @typedef {import('./section.js').Value} Value */

const known = /** @type {Readonly<Record<string, Section>>} */ ({
  dns_security,
  ssl_info,
  seo_health,
  content_analysis,
  tech_stack,
  security_headers,
  cookies,
  geo_location,
  carbon_footprint,
  reputation,
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
  looks: 'what this service’s own plugin reports',
  tell: section => ({
    summary: [],
    facts: Object.entries(section).map(([field, value]) => [capital(words(field)), plainValue(value)]),
  }),
})

/** @type {(name: string) => Section} */
export const sectionOf = name =>
  Object.hasOwn(known, name) ? /** @type {Section} */ (known[name]) : unknownSection(name)

/**
 * What a section says to people. One of another shape than the page knows, such as that of a plugin which took the name
 * over, is told field by field.
 * @type {(name: string, section: object) => import('./section.js').Telling}
 */
export function tell(name, section) {
  try {
    return sectionOf(name).tell(section)
  } catch {
    return unknownSection(name).tell(section)
  }
}
