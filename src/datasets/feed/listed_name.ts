// A host name as a feed writes it, made one that can be looked up. Pure.
import { domainToASCII } from 'node:url'

/** RFC 1035 section 3.1, less the final dot. */
const LONGEST = 253
/** Letters, digits, hyphens and underscores; two labels at least, the last no number: else it would list a TLD or be an address. */
const shape = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** A-labels in lower case without a wildcard's or a final dot; null when it is no name of a host that feeds could list. */
export function listedName(written: string): string | null {
  if (written.length > LONGEST + 3) return null
  let name = written.toLowerCase()
  if (name.startsWith('*.')) name = name.slice(2)
  else if (name.startsWith('.')) name = name.slice(1)
  if (name.endsWith('.')) name = name.slice(0, -1)
  if (shape.test(name)) return name.length <= LONGEST ? name : null
  if (!/[^\0-\x7f]/.test(name)) return null
  const ascii = domainToASCII(name)
  return ascii.length <= LONGEST && shape.test(ascii) ? ascii : null
}
