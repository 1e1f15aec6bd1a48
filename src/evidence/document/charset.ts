// Determines the character encoding of a page (HTML, "determining the character encoding") and decodes its octets as they
// arrive.
// No library: html-encoding-sniffer brings a tokenizer of its own; here the page's tag stream finds the meta element, and a page
// without a declaration is decoded as UTF-8 for as long as it is valid UTF-8.
import { isUtf8 } from 'node:buffer'
import { charsetOf } from '../../network/media_type.ts'
import { type Attributes, TagStream } from './tag_stream.ts'

/** Octets that are searched for a byte order mark and a declaration. */
const PRESCAN_BYTES = 1_024
/** Octets held while no encoding is declared. */
const MAX_HELD_BYTES = 1024 * 1024

/**
 * `contentType` is a media type, or null. If neither it nor the first octets declare an encoding, octets that are not
 * ASCII wait for a meta element: browsers parse such a page again when they find one (HTML, "change the encoding").
 */
export function createPageDecoder(contentType: string | null) {
  const heldChunks: Buffer[] = []
  let length = 0
  let decoder: Decoder | null = null
  /** Looks for a meta element beyond the first octets. */
  let late: MetaSeeker | null = null
  const release = (label: string | null, octets: Buffer): string => {
    decoder = label === null ? guessingDecoder() : decoderOf(label)
    return decoder.write(octets)
  }
  const undeclaredWhole = (octets: Buffer, isTruncated: boolean): string => {
    const whole = isTruncated ? octets.subarray(0, octets.length - begunAtEnd(octets).length) : octets
    const isValid = isUtf8(whole)
    decoder = decoderOf(isValid ? 'utf-8' : 'windows-1252')
    return decoder.write(isValid ? whole : octets)
  }
  const take = (): Buffer => {
    const octets = Buffer.concat(heldChunks.splice(0))
    length = 0
    return octets
  }
  const hold = (octets: Buffer): void => {
    heldChunks.push(octets)
    length += octets.length
  }
  const start = (): string => {
    const octets = take()
    const label =
      byteOrderMark(octets) ?? encodingOf(charsetOf(contentType ?? '')) ?? prescan(octets.subarray(0, PRESCAN_BYTES))
    if (label !== null) return release(label, octets)
    late = createMetaSeeker()
    return seek(octets, late)
  }
  const seek = (octets: Buffer, seeker: MetaSeeker): string => {
    const label = seeker.write(octets)
    // All encodings that a meta element can declare decode ASCII alike, except for the escapes of ISO-2022-JP.
    const isAscii = length === 0 && !octets.some(octet => octet >= 0x80 || octet === 0x1b)
    if (isAscii && label === null) return octets.toString('latin1')
    hold(octets)
    return label !== null || length >= MAX_HELD_BYTES ? release(label, take()) : ''
  }
  return {
    /** Lower-case name; final once any text was returned. */
    charset: () => decoder?.name() ?? 'utf-8',
    write(octets: Buffer) {
      if (decoder) return decoder.write(octets)
      if (late) return seek(octets, late)
      hold(octets)
      return length < PRESCAN_BYTES ? '' : start()
    },
    /** `isTruncated`: the page has more octets than were written. */
    end(isTruncated: boolean) {
      const firstText = decoder || late ? '' : start()
      return firstText + (decoder ? decoder.end(isTruncated) : undeclaredWhole(take(), isTruncated))
    },
  }
}

interface Decoder {
  write(octets: Buffer): string
  end(isTruncated: boolean): string
  name(): string
}

function byteOrderMark(octets: Buffer): string | null {
  if (octets[0] === 0xef && octets[1] === 0xbb && octets[2] === 0xbf) return 'utf-8'
  if (octets[0] === 0xfe && octets[1] === 0xff) return 'utf-16be'
  return octets[0] === 0xff && octets[1] === 0xfe ? 'utf-16le' : null
}

/** The encoding that a meta element's content names (HTML, "extracting a character encoding from a meta element"). */
export function charsetIn(content: string): string | null {
  const match = /charset\s{0,9}=\s{0,9}(?:"([^"]{0,40})"|'([^']{0,40})'|([^\s"';][^\s;]{0,39}))/i.exec(
    content.slice(0, 1_024),
  )
  const [, double, single, bare] = match ?? []
  return (double ?? single ?? bare)?.toLowerCase() ?? null
}

/** The name of the encoding with this label (Encoding, "get an encoding"), or null if no encoding has it. */
function encodingOf(label: string | null): string | null {
  if (label === null) return null
  try {
    return new TextDecoder(label).encoding
  } catch {
    return null
  }
}

/** The encoding that the attributes of a meta element declare. A UTF-16 label that could be read as ASCII means UTF-8. */
function declaredBy(attributes: Pick<Attributes, 'get'>): string | null {
  const isContentType = attributes.get('http-equiv')?.toLowerCase() === 'content-type'
  const inContent = isContentType ? charsetIn(attributes.get('content') ?? '') : null
  return readable(encodingOf(attributes.get('charset')?.trim().toLowerCase() ?? inContent))
}

const readable = (name: string | null): string | null => {
  if (name === 'x-user-defined') return 'windows-1252'
  return name?.startsWith('utf-16') ? 'utf-8' : name
}

const COMMENT = /<!--/y
const META = /<meta(?=[\t\n\f\r /])/iy
const TAG = /<\/?[a-z][^\t\n\f\r >]*/iy
const DECLARATION = /<[!/?]/y
const ATTRIBUTE =
  /[\t\n\f\r /]*([^\t\n\f\r />][^\t\n\f\r />=]*)[\t\n\f\r ]*(?:=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r >"'][^\t\n\f\r >]*)?))?/y
const TAG_END = /[\t\n\f\r /]*>/y

/** "Prescan a byte stream to determine its encoding": skips comments and tags, but not scripts. */
function prescan(octets: Buffer): string | null {
  const text = octets.toString('latin1')
  let at = text.indexOf('<')
  const skip = (pattern: RegExp): string[] | null => {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match !== null) at = pattern.lastIndex
    return match
  }
  /** Null if the octets end within the tag. */
  const attributes = (): ReadonlyMap<string, string> | null => {
    const all = new Map<string, string>()
    while (skip(TAG_END) === null) {
      const [, name, double, single, bare] = skip(ATTRIBUTE) ?? []
      if (name === undefined) return null
      const key = name.toLowerCase()
      if (!all.has(key)) all.set(key, double ?? single ?? bare ?? '')
    }
    return all
  }
  const after = (end: string, from: number): number => {
    const position = text.indexOf(end, from)
    return position < 0 ? text.length : position + end.length
  }
  for (; at >= 0; at = text.indexOf('<', at)) {
    if (skip(COMMENT) !== null) at = after('-->', at - 2)
    else if (skip(META) !== null || skip(TAG) !== null) {
      const isMeta = META.lastIndex === at
      const tagAttributes = attributes()
      if (tagAttributes === null) break
      const label = isMeta ? declaredBy(tagAttributes) : null
      if (label !== null) return label
    } else if (skip(DECLARATION) !== null) at = after('>', at)
    else at += 1
  }
  return xmlEncoding(text)
}

type MetaSeeker = ReturnType<typeof createMetaSeeker>

function createMetaSeeker() {
  let declaredEncoding: string | null = null
  const stream = new TagStream({
    open(name, attributes) {
      if (declaredEncoding === null && name === 'meta') declaredEncoding = declaredBy(attributes)
    },
    close() {},
    text() {},
    comment() {},
    doctype() {},
  })
  return {
    /** The encoding that a meta element has declared so far, or null. */
    write(octets: Buffer) {
      if (declaredEncoding === null) stream.write(octets.toString('latin1'))
      return declaredEncoding
    },
  }
}

/** "Get an XML encoding": the encoding in an XML declaration at the start of the page. */
function xmlEncoding(text: string): string | null {
  const [declaration = ''] = /^<\?xml\s[^>]*/.exec(text) ?? []
  const [, double, single] = /\sencoding\s{0,9}=\s{0,9}(?:"([^"]{1,40})"|'([^']{1,40})')/.exec(declaration) ?? []
  const name = encodingOf(double ?? single ?? null)
  return name?.startsWith('utf-16') ? 'utf-8' : name
}

function decoderOf(label: string): Decoder {
  const decoder = new TextDecoder(label)
  return {
    name: () => decoder.encoding,
    write: octets => decoder.decode(octets, { stream: true }),
    end: () => decoder.decode(),
  }
}

/**
 * UTF-8 while the octets are valid UTF-8; from the first invalid chunk on windows-1252, the default of old pages. A
 * character that is cut off by the end of a truncated page does not count as invalid.
 */
function guessingDecoder(): Decoder {
  let decoder = new TextDecoder('utf-8', { fatal: true })
  /** The start of a character whose other octets have not arrived. */
  let head: Buffer = Buffer.alloc(0)
  const attempt = (octets: Buffer, stream: boolean): string => {
    try {
      const text = decoder.decode(octets, { stream })
      head = begunAtEnd(Buffer.concat([head, octets.subarray(-CHARACTER)]))
      return text
    } catch {
      const bytes = decoder.encoding === 'utf-8' ? Buffer.concat([head, octets]) : octets
      decoder = new TextDecoder('windows-1252')
      return decoder.decode(bytes, { stream })
    }
  }
  return {
    name: () => decoder.encoding,
    write: octets => attempt(octets, true),
    end: isTruncated => (isTruncated ? '' : attempt(Buffer.alloc(0), false)),
  }
}

/** Octets of the longest character. */
const CHARACTER = 4

/** The octets of a character that has begun and is not complete. */
function begunAtEnd(octets: Buffer): Buffer {
  for (let length = 1; length < CHARACTER && length <= octets.length; length++) {
    const first = octets[octets.length - length] ?? 0
    const whole = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
    if (first >= 0xc0) return whole > length ? octets.subarray(-length) : Buffer.alloc(0)
    if (first < 0x80) break
  }
  return Buffer.alloc(0)
}
