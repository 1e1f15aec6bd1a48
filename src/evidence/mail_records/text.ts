// Text out of DNS and policy files, made fit to be shown.
import { truncate, withoutUnprintable } from '../../printable.ts'

/** Characters of a record that are shown: eight times the longest text a single string of a TXT record can hold. */
export const RECORD_CHARACTERS = 4_096
/** Characters of a name, an address or another single value that are shown. */
export const VALUE_CHARACTERS = 512

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Octets held one a character (latin1) as the text they spell: UTF-8 where they are valid UTF-8, else latin1. */
function decoded(octets: string): string {
  try {
    return utf8.decode(Buffer.from(octets, 'latin1'))
  } catch {
    return octets
  }
}

/** Printable, well-formed and short: decoded, without control and format characters, at most `characters` code units. */
export function readable(octets: string, characters = RECORD_CHARACTERS): string {
  // Four octets at most make one character; what is beyond cannot be shown and need not be decoded.
  return truncate(withoutUnprintable(decoded(octets.slice(0, characters * 4))), characters)
}
