// What a browser made of the page: facts, and never the pictures themselves.
import type { Document } from '../document/facts.ts'

export type ScreenKind = 'desktop' | 'phone'

/** A document that the window showed, or was to show. */
export interface Navigation {
  readonly url: string
  /** `visit`: the URL of the check. Otherwise what led there. */
  readonly by: 'visit' | 'redirect' | 'script' | 'refresh' | 'form'
}

/** What a page requested from one host. */
export interface RequestedHost {
  /** With a port that is not the usual one. */
  readonly host: string
  readonly requests: number
  /** As they came, before decoding. */
  readonly octets: number
  /** Number of requests by type: `document`, `script`, `image`, `xhr`, ... */
  readonly types: Readonly<Record<string, number>>
}

export interface Screenshot {
  readonly kind: ScreenKind
  readonly width: number
  readonly height: number
  readonly media_type: 'image/webp'
  /** Of the octets, in hex. */
  readonly sha256: string
  readonly octets: number
}

/** What was drawn, in numbers. */
export interface DrawnCounts {
  readonly words: number
  readonly fields: number
  readonly passwords: number
  readonly buttons: number
}

/** Every list is capped and every string printable and cut: URLs 2,048 UTF-16 code units, other texts 512. */
export interface Rendered {
  /** Why it was rendered. */
  readonly why: 'needed' | 'asked' | 'always'
  /** Where the visit ended, after scripts. */
  readonly url: string
  /** Of the last document; null if it is not known. */
  readonly status: number | null
  readonly title: string | null
  readonly navigations: readonly Navigation[]
  /** The document after scripts. */
  readonly document: Document
  readonly drawn: DrawnCounts
  /** The same of the document as it was served, which no script had changed; its URL, and the scripts that run in it. */
  readonly served: DrawnCounts
  readonly served_url: string
  readonly served_scripts: number
  /** The share of the words of both documents that are in both, from 0 to 1; null when one of them has none. */
  readonly alike: number | null
  /** Everything that the window and its frames requested. */
  readonly requests: number
  readonly hosts: readonly RequestedHost[]
  /** Hosts that could not be contacted, and why; at most 50. */
  readonly refused: readonly { readonly host: string; readonly reason: string }[]
  /** Octets from and to hosts, TLS included. */
  readonly received: number
  readonly sent: number
  /** The budget that ran out, or null. */
  readonly spent: string | null
  readonly console_errors: number
  /** URLs of files that the page started to download; none was kept. */
  readonly downloads: readonly string[]
  /** Kinds and texts of dialogs; all were dismissed. */
  readonly dialogs: readonly string[]
  /** Texts that the page wrote to the clipboard by itself. */
  readonly copied: readonly string[]
  /** Nothing was loading any more when the page was read. */
  readonly settled: boolean
  readonly screenshots: readonly Screenshot[]
  /** Milliseconds. */
  readonly took_ms: number
}
