// E-mail addresses as targets: only the domain is checked, and the part before the `@` goes nowhere.
import { dataFile, TextList } from '../base/data_file.ts'
import data from './data/free_mail.json' with { type: 'json' }
import type { ParsedText } from './domain.ts'

/** Octets of the local part and of a whole address (RFC 5321 section 4.5.3.1, less the angle brackets of a path). */
const LOCAL_OCTETS = 64
const ADDRESS_OCTETS = 254

/** Any letter beyond ASCII is allowed in both forms of a local part (RFC 6531 section 3.3). */
const BEYOND_ASCII = '\\u{80}-\\u{d7ff}\\u{e000}-\\u{10ffff}'
const ATOM = `[A-Za-z0-9!#$%&'*+/=?^_\`{|}~${BEYOND_ASCII}-]+`
/** Dot-string or quoted string (RFC 5321 section 4.1.2); no control characters. */
const DOT_STRING = new RegExp(`^${ATOM}(?:\\.${ATOM})*$`, 'u')
const QUOTED_STRING = new RegExp(`^"(?:[ !#-\\[\\]-~${BEYOND_ASCII}]|\\\\[ -~])*"$`, 'u')
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}]/u

const refuse = (detail: string): ParsedText => ({ ok: false, detail })

/** The domain of an address as it is written. Details never quote the address. */
export function splitEmail(text: string): ParsedText {
  // A quoted local part may hold an `@`; a domain holds none.
  const at = text.lastIndexOf('@')
  if (at === -1) return refuse('The email has no @.')
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)]
  if (local === '') return refuse('The email has nothing before the @.')
  if (domain === '') return refuse('The email has nothing after the @.')
  if (Buffer.byteLength(local) > LOCAL_OCTETS) return refuse('The email has more than 64 octets before the @.')
  if (Buffer.byteLength(text) > ADDRESS_OCTETS) return refuse('The email is longer than 254 octets.')
  if (CONTROLS.test(local) || !(DOT_STRING.test(local) || QUOTED_STRING.test(local)))
    return refuse('The email has invalid characters before the @.')
  if (domain.startsWith('[')) return refuse('The email has an IP address after the @; use the parameter ip.')
  return { ok: true, value: domain }
}

export const FreeMailFile = dataFile({ domains: TextList })
const FREE_MAIL: ReadonlySet<string> = new Set(data.domains)

/** Whether anyone can get a free address at this domain. In A-labels. */
export const isFreeMail = (domain: string): boolean => FREE_MAIL.has(domain)
