// The shape of the rules that recognise what is served in a page's place.
import type { RecognisedKind } from './facts.ts'

/** Every condition given must hold; of a list, one member. Texts are lower case and match anywhere unless said. */
export interface Conditions {
  readonly status?: readonly number[]
  /** Name, and a part of the value; '' means that the header is there. */
  readonly header?: readonly (readonly [name: string, part: string])[]
  /** The final URL's host, or a domain above it, when the visit began elsewhere: at home such a service is itself. */
  readonly host?: readonly string[]
  /** A whole segment of the final URL's path. */
  readonly path?: readonly string[]
  /** It was reached by a redirect. */
  readonly redirected?: true
  /** A form asks for a password. */
  readonly password?: true
  readonly title?: readonly string[]
  /** Of the visible text's beginning. */
  readonly text?: readonly string[]
  /** In the address of a script, frame, form, style sheet or refresh, or in an inline script. */
  readonly markup?: readonly string[]
  /** The visible text has no more words: such pages say little, and pages about them say much. */
  readonly words?: number
}

/** Rules may share an id: each is one way to recognise the same thing. */
export interface Rule {
  readonly id: string
  readonly kind: RecognisedKind
  /** Who serves it, or what it is, for the documentation. */
  readonly about: string
  readonly when: Conditions
}

/** A table of one kind: id, what it is about, its conditions. */
export const rulesOf = (
  kind: RecognisedKind,
  rows: readonly (readonly [id: string, about: string, when: Conditions])[],
): readonly Rule[] => rows.map(([id, about, when]) => ({ id, kind, about, when }))
