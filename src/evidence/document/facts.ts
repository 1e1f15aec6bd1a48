// The parsed home page: bounded facts that analyzers need, never the page itself.
import type { Disguise } from './script/value.ts'
import type { WritingMeans } from './script/writes.ts'

export interface Link {
  /** Absolute http(s) URL, or the attribute as written when it does not resolve to one (`mailto:`, `javascript:`). */
  readonly href: string
  readonly text: string
  readonly rel: readonly string[]
}

export interface Form {
  readonly action: string | null
  /** `formaction` of each submit button, which replaces `action`. At most 16. */
  readonly formactions: readonly string[]
  readonly method: string
  /** `type` of each input, lower case. */
  readonly inputs: readonly string[]
}

/**
 * What scripts write into the page, as far as it can be read without running them: constants are decoded and followed to where they
 * are written.
 */
export interface WrittenByScripts {
  /** Markup that was parsed as a part of the page, at most 16. */
  readonly read: readonly {
    readonly means: WritingMeans
    /** How it was encoded; null for plain markup. */
    readonly disguise: Disguise | null
    /** Characters of text that it draws. */
    readonly characters: number
    /** Fields that are not hidden, and buttons. */
    readonly controls: number
    /** Which of the fields in `look` it draws: the first, and the one after the last. Absent in older recordings. */
    readonly fields?: readonly [from: number, to: number]
  }[]
  /** What may be written but cannot be read, because it depends on what is not in the page or takes too long; at most 16. */
  readonly unread: readonly Unread[]
  /** Constant URLs to which scripts leave the page by themselves and without a condition, as written, at most 16. */
  readonly destinations: readonly string[]
  /** Seconds that a script waits before each of them. Absent if none waits, and in older recordings. */
  readonly waits?: readonly number[]
  /** Statements of scripts that leave the page for a literal URL, at most 16. Absent in older recordings. */
  readonly leaves?: readonly Leave[]
}

export interface Unread {
  /** Null if the script was not read to its end, or is written in a way that cannot be followed. */
  readonly means: WritingMeans | null
  /** How it is decoded; null if it is not, or if that is not known. */
  readonly disguise: Disguise | null
  /** It may take the place of the page. */
  readonly replaces: boolean
  /** The page holds what may be it. */
  readonly isHeld: boolean
}

/** A statement of a script that leaves the page. */
export interface Leave {
  /** The URL, or its beginning, as written. */
  readonly written: string
  /** The script does nothing else, and by itself: it computes nothing, has no condition and waits for no click. */
  readonly isCertain: boolean
  /** Seconds that such a script waits; else 0. */
  readonly seconds: number
}

/** A visible or hidden form field. */
export interface Field {
  /** `type` of an input in lower case, or `select` or `textarea`. */
  readonly type: string
  readonly name: string
  readonly autocomplete: string
  readonly placeholder: string
  /** Where it stands: characters of `shown` before it. Absent in older recordings. */
  readonly at?: number
  /** Which of the page's `actions` its form has. Absent outside of forms, and in older recordings. */
  readonly form?: number
}

export interface Picture {
  readonly src: string
  readonly alt: string
  /** Where it stands: characters of `shown` before it. Absent in older recordings. */
  readonly at?: number
  /** URL, as written, of the link that it is in. Absent outside of links, and in older recordings. */
  readonly link?: string
}

/** Number of URLs by the way they are written in the markup. */
export interface Written {
  /** `login.php`, `css/a.css` */
  relative: number
  /** `/login` */
  rooted: number
  /** With a scheme or `//`. */
  absolute: number
  /** Empty, `#` or `javascript:`: leads nowhere. */
  dead: number
  /** `#part`, `mailto:`, `data:` and others. */
  other: number
}

export interface Look {
  /** At most 128. */
  readonly fields: readonly Field[]
  /** Texts of labels, at most 64. */
  readonly labels: readonly string[]
  /** Texts of buttons, at most 32. */
  readonly buttons: readonly string[]
  /** At most 100. */
  readonly images: readonly Picture[]
  readonly anchors: Written
  /** URLs of visible links as written, at most 300. */
  readonly targets: readonly string[]
  /** URLs of scripts, style sheets and images. */
  readonly resources: Written
  /** `action` of each form as written, at most 16. */
  readonly actions: readonly string[]
  /** Where each of these forms begins and ends: characters of `shown` before it. Absent in older recordings. */
  readonly spans?: readonly (readonly [from: number, to: number])[]
  /**
   * URLs, as written, of frames and embedded objects that are neither hidden nor small, at most 16. Absent in older
   * recordings.
   */
  readonly frames?: readonly string[]
  /** Scripts in `onload` attributes, at most 16. Absent in older recordings. */
  readonly onload?: readonly string[]
  /** Text that is not hidden by a style or an attribute, cut at 32 Ki. */
  readonly shown: string
  readonly shown_words: number
  readonly hidden_characters: number
  /** Latin letters and digits that are written as character references. */
  readonly coded_letters: number
  /** Number of elements by name, for the names that are counted. */
  readonly elements: Readonly<Record<string, number>>
  /** Distinct names of event handlers (`oncontextmenu`), at most 32. */
  readonly handlers: readonly string[]
  /** A style shows characters as dots in fields that are not password fields. */
  readonly masked_text: boolean
}

/** What the static page draws, and what may draw the rest. Each number is at most 1,000. */
export interface Drawn {
  /** Words of text that is not hidden. */
  readonly words: number
  /** Fields, and buttons, that are not hidden. */
  readonly fields: number
  readonly buttons: number
  /** Pictures, drawings and videos that are neither hidden nor tiny. */
  readonly pictures: number
  /** Scripts that run by themselves: in the page, of its site, and of other sites. */
  readonly scripts: { readonly inline: number; readonly own: number; readonly foreign: number }
  /** Frames and embedded objects that are neither hidden nor small, of the page's site and of other sites. */
  readonly frames: {
    readonly own: number
    readonly foreign: number
    /** Others that are not hidden: small ones, and those whose document is in the page (`srcdoc`, `data:`). Absent in older recordings. */
    readonly other?: number
  }
  /** A frame with a document of its own covers the window, whatever the page shows beneath it. Absent in older recordings. */
  readonly covered?: boolean
}

/** Where an element stands that has a meaning of its own in the head. */
export interface Placed {
  /**
   * `body`: after what ended the head, whatever the markup says. `noscript`: where browsers and crawlers that run scripts do
   * not look. Absent in the head, and in older recordings.
   */
  readonly at?: 'body' | 'noscript'
}

export const isInHead = ({ at }: Placed): boolean => at === undefined

type LinkElement = Document['links'][number]

/** Search engines pass over a canonical link outside of the head, and over one that is for one variant of the page only. */
export const isCanonical = (link: Pick<LinkElement, 'rel' | 'hreflang'> & Partial<LinkElement>): boolean =>
  link.rel.includes('canonical') && isInHead(link) && !(link.hreflang || link.type || link.media || link.lang)

/**
 * Every list is capped and every string printable, white space folded and cut: 512 UTF-16 code units, URLs 2,048, meta
 * contents 4,096, `text` 200 Ki, inline scripts 256 Ki and JSON-LD 64 Ki in all; comments, ids, classes, attribute names and
 * custom elements 128 Ki each in all.
 */
export interface Document {
  /** The media type is that of HTML or XML and the body is not empty. If false, everything else is empty. */
  readonly is_html: boolean
  readonly url: string
  /**
   * The URL of the frame that fills the page, if this is its document. The page keeps its URL, title, metas and links; everything
   * else is what the frame draws. Absent without such a frame, and in older recordings.
   */
  readonly frame?: string
  readonly charset: string
  readonly title: string | null
  /** Title elements of the page; only the first counts. Absent in older recordings. */
  readonly titles?: number
  readonly lang: string | null
  /** Absolute. */
  readonly base: string | null
  /** The text after `<!`, such as `doctype html`. */
  readonly doctype: string | null
  /**
   * `http-equiv` of each meta element, and its `name`, `property` or `itemprop`, in lower case; an element with both has
   * two entries. The `Refresh` header of the response comes first.
   */
  readonly metas: readonly (Placed & { readonly name: string; readonly content: string })[]
  /** `<link>` elements. */
  readonly links: readonly (Placed & {
    readonly rel: readonly string[]
    readonly href: string
    readonly hreflang: string | null
    readonly type: string | null
    /** Absent without the attribute, and in older recordings. */
    readonly media?: string
    readonly lang?: string
  })[]
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
  /** `type` of each input outside any form. */
  readonly formless_inputs: readonly string[]
  readonly headings: readonly { readonly level: number; readonly text: string }[]
  /** Visible text for contacts and word counts, white space folded, cut. */
  readonly text: string
  readonly word_count: number
  /** Inline scripts and JSON-LD blocks, cut. */
  readonly inline_scripts: readonly string[]
  /** Those of the page that led on to this document, or whose frame shows it. Absent otherwise. */
  readonly scripts_before?: readonly string[]
  readonly json_ld: readonly string[]
  /** Each cut at 256 characters. */
  readonly comments: readonly string[]
  /** Values of `data-cfemail`: hexadecimal, a key octet and the address XORed with it. */
  readonly cloaked_emails: readonly string[]
  /** Distinct traces of frameworks: ids, classes, and names of non-standard attributes and elements. */
  readonly ids: readonly string[]
  readonly classes: readonly string[]
  readonly attribute_names: readonly string[]
  readonly custom_elements: readonly string[]
  /**
   * SHA-256 in hexadecimal of the start tags of its markup in document order, one a line: the name, and for a field a space and its type.
   * Frames and what scripts write do not count. Null when only a part was read; absent in older recordings.
   */
  readonly structure?: string | null
  /** The visible part of the page and the data it requests. Absent in older recordings. */
  readonly look?: Look
  /** Absent in older recordings. */
  readonly written?: WrittenByScripts
  /** Absent in older recordings. */
  readonly drawn?: Drawn
  /** A browser ran the scripts of the page, and this is what they made of it. Absent otherwise. */
  readonly after_scripts?: true
  readonly truncated: boolean
}
