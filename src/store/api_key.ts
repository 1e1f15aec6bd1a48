// The text of an API key: `<prefix>_<random><checksum>`, all base62. With the checksum, a mistyped or invented key is
// refused without a look-up, and scanners find leaked keys.
import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Shown in lists so that holders can distinguish keys. */
const SHOWN_LENGTH = 4

/** 62^27 > 2^160: what stays secret when the first characters are shown. */
const RANDOM_LENGTH = 27 + SHOWN_LENGTH

/** 62^6 > 2^32: room for a CRC-32. */
const CHECKSUM_LENGTH = 6

const PREFIX_FORM = /^[a-z][a-z0-9]{0,15}$/
const KEY_FORM = /^[a-z][a-z0-9]{0,15}_[0-9A-Za-z]{37}$/
const HIDDEN_LENGTH = RANDOM_LENGTH + CHECKSUM_LENGTH - SHOWN_LENGTH
/** Also matches the `_` as it is encoded in URLs. The captured part may be shown. */
const KEYS_WITHIN_TEXT = new RegExp(
  `([a-z][a-z0-9]{0,15}(?:_|%5[Ff])[0-9A-Za-z]{${SHOWN_LENGTH}})[0-9A-Za-z]{${HIDDEN_LENGTH}}`,
  'g',
)

function checksum(body: string): string {
  let rest = crc32(body)
  let digits = ''
  for (let place = 0; place < CHECKSUM_LENGTH; place++) {
    digits = ALPHABET.charAt(rest % 62) + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/** `length` uniformly random base62 characters. */
export function randomText(length: number): string {
  return Array.from({ length }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('')
}

/** A new key. `prefix` is 1 to 16 lower-case letters and digits and starts with a letter; otherwise throws a RangeError. */
export function generateKey(prefix: string): string {
  if (!PREFIX_FORM.test(prefix)) throw new RangeError(`invalid key prefix: ${JSON.stringify(prefix)}`)
  const body = `${prefix}_${randomText(RANDOM_LENGTH)}`
  return body + checksum(body)
}

/** SHA-256 in hex: the only stored trace of a key. The random part is too long to guess, so no salt or stretching is needed. */
export function hashKey(text: string): string {
  return hash('sha256', text)
}

/** The hash to look up for a key that a client sent; null when the key is malformed or its checksum is wrong. */
export function parseKey(text: string): string | null {
  if (!KEY_FORM.test(text)) return null
  const body = text.slice(0, -CHECKSUM_LENGTH)
  return text.endsWith(checksum(body)) ? hashKey(text) : null
}

/** The part of a key that may be shown. */
export function displayKey(text: string): string {
  return text.slice(0, text.indexOf('_') + 1 + SHOWN_LENGTH)
}

/** Removes the secret part of keys from a text, because people put keys into paths and request IDs. */
export const withoutKeys = (text: string): string => text.replace(KEYS_WITHIN_TEXT, '$1')
