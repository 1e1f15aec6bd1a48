// Evidence for plugin tests: addresses, pages and documents. A test writes only the relevant parts.
import type { Addresses } from '../evidence/addresses/facts.ts'
import type { Document } from '../evidence/document/facts.ts'
import type { Exchange, Page } from '../evidence/page/facts.ts'

/** A response; `headers` as lines of `name: value`. */
export interface ResponseGiven {
  readonly url?: string
  readonly status?: number
  readonly headers?: readonly string[]
}

export function exchangeOf({ url = 'https://example.com/', status = 200, headers = [] }: ResponseGiven): Exchange {
  return {
    url,
    address: '93.184.216.34',
    status,
    http_version: '1.1',
    headers: headers.map(line => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon), line.slice(colon + 1).trim()] as const
    }),
    wire_bytes: 0,
    decoded_bytes: 0,
    truncated: null,
  }
}

/** Responses in order, the page's last. */
export const pageOf = (...responses: readonly ResponseGiven[]): Page => ({
  exchanges: responses.map(exchangeOf),
  failure: null,
  stopped: null,
  stopped_at: null,
})

const EMPTY: Document = {
  is_html: true,
  url: 'https://example.com/',
  charset: 'utf-8',
  title: null,
  lang: null,
  base: null,
  doctype: null,
  metas: [],
  links: [],
  anchors: [],
  scripts: [],
  iframes: [],
  images: { total: 0, without_alt: 0 },
  forms: [],
  formless_inputs: [],
  headings: [],
  text: '',
  word_count: 0,
  inline_scripts: [],
  json_ld: [],
  comments: [],
  cloaked_emails: [],
  ids: [],
  classes: [],
  attribute_names: [],
  custom_elements: [],
  truncated: false,
}

/** An HTML document. Words are counted from the text unless given. */
export const documentOf = (parts: Partial<Document> = {}): Document => ({
  ...EMPTY,
  word_count: parts.text?.split(/\s+/).filter(Boolean).length ?? 0,
  ...parts,
})

/** The addresses of a name, all public and dialable. */
export function addressesOf(...addresses: readonly string[]): Addresses {
  const answers = addresses.map(address => ({
    address,
    family: address.includes(':') ? (6 as const) : (4 as const),
    refused: null,
  }))
  return { status: 'found', answers, dialable: answers, cnames: [], ttl: 300, authenticated: false }
}
