// The text of an API key: `<prefix>_<random><checksum>`, all base62.
// The checksum lets a mistyped or made-up key be refused without a look-up, and lets scanners find leaked ones.
import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Shown in lists so that a holder can tell keys apart. */
const shown_length = 4

/** 62^27 > 2^160: what stays secret once the shown characters are known. */
const random_length = 27 + shown_length

/** 62^6 > 2^32: room for a CRC-32. */
const checksum_length = 6

const prefix_form = /^[a-z][a-z0-9]{0,15}$/
const key_form = /^[a-z][a-z0-9]{0,15}_[0-9A-Za-z]{37}$/
const hidden_length = random_length + checksum_length - shown_length
/** Also with the `_` as some write it in a URL. Its first part may be shown. */
const keys_within = new RegExp(
  `([a-z][a-z0-9]{0,15}(?:_|%5[Ff])[0-9A-Za-z]{${shown_length}})[0-9A-Za-z]{${hidden_length}}`,
  'g',
)

function checksum(body: string): string {
  let rest = crc32(body)
  let digits = ''
  for (let place = 0; place < checksum_length; place++) {
    digits = alphabet.charAt(rest % 62) + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/** `length` base62 characters, each equally likely. */
export function randomText(length: number): string {
  return Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('')
}

/** A new key. `prefix` is 1 to 16 lower-case letters and digits, a letter first; a RangeError otherwise. */
export function generateKey(prefix: string): string {
  if (!prefix_form.test(prefix)) throw new RangeError(`not a key prefix: ${JSON.stringify(prefix)}`)
  const body = `${prefix}_${randomText(random_length)}`
  return body + checksum(body)
}

/** SHA-256 in hex: the only trace of a key at rest. Its random part is too long to guess, so no salt or stretching. */
export function hashKey(text: string): string {
  return hash('sha256', text)
}

/** What a client sent as a key → the hash to look up, or null when it is malformed or its checksum is wrong. */
export function parseKey(text: string): string | null {
  if (!key_form.test(text)) return null
  const body = text.slice(0, -checksum_length)
  return text.endsWith(checksum(body)) ? hashKey(text) : null
}

/** The part of a key that may be shown. */
export function displayKey(text: string): string {
  return text.slice(0, text.indexOf('_') + 1 + shown_length)
}

/** A text without the keys in it, which people put where none belongs: a path, a request's id. */
export const withoutKeys = (text: string): string => text.replace(keys_within, '$1')
