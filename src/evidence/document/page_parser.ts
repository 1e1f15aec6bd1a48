// Octets of a page in, a document out: decoded and parsed as they stream by, and not kept.

import { createPageDecoder } from './charset.ts'
import { createDocumentBuilder } from './document_builder.ts'
import type { Document } from './facts.ts'
import { createTagStream } from './tag_stream.ts'

export interface PageParser {
  write(octets: Buffer): void
  /** `truncated`: the octets are not all of the page. */
  end(truncated: boolean): Document
}

const XHTML = 'application/xhtml+xml'
/** Those of pages; the last two say that there is none, and then browsers look (MIME Sniffing section 7). */
const markupTypes: ReadonlySet<string> = new Set(['text/html', XHTML, 'application/unknown', 'unknown/unknown'])

/** Whether the media type is that of a page; without one the octets are taken for one, as browsers do. */
export function isMarkup(contentType: string | null): boolean {
  return contentType === null || markupTypes.has(essenceOf(contentType))
}

const essenceOf = (contentType: string): string => contentType.split(';', 1)[0] ?? ''

export function createPageParser(url: string, contentType: string | null): PageParser {
  const decoder = createPageDecoder(contentType)
  const builder = createDocumentBuilder(url)
  const tags = createTagStream(builder, contentType !== null && essenceOf(contentType) === XHTML)
  let octetsSeen = 0
  return {
    write(octets) {
      octetsSeen += octets.length
      tags.write(decoder.write(octets))
    },
    end(truncated) {
      tags.write(decoder.end(truncated))
      tags.end()
      return builder.build({ is_html: octetsSeen > 0, charset: decoder.charset(), truncated })
    },
  }
}

/** What stands for a response that is no page. */
export function emptyDocument(url: string, truncated: boolean): Document {
  return createPageParser(url, null).end(truncated)
}
