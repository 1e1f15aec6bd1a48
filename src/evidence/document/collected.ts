// What has been seen of a page so far, while it streams by.

import { bounds } from './bounds.ts'
import type { Document, Form, Link } from './facts.ts'
import { type FoldedText, foldedText } from './folded_text.ts'

type List<Name extends keyof Document> = Document[Name] extends readonly (infer Item)[] ? Item[] : never

/** A form while its fields come by. */
export interface CollectedForm extends Form {
  readonly formactions: string[]
  readonly inputs: string[]
}

/** Pieces of scripts, or comments, as many as are kept. */
export interface Pieces {
  readonly texts: string[]
  left: number
}

/** Distinct texts, as many as there is room for. */
export interface Marks {
  readonly texts: Set<string>
  /** Characters left. */
  left: number
}

const noMarks = (): Marks => ({ texts: new Set(), left: bounds.marks })

export interface Collected {
  readonly url: string
  base: string | null
  lang: string | null
  doctype: string | null
  /** What links say and where that leads, of those seen under this base. */
  readonly references: Map<string, string>
  readonly metas: List<'metas'>
  readonly links: List<'links'>
  readonly anchors: { readonly link: Omit<Link, 'text'>; readonly text: FoldedText }[]
  contacts: number
  readonly scripts: List<'scripts'>
  readonly inline: Pieces
  readonly jsonLd: Pieces
  readonly iframes: string[]
  readonly images: { total: number; without_alt: number }
  /** The head is over: an element that cannot stand in it has begun. */
  inBody: boolean
  /** Within a noscript element, whose content browsers with scripts do not show. */
  unscripted: boolean
  readonly forms: CollectedForm[]
  /** By their `id`, the first of each. */
  readonly formsById: Map<string, CollectedForm>
  /** Fields that name their form, wherever that stands: known when all forms are. */
  readonly strays: { readonly owner: string; readonly input: string | null; readonly formaction: string | null }[]
  readonly looseInputs: string[]
  readonly headings: { readonly level: number; readonly text: FoldedText }[]
  readonly comments: Pieces
  readonly cloakedEmails: Set<string>
  readonly ids: Marks
  readonly classes: Marks
  /** `class` attributes seen, as written. */
  readonly classLists: Set<string>
  readonly attributes: Marks
  readonly elements: Marks
  readonly visible: FoldedText
  readonly title: FoldedText
  titles: number
  /** What the text that comes now belongs to, besides the visible text. */
  readonly into: {
    anchor: FoldedText | null
    heading: FoldedText | null
    script: Pieces | null
    form: CollectedForm | null
  }
}

export const nothingCollected = (url: string): Collected => ({
  url,
  base: null,
  lang: null,
  doctype: null,
  references: new Map(),
  metas: [],
  links: [],
  anchors: [],
  contacts: 0,
  scripts: [],
  inline: { texts: [], left: bounds.inline },
  jsonLd: { texts: [], left: bounds.jsonLd },
  iframes: [],
  images: { total: 0, without_alt: 0 },
  inBody: false,
  unscripted: false,
  forms: [],
  formsById: new Map(),
  strays: [],
  looseInputs: [],
  headings: [],
  comments: { texts: [], left: bounds.marks },
  cloakedEmails: new Set(),
  ids: noMarks(),
  classes: noMarks(),
  classLists: new Set(),
  attributes: noMarks(),
  elements: noMarks(),
  visible: foldedText(bounds.visible),
  title: foldedText(bounds.string),
  titles: 0,
  into: { anchor: null, heading: null, script: null, form: null },
})
