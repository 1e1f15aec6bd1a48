// A distinguished name (RFC 5280 section 4.1.2.4) as text for people and as a key for comparing.
import { printable } from '../../printable.ts'
import { dottedOid, type Element, elements, inside, tags } from './der.ts'
import type { DistinguishedName } from './facts.ts'

interface Attribute {
  readonly type: string
  readonly value: string
}

/** Octets, UTF-16 units: what a result shows of one name. */
const shown = 256
/** Attributes of one name that are read; real names have fewer than ten. */
const mostAttributes = 64

const stringTags = { bmp: 0x1e, universal: 0x1c, utf8: 0x0c } as const
const shortNames: Readonly<Record<string, string>> = {
  '2.5.4.3': 'CN',
  '2.5.4.6': 'C',
  '2.5.4.7': 'L',
  '2.5.4.8': 'ST',
  '2.5.4.10': 'O',
  '2.5.4.11': 'OU',
  '1.2.840.113549.1.9.1': 'emailAddress',
}

const wide: Readonly<Record<number, 2 | 4>> = { [stringTags.bmp]: 2, [stringTags.universal]: 4 }

/** Text of big-endian code points of `width` octets; what is none becomes U+FFFD. */
function wideText(content: Buffer, width: 2 | 4): string {
  let text = ''
  for (let at = 0; at + width <= content.length && text.length < shown * 2; at += width) {
    const point = content.readUIntBE(at, width)
    text += width === 2 ? String.fromCharCode(point) : String.fromCodePoint(point > 0x10ffff ? 0xfffd : point)
  }
  return text
}

/** Strings of every ASN.1 kind; those that claim to be ASCII are read as Latin-1, so that no octet is lost. */
function stringValue({ tag, content }: Element): string {
  const width = wide[tag]
  if (width !== undefined) return wideText(content, width)
  return content.subarray(0, shown * 4).toString(tag === stringTags.utf8 ? 'utf8' : 'latin1')
}

function attributes(name: Buffer): Attribute[] {
  return elements(name, mostAttributes)
    .flatMap(set => (set.tag === tags.set ? elements(set.content, mostAttributes) : []))
    .slice(0, mostAttributes)
    .flatMap(pair => {
      const [type, value] = elements(pair.content, 2)
      if (type?.tag !== tags.oid || value === undefined) return []
      return [{ type: dottedOid(type.content), value: stringValue(value) }]
    })
}

/** What `bytes`, a whole Name, say; null when it has no attributes (RFC 5280 allows that of subjects). */
export function readName(bytes: Buffer): DistinguishedName | null {
  const [outer] = elements(bytes, 1)
  const parts = outer === undefined ? [] : attributes(outer.content)
  if (parts.length === 0) return null
  const first = (type: string): string | null =>
    parts.filter(part => shortNames[part.type] === type).map(part => printable(part.value, shown))[0] || null
  const common = first('CN')
  const organization = first('O')
  const whole = parts.map(part => `${shortNames[part.type] ?? part.type}=${part.value}`).join(', ')
  const label = common ?? organization ?? first('OU') ?? printable(whole, shown)
  return { label, common_name: common, organization, country: first('C') }
}

/** Equal for names that match (RFC 5280 section 7.1: case and white space do not count). */
export function nameKey(bytes: Buffer): string {
  return inside(bytes, mostAttributes)
    .map(set =>
      attributes(set.whole)
        .map(({ type, value }) => `${type}=${value.trim().replace(/\s+/g, ' ').toLowerCase()}`)
        .sort()
        .join('+'),
    )
    .join('\n')
}
