// Domain names as DNS has them (RFC 1035 section 2.3.4), and how they nest.

const LABEL_OCTETS = 63
const NAME_OCTETS = 253

/** Lower case, without the final dot. */
export const canonical = (name: string): string => (name.endsWith('.') ? name.slice(0, -1) : name).toLowerCase()

/** DNS can be asked for it: no empty or overlong label, not too long as a whole. The name is canonical. */
export function isAskable(name: string): boolean {
  return name.length <= NAME_OCTETS && name.split('.').every(label => label !== '' && label.length <= LABEL_OCTETS)
}

/** The last label is all digits: an IPv4 address written where a name belongs (RFC 1123 section 2.1). */
export const isNumeric = (name: string): boolean => /^\d+$/.test(name.slice(name.lastIndexOf('.') + 1))
