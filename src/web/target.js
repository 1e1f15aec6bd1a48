// What was typed, as the interface asks for it.

/** @typedef {{ readonly name: 'domain' | 'ip', readonly value: string }} Target */

/**
 * An address goes by `ip`, everything else by `domain`: the service says what is wrong with it. Null when nothing was typed.
 * @param {string} typed
 * @returns {Target | null}
 */
export function targetOf(typed) {
  const value = typed.trim()
  if (value === '') return null
  const isAddress = /^\d{1,3}(\.\d{1,3}){3}$/.test(value) || (value.includes(':') && /^[\da-f:.]+$/i.test(value))
  return { name: isAddress ? 'ip' : 'domain', value }
}

/**
 * The name in a URL or an e-mail address that was pasted, to be offered and never taken unasked; null when there is none.
 * @param {string} typed
 */
export function nameWithin(typed) {
  const value = typed.trim()
  const mail = /^[^\s@/]+@([^\s@/]+)$/.exec(value)
  if (mail?.[1]) return mail[1]
  const url = /^https?:\/\//i.test(value) ? value : `https://${value}`
  if (!/[/:?#]/.test(value) || !URL.canParse(url)) return null
  const { hostname } = new URL(url)
  return hostname === '' || hostname === value ? null : hostname.replace(/^\[(.*)\]$/, '$1')
}

/** @param {string} target */
export const fragmentOf = target => `#${encodeURIComponent(target).replaceAll('%3A', ':')}`

/** Characters; a name has no more than 253. */
const LONGEST = 300

/**
 * The target that a link names; empty when there is none or it cannot be read.
 * @param {string} fragment with its `#`
 */
export function targetIn(fragment) {
  try {
    return [...decodeURIComponent(fragment.slice(1))].slice(0, LONGEST).join('')
  } catch {
    return ''
  }
}
