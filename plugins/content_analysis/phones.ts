// Telephone numbers from tel links, and international numbers (with a plus sign) from the text.
import type { Document } from '../../src/engine/plugin.ts'

const MAX_PHONES = 20
/** At most this many plus signs of the text are examined. */
const MAX_CANDIDATES = 5_000
/** Maximum characters of a number with its separators. */
const WRITTEN_LENGTH = 32

/** E.164: country code and at most 15 digits. National numbers keep their digits. */
const GLOBAL = /^\+[1-9][0-9]{7,14}$/
const LOCAL = /^[0-9]{3,15}$/
/** Visual separators of RFC 3966 section 5.1.1, and the spaces, slashes and dashes that people add. */
const SEPARATORS = /[\s().\-\u2010-\u2013/\u00a0]/g

/** Unique numbers in document order, links first: `+4930123456`, or `0800123456` without a country code. */
export function findPhones({ anchors, text }: Pick<Document, 'anchors' | 'text'>): string[] {
  const numbers = new Set<string>()
  for (const phone of candidates(anchors, text)) {
    if (phone !== null) numbers.add(phone)
    if (numbers.size === MAX_PHONES) break
  }
  return [...numbers]
}

function* candidates(anchors: Document['anchors'], text: string): Generator<string | null> {
  for (const { href } of anchors) if (isTel(href)) yield telNumber(href)
  let plus = text.indexOf('+')
  for (let i = 0; plus !== -1 && i < MAX_CANDIDATES; i++, plus = text.indexOf('+', plus + 1)) {
    yield numberAt(text, plus)
  }
}

const isTel = (href: string): boolean => /^tel:/i.test(href)

/** The number of a tel link (RFC 3966) without parameters. */
export function telNumber(href: string): string | null {
  if (!isTel(href)) return null
  const [numberText = ''] = href.slice(4, 4 + 2 * WRITTEN_LENGTH).split(';', 1)
  const digits = withoutSeparators(numberText.replaceAll('%20', ' ').replace(/^ *%2b/i, '+'))
  return GLOBAL.test(digits) || LOCAL.test(digits) ? digits : null
}

/** In `+49 (0)30 …` the zero is dialled only within the country and is not part of the number. */
const withoutSeparators = (text: string): string => text.replace('(0)', '').replace(SEPARATORS, '')

function numberAt(text: string, plus: number): string | null {
  if (/[\p{L}\p{N}+=]/u.test(text.charAt(plus - 1))) return null
  const [numberText = ''] =
    /^\+(?:[ ().\-\u2010-\u2013/\u00a0]{0,3}[0-9])+/.exec(text.slice(plus, plus + WRITTEN_LENGTH)) ?? []
  if (/[\p{L}\p{N}@%]/u.test(text.charAt(plus + numberText.length))) return null
  const digits = withoutSeparators(numberText)
  return GLOBAL.test(digits) && isPlausible(digits) ? digits : null
}

/** North American numbers have eleven digits. Six trailing zeros suggest a quantity. */
const isPlausible = (digits: string): boolean =>
  !digits.endsWith('000000') && (!digits.startsWith('+1') || /^\+1[2-9][0-9]{2}[2-9][0-9]{6}$/.test(digits))
