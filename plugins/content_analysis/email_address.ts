// Validates one e-mail address and writes it in canonical form.
import { parse } from 'tldts'

/** Maximum octets of an address in a mail path, and of its local part (RFC 5321 section 4.5.3.1). */
export const MAX_ADDRESS = 254
export const MAX_LOCAL = 64

/** A dot-atom (RFC 5322 section 3.2.3). Quoted local parts are legal, but nobody publishes one as a contact. */
const ATOM = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+$/
const LABEL = /^[a-z0-9-]{1,63}$/
/** `logo@2x.png` and similar: image names for high-density screens. */
const PIXEL_DENSITY = /^[0-9]x\./

/** Part of a URL or of a query that was copied into the text. */
const PERCENT_ENCODED = /%[0-9A-F]{2}/i

/**
 * The address with its domain in lower-case A-labels, or null if it is invalid. In running text (`loose`) the top-level
 * domain must be public, because file names and package versions also look like addresses.
 */
export function parseAddress(candidate: string, { loose }: { readonly loose: boolean }): string | null {
  const at = candidate.lastIndexOf('@')
  const local = candidate.slice(0, at)
  if (at < 1 || local.length > MAX_LOCAL || !local.split('.').every(atom => ATOM.test(atom))) return null
  const domain = canonicalDomain(candidate.slice(at + 1))
  if (domain === null || local.length + 1 + domain.length > MAX_ADDRESS) return null
  if (loose && (PIXEL_DENSITY.test(domain) || PERCENT_ENCODED.test(local) || !isPublic(domain))) return null
  return `${local}@${domain}`
}

function canonicalDomain(text: string): string | null {
  if (text.length > MAX_ADDRESS || !text.includes('.')) return null
  const domain = isAscii(text) ? text.toLowerCase() : toAscii(text)
  const labels = domain.split('.')
  const sound = labels.every(label => LABEL.test(label) && !label.startsWith('-') && !label.endsWith('-'))
  return sound && !/^[0-9]+$/.test(labels.at(-1) ?? '') ? domain : null
}

const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text)

/** The URL parser applies UTS 46. The regular expression rejects other input that it would accept as a host. */
function toAscii(domain: string): string {
  const url = `http://${domain}`
  return /^[\p{L}\p{M}\p{N}.-]+$/u.test(domain) && URL.canParse(url) ? new URL(url).hostname : ''
}

function isPublic(domain: string): boolean {
  const { isIcann, domain: registrable } = parse(domain, { extractHostname: false })
  return isIcann === true && registrable !== null
}
