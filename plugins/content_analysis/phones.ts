// Telephone numbers: tel links, and numbers in the text that begin with a plus sign and are plainly international.
import type { Document } from '../../src/engine/plugin.ts'

const MAX_PHONES = 20
/** Places looked at in the text. */
const MAX_CANDIDATES = 5_000
/** Characters a number takes with its separators, generously. */
const WRITTEN_LENGTH = 32

/** E.164 (country code and at most 15 digits); a number that is dialled from within a country keeps its own digits. */
const GLOBAL = /^\+[1-9][0-9]{7,14}$/
const LOCAL = /^[0-9]{3,15}$/
/** Visual separators of RFC 3966 section 5.1.1, and the spaces, slashes and dashes that people add. */
const SEPARATORS = /[\s().\-\u2010-\u2013/\u00a0]/g

/** Unique numbers, links first, in document order: `+4930123456`, or `0800123456` when no country is given. */
export function findPhones({ anchors, text }: Pick<Document, 'anchors' | 'text'>): string[] {
  const found = new Set<string>()
  for (const phone of candidates(anchors, text)) {
    if (phone !== null) found.add(phone)
    if (found.size === MAX_PHONES) break
  }
  return [...found]
}

function* candidates(anchors: Document['anchors'], text: string): Generator<string | null> {
  for (const { href } of anchors) if (isTel(href)) yield telNumber(href)
  let plus = text.indexOf('+')
  for (let i = 0; plus !== -1 && i < MAX_CANDIDATES; i++, plus = text.indexOf('+', plus + 1)) {
    yield numberAt(text, plus)
  }
}

const isTel = (href: string): boolean => /^tel:/i.test(href)

/** RFC 3966, without the parameters. */
export function telNumber(href: string): string | null {
  if (!isTel(href)) return null
  const [written = ''] = href.slice(4, 4 + 2 * WRITTEN_LENGTH).split(';', 1)
  const digits = withoutSeparators(written.replaceAll('%20', ' ').replace(/^ *%2b/i, '+'))
  return GLOBAL.test(digits) || LOCAL.test(digits) ? digits : null
}

/** `+49 (0)30 …`: the zero is for callers from within, and no part of the number. */
const withoutSeparators = (written: string): string => written.replace('(0)', '').replace(SEPARATORS, '')

function numberAt(text: string, plus: number): string | null {
  if (/[\p{L}\p{N}+=]/u.test(text.charAt(plus - 1))) return null
  const [written = ''] =
    /^\+(?:[ ().\-\u2010-\u2013/\u00a0]{0,3}[0-9])+/.exec(text.slice(plus, plus + WRITTEN_LENGTH)) ?? []
  if (/[\p{L}\p{N}@%]/u.test(text.charAt(plus + written.length))) return null
  const digits = withoutSeparators(written)
  return GLOBAL.test(digits) && isPlausible(digits) ? digits : null
}

/** North American numbers have eleven digits, and a row of zeros is a quantity. */
const isPlausible = (digits: string): boolean =>
  !digits.endsWith('000000') && (!digits.startsWith('+1') || /^\+1[2-9][0-9]{2}[2-9][0-9]{6}$/.test(digits))
