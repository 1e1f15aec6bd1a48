// Turns the typed text into a target for the API.
import { mailDomain, refang, unbracket } from './typed_text.js'

/**
 * @typedef {object} Target
 * @property {'domain' | 'ip' | 'url' | 'email'} name of the parameter
 * @property {string} value of an e-mail address only the @ and what follows it
 * @property {boolean} visit false when the site must not be contacted
 */

/**
 * Sends a link as `url`, an e-mail address as `email`, an IP address as `ip` and everything else as `domain`; the service reports what is wrong. Null if
 * nothing was typed. Brackets around an address and marks that defang a link are taken away.
 * @param {string} text
 * @param {boolean} [visit]
 * @returns {Target | null}
 */
export function targetOf(text, visit = true) {
  const value = unbracket(refang(text))
  if (value === '') return null
  if (isLink(value)) return { name: 'url', value, visit }
  const mail = mailDomain(value)
  if (mail !== null) return { name: 'email', value: `@${mail}`, visit }
  const isAddress = /^\d{1,3}(\.\d{1,3}){3}$/.test(value) || (value.includes(':') && /^[\da-f:.]+$/i.test(value))
  return { name: isAddress ? 'ip' : 'domain', value, visit }
}

/** @param {string} value */
const isLink = value => /^[a-z][a-z0-9+.-]*:\/\//i.test(value)

/**
 * The host of a web link; null for anything else.
 * @param {string} text
 */
export const linkHost = text => (/^https?:\/\//i.test(text.trim()) ? nameWithin(text) : null)

/**
 * The target as titles and announcements name it: browsers keep titles, and a link may hold a token.
 * @param {Target} target
 */
export const shortName = ({ name, value }) => (name === 'url' ? `${nameWithin(value) ?? ''}/…` : value)

/**
 * The name in a pasted URL or e-mail address, offered as a suggestion; null if there is none.
 * @param {string} text
 */
export function nameWithin(text) {
  const value = text.trim()
  const mail = /^[^\s@/]+@([^\s@/]+)$/.exec(value)
  if (mail?.[1]) return mail[1]
  const url = isLink(value) ? value : `https://${value}`
  if (!/[/:?#]/.test(value) || !URL.canParse(url)) return null
  const { hostname } = new URL(url)
  return hostname === '' || hostname === value ? null : hostname.replace(/^\[(.*)\]$/, '$1')
}

/** @param {string} target */
export const fragmentOf = target => `#${encodeURIComponent(target).replaceAll('%3A', ':')}`

/** Maximum characters; a name has at most 253. */
const LONGEST = 300

/**
 * The target in a link; empty if there is none or it cannot be decoded.
 * @param {string} fragment with its `#`
 */
export function targetIn(fragment) {
  try {
    return [...decodeURIComponent(fragment.slice(1))].slice(0, LONGEST).join('')
  } catch {
    return ''
  }
}
