// The character encoding of a page (HTML, "determining the character encoding") and its text as the octets stream in.
// No library: html-encoding-sniffer brings a tokenizer of its own; here the page's tag stream finds the meta element, and a page
// without a declaration is decoded as UTF-8 for as long as it is valid UTF-8.
import { charsetOf } from './media_type.ts'
import { createTagStream } from './tag_stream.ts'

export interface PageDecoder {
  write(octets: Buffer): string
  /** `truncated`: the octets are not all of the page. */
  end(truncated: boolean): string
  /** Lower-case name; known from the first text on. */
  charset(): string
}

/** Octets looked through for a byte order mark and a meta element. */
const prescanned = 1_024

/** `contentType` is a media type, or null. */
export function createPageDecoder(contentType: string | null): PageDecoder {
  let held: Buffer[] = []
  let decoder: Decoder | null = null
  const start = (): string => {
    const octets = Buffer.concat(held)
    held = []
    decoder = chooseDecoder(octets, contentType)
    return decoder.write(octets)
  }
  return {
    charset: () => decoder?.name() ?? 'utf-8',
    write(octets) {
      if (decoder) return decoder.write(octets)
      held.push(octets)
      return held.reduce((sum, { length }) => sum + length, 0) < prescanned ? '' : start()
    },
    end: truncated => (decoder ? '' : start()) + (decoder?.end(truncated) ?? ''),
  }
}

interface Decoder {
  write(octets: Buffer): string
  end(truncated: boolean): string
  name(): string
}

function chooseDecoder(octets: Buffer, contentType: string | null): Decoder {
  const label = byteOrderMark(octets) ?? known(charsetOf(contentType ?? '')) ?? prescan(octets.subarray(0, prescanned))
  return label === null ? undeclared() : declared(label)
}

function byteOrderMark(octets: Buffer): string | null {
  if (octets[0] === 0xef && octets[1] === 0xbb && octets[2] === 0xbf) return 'utf-8'
  if (octets[0] === 0xfe && octets[1] === 0xff) return 'utf-16be'
  return octets[0] === 0xff && octets[1] === 0xfe ? 'utf-16le' : null
}

/** The encoding that a meta element's content names (HTML, "extracting a character encoding from a meta element"). */
export function charsetIn(content: string): string | null {
  const found = /charset\s{0,9}=\s{0,9}(?:"([^"]{0,40})"|'([^']{0,40})'|([^\s"';][^\s;]{0,39}))/i.exec(
    content.slice(0, 1_024),
  )
  const [, double, single, bare] = found ?? []
  return (double ?? single ?? bare)?.toLowerCase() ?? null
}

/** The encoding's own name for a label (Encoding, "get an encoding"), or null when there is no such label. */
function known(label: string | null): string | null {
  if (label === null) return null
  try {
    return new TextDecoder(label).encoding
  } catch {
    return null
  }
}

/** "Prescan a byte stream to determine its encoding": what a meta element declares; an UTF-16 read as ASCII is none. */
function prescan(octets: Buffer): string | null {
  let found: string | null = null
  const stream = createTagStream({
    open(name, attributes) {
      if (found !== null || name !== 'meta') return
      const isContentType = attributes.get('http-equiv')?.toLowerCase() === 'content-type'
      const inContent = isContentType ? charsetIn(attributes.get('content') ?? '') : null
      const declaredName = known(attributes.get('charset')?.trim().toLowerCase() ?? inContent)
      found = declaredName?.startsWith('utf-16') ? 'utf-8' : declaredName
    },
    close() {},
    text() {},
    comment() {},
    doctype() {},
  })
  const text = octets.toString('latin1')
  stream.write(text)
  stream.end()
  return found ?? xmlEncoding(text)
}

/** "Get an XML encoding": what an XML declaration names at the very beginning. */
function xmlEncoding(text: string): string | null {
  const [declaration = ''] = /^<\?xml\s[^>]*/.exec(text) ?? []
  const [, double, single] = /\sencoding\s{0,9}=\s{0,9}(?:"([^"]{1,40})"|'([^']{1,40})')/.exec(declaration) ?? []
  const name = known(double ?? single ?? null)
  return name?.startsWith('utf-16') ? 'utf-8' : name
}

function declared(label: string): Decoder {
  const decoder = new TextDecoder(label)
  return {
    name: () => decoder.encoding,
    write: octets => decoder.decode(octets, { stream: true }),
    end: () => decoder.decode(),
  }
}

/**
 * UTF-8 as long as it is that, and windows-1252, the default of old pages, from the first chunk that is not. A character
 * that the end of a truncated page cuts tells nothing.
 */
function undeclared(): Decoder {
  let decoder = new TextDecoder('utf-8', { fatal: true })
  const attempt = (octets?: Buffer): string => {
    try {
      return octets ? decoder.decode(octets, { stream: true }) : decoder.decode()
    } catch {
      decoder = new TextDecoder('windows-1252')
      return octets ? decoder.decode(octets, { stream: true }) : ''
    }
  }
  return { name: () => decoder.encoding, write: attempt, end: truncated => (truncated ? '' : attempt()) }
}
