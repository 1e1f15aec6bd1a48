// Parses the responses of a redirect chain as they arrive and keeps the last document.

import type { Navigation } from '../../network/fetch.ts'
import { type Fields, fieldValues, type Receive } from '../../network/http.ts'
import { bounds } from '../document/collected.ts'
import type { Document } from '../document/facts.ts'
import { isMarkup, mediaType } from '../document/media_type.ts'
import { createPageParser, emptyDocument, type PageParser } from '../document/page_parser.ts'

export interface PageReader {
  readonly receive: Receive
  /** Null when nothing answered. Call it once, after the last response. */
  document(navigation: Navigation): Document | null
}

export function createPageReader(): PageReader {
  let parser: PageParser | null = null
  return {
    receive: ({ url, headers }) => {
      const contentType = mediaType(fieldValues(headers, 'content-type'))
      const begun = isMarkup(contentType) ? createPageParser(url, contentType) : null
      parser = begun
      return begun ? begun.write : null
    },
    document({ exchanges, failure }) {
      const last = exchanges.at(-1)
      if (!last || failure !== null) return null
      const truncated = last.truncated !== null
      const { is_html, ...document } = parser?.end(truncated) ?? emptyDocument(last.url, truncated)
      // An object literal that starts with a spread would give each document its own hidden class.
      return { is_html, ...document, metas: [...refreshes(last.headers), ...document.metas] }
    },
  }
}

/** Browsers treat the `Refresh` header like the meta element (HTML). */
const refreshes = (headers: Fields): Document['metas'] =>
  fieldValues(headers, 'refresh')
    .slice(0, 1)
    .map(content => ({ name: 'refresh', content: content.slice(0, bounds.content) }))
