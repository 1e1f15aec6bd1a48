// The shape of rules that recognise a response served in place of the page.
import type { RecognisedKind } from './facts.ts'

/** Every condition must hold; of a list, at least one member. Texts are lower case and match anywhere unless noted. */
export interface Conditions {
  readonly status?: readonly number[]
  /** Name and part of the value; '' matches any value. */
  readonly header?: readonly (readonly [name: string, part: string])[]
  /** The final URL's host or a parent domain, if the request started at another domain: the service's own site is no match. */
  readonly host?: readonly string[]
  /** A complete segment of the final URL's path. */
  readonly path?: readonly string[]
  /** The response was reached by HTTP redirects alone. */
  readonly redirected?: true
  /** A form asks for a password. */
  readonly password?: true
  readonly title?: readonly string[]
  /** In the first part of the visible text. */
  readonly text?: readonly string[]
  /** In the address of a script, frame, form, style sheet or refresh, or in an inline script. */
  readonly markup?: readonly string[]
  /** Maximum words of visible text: such pages are short, and articles about them are long. */
  readonly words?: number
}

/** Rules that share an id recognise the same thing in different ways. */
export interface Rule {
  readonly id: string
  readonly kind: RecognisedKind
  /** The vendor or kind of page, for the documentation. */
  readonly about: string
  readonly when: Conditions
}

/** Builds the rules of one kind from rows. */
export const rulesOf = (
  kind: RecognisedKind,
  rows: readonly (readonly [id: string, about: string, when: Conditions])[],
): readonly Rule[] => rows.map(([id, about, when]) => ({ id, kind, about, when }))
