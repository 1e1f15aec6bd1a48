// The page parsed once, while it streamed: what analyzers need of it, bounded, never the page itself.

export interface Link {
  /** Absolute http(s) URL, or the attribute as written when it is not one. */
  readonly href: string
  readonly text: string
  readonly rel: readonly string[]
}

export interface Form {
  readonly action: string | null
  readonly method: string
  /** `type` of each input, lower case. */
  readonly inputs: readonly string[]
}

export interface Document {
  /** The media type said it was HTML and something was parsed; all else is empty when false. */
  readonly is_html: boolean
  readonly url: string
  readonly charset: string
  readonly title: string | null
  readonly lang: string | null
  readonly base: string | null
  /** `name`, `property`, `http-equiv` or `itemprop` of each meta in lower case, with its content. */
  readonly metas: readonly { readonly name: string; readonly content: string }[]
  /** `<link>` elements. */
  readonly links: readonly {
    readonly rel: readonly string[]
    readonly href: string
    readonly hreflang: string | null
    readonly type: string | null
  }[]
  /** `<a href>` elements. */
  readonly anchors: readonly Link[]
  readonly scripts: readonly {
    readonly src: string | null
    readonly type: string | null
    readonly integrity: boolean
  }[]
  readonly iframes: readonly string[]
  readonly images: { readonly total: number; readonly without_alt: number }
  readonly forms: readonly Form[]
  readonly headings: readonly { readonly level: number; readonly text: string }[]
  /** Visible text, white space folded, cut; for contacts and word counts. */
  readonly text: string
  readonly word_count: number
  /** Inline scripts and JSON-LD blocks, cut. */
  readonly inline_scripts: readonly string[]
  readonly json_ld: readonly string[]
  readonly truncated: boolean
}
