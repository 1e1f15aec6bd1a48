// How a plugin presents its section to people: the contract. Plain data; texts of the target are kept apart from the plugin's texts.

/** Text of the target within a plugin's text: shown isolated and never interpreted. */
export interface Quoted {
  readonly text: string
}

export type Sentence = readonly (string | Quoted)[]

/**
 * Null means unknown; an empty list means that nothing exists. Any text may come from the target, so every value is shown isolated.
 */
export type Value = string | number | boolean | null | Quoted | readonly string[]

export type Fact = readonly [label: string, value: Value]

export interface Table {
  readonly title: string
  readonly columns: readonly string[]
  /** Each has a value for every column. */
  readonly rows: readonly (readonly Value[])[]
}

export interface Remark {
  /** One sentence: what was observed, or what to change. */
  readonly text: string
  /** As a signal’s; `info` if absent. */
  readonly severity?: 'critical' | 'high' | 'medium' | 'low' | 'info'
  readonly reason?: string
  /** The signals that say the same: the remark is left out of a report that has one of them. */
  readonly signals?: readonly string[]
}

export interface Source {
  readonly label: string
  /** http or https. */
  readonly url: string
}

export const FIX_LANGUAGES = [
  'nginx',
  'apache',
  'caddy',
  'iis',
  'cloudflare',
  'cloudfront',
  'fastly',
  'netlify',
  'vercel',
  'dns',
  'http',
] as const

/** Lines to paste. They must be made of constants and checked values: readers trust them. */
export interface Fix {
  readonly title: string
  readonly language: (typeof FIX_LANGUAGES)[number]
  readonly code: string
}

/** Where something is, for a small map. Degrees, WGS 84. */
export interface MapPoint {
  readonly label: string
  readonly latitude: number
  readonly longitude: number
}

/** A party that the target depends on. The report draws the parties of all sections as one picture. */
export interface Dependency {
  /** What they do for it: “Hosted by”, “Certified by”. */
  readonly role: string
  readonly party: string
}

/** A time with a beginning and an end, such as the life of a certificate. ISO 8601 in UTC. */
export interface Span {
  readonly label: string
  readonly from: string
  readonly to: string
}

/** A step on the way to the page. */
export interface RedirectStep {
  /** The URL that leads on. */
  readonly url: string
  /** How it leads on: “301”, “200, meta refresh”. */
  readonly by: string
}

/** A section in words. */
export interface Description {
  /** One to three sentences; empty if there is nothing to say besides the facts. */
  readonly summary: Sentence
  readonly facts: readonly Fact[]
  readonly tables?: readonly Table[]
  readonly remarks?: readonly Remark[]
  /** Where to read more. */
  readonly links?: readonly Source[]
  readonly fixes?: readonly Fix[]
  readonly place?: MapPoint
  readonly dependencies?: readonly Dependency[]
  /** For the title card at the top of the report: what the site says about itself, and since when it has been known. */
  readonly card?: readonly Fact[]
  /** Drawn as bars, with the time of the check on them. */
  readonly spans?: readonly Span[]
  /** Redirects, in their order; drawn as a chain that ends at the page. */
  readonly hops?: readonly RedirectStep[]
  /** Of 100, if the section grades itself; null if there was nothing to grade. */
  readonly score?: number | null
}

export interface Described {
  /** No part of the section is unknown: null then means that the value does not exist. */
  readonly isWhole: boolean
  /** The checked name in A-labels; null if an address was checked. */
  readonly domain: string | null
  /** When the target was checked, ISO 8601, UTC; absent if that is not known. */
  readonly checked_at?: string
}

/** How a section is shown. Everything but `describe` is data, and is also read from plugins in processes of their own. */
export interface Presentation<Section = unknown> {
  /** A few words without a full stop. */
  readonly title: string
  /** What is checked, as the end of “We check …”. */
  readonly looks: string
  /** Smaller comes first. The built-in sections have 10 (reputation) to 170; 100 if absent. */
  readonly order?: number
  /** The section informs and judges nothing: it is never called good. */
  readonly informs?: boolean
  /**
   * Pure and synchronous. Without it, or if it throws or returns another shape, the section is described by its schema:
   * titles of fields as labels, lists and tables.
   */
  describe?(section: Section, described: Described): Description
}

export const DEFAULT_ORDER = 100
