// Reads a distinguished name (RFC 5280 section 4.1.2.4) as display text and as a key for comparison.
import { printable } from '../../base/printable.ts'
import { dottedOid, type Element, elements, inside, tags } from './der.ts'
import type { DistinguishedName } from './facts.ts'

interface Attribute {
  readonly type: string
  readonly value: string
}

/** Characters kept of one name. */
const NAME_CHARACTERS = 256
/** Attributes read of one name; real names have fewer than ten. */
const ATTRIBUTES = 64

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

/** Decodes big-endian code points of `width` octets; invalid ones become U+FFFD. */
function wideText(content: Buffer, width: 2 | 4): string {
  let text = ''
  for (let at = 0; at + width <= content.length && text.length < NAME_CHARACTERS * 2; at += width) {
    const point = content.readUIntBE(at, width)
    text += width === 2 ? String.fromCharCode(point) : String.fromCodePoint(point > 0x10ffff ? 0xfffd : point)
  }
  return text
}

/** Decodes every ASN.1 string type. ASCII types are read as Latin-1 so that no octet is lost. */
function stringValue({ tag, content }: Element): string {
  const width = wide[tag]
  if (width !== undefined) return wideText(content, width)
  return content.subarray(0, NAME_CHARACTERS * 4).toString(tag === stringTags.utf8 ? 'utf8' : 'latin1')
}

function attributes(name: Buffer): Attribute[] {
  return elements(name, ATTRIBUTES)
    .flatMap(set => (set.tag === tags.set ? elements(set.content, ATTRIBUTES) : []))
    .slice(0, ATTRIBUTES)
    .flatMap(pair => {
      const [type, value] = elements(pair.content, 2)
      if (type?.tag !== tags.oid || value === undefined) return []
      return [{ type: dottedOid(type.content), value: stringValue(value) }]
    })
}

/** Reads a Name; null when it has no attributes, which RFC 5280 allows for subjects. */
export function readName(bytes: Buffer): DistinguishedName | null {
  const [outer] = elements(bytes, 1)
  const parts = outer === undefined ? [] : attributes(outer.content)
  if (parts.length === 0) return null
  const first = (type: string): string | null =>
    parts.filter(part => shortNames[part.type] === type).map(part => printable(part.value, NAME_CHARACTERS))[0] || null
  const common = first('CN')
  const organization = first('O')
  const whole = parts.map(part => `${shortNames[part.type] ?? part.type}=${part.value}`).join(', ')
  const label = common ?? organization ?? first('OU') ?? printable(whole, NAME_CHARACTERS)
  return { label, common_name: common, organization, country: first('C') }
}

/** Equal for names that match: case and white space do not count (RFC 5280 section 7.1). */
export function nameKey(bytes: Buffer): string {
  return inside(bytes, ATTRIBUTES)
    .map(set =>
      attributes(set.whole)
        .map(({ type, value }) => `${type}=${value.trim().replace(/\s+/g, ' ').toLowerCase()}`)
        .sort()
        .join('+'),
    )
    .join('\n')
}
