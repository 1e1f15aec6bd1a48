// Which response the web sections describe, and what it is: the site's own page, or something served in its place.
import { type Static, Type } from 'typebox'
import { nullable } from '../../nullable.ts'
import { isOurFailure, PAGE_WITHHELD } from '../facts.ts'

export type RecognisedKind = 'block' | 'challenge' | 'parking' | 'login_wall' | 'soft_404'

/**
 * `page` and `error` are the site's own answers, of status 2xx and any other. `block`, `challenge`, `parking`,
 * `login_wall` and `soft_404` stand where its page should be. `none`: no response came.
 */
export type ServedKind = 'page' | 'error' | 'none' | RecognisedKind

/** A response that redirected, and the address it came from. */
export interface RedirectHop {
  readonly url: string
  readonly status: number
  readonly address: string
}

export interface Served {
  /** Of the last response; null when none came. */
  readonly url: string | null
  readonly status: number | null
  /** The redirects that led there, in order; all there was when `kind` is `none`. */
  readonly chain: readonly RedirectHop[]
  readonly kind: ServedKind
  /** Id of the rule that recognised it; null for `page`, `error` and `none`. */
  readonly rule: string | null
  /** Why no response came, as the page says it; null when one did. */
  readonly failure: string | null
  /** Why the end of its HTML was not read: `too_large`, `timeout`, `closed`, `bad_encoding`; null when all of it was. */
  readonly cut: string | null
}

/** To be spread among a section's properties. */
export const ServedFields = {
  evaluated_url: Type.String({ description: 'The URL whose response this section speaks of, after redirects.' }),
  status_code: Type.Integer(),
  redirects: Type.Array(Type.Object({ url: Type.String(), status: Type.Integer() }, { additionalProperties: false }), {
    description: 'The responses that led there, in order.',
  }),
  served_as: Type.Enum(['page', 'error', 'block', 'challenge', 'parking', 'login_wall', 'soft_404'], {
    description: 'What the response is: `page` and `error` are the site’s own, the others stand in its page’s place.',
  }),
  recognised_by: nullable(Type.String({ description: 'The rule that recognised what stands in the page’s place.' })),
  blocked: Type.Boolean({ description: 'It is not the site’s own answer, and nothing of it is graded.' }),
}

const schema = Type.Object(ServedFields)

export type ServedSection = Static<typeof schema>

/** Characters of a URL: every section tells each hop, and a Location may fill a response's head. */
const SHOWN = 512

/** A section: the fields, then what it found. A literal that began with a spread would give each a hidden class of its own. */
export const withServed = <Found extends object>(
  { evaluated_url, ...fields }: ServedSection,
  found: Found,
): ServedSection & Found => ({ evaluated_url, ...fields, ...found })

export type ServedOutcome =
  | { readonly ok: true; readonly fields: ServedSection; readonly withheld: Unread; readonly unread: Unread }
  | { readonly ok: false; readonly finding: { readonly notApplicable: string } | { readonly unavailable: string } }

/**
 * To be spread among a finding. `withheld`: why a section about a page that is withheld says nothing of it. `unread`, for
 * sections about what the page holds: likewise, or why its end was not read.
 */
export interface Unread {
  readonly unknown?: string
}

/** Behind these there is a page; a parked name has no other, nor has what does not exist. */
const withholding: ReadonlySet<ServedKind> = new Set<ServedKind>(['block', 'challenge', 'login_wall'])

/** The fields, or the finding to return when there is no response to speak of. */
export function servedFields({ url, status, chain, kind, rule, failure, cut = null }: Served): ServedOutcome {
  if (kind === 'none' || url === null || status === null) {
    const reason = failure ?? 'no_response'
    return { ok: false, finding: isOurFailure(reason) ? { unavailable: reason } : { notApplicable: reason } }
  }
  const fields: ServedSection = {
    evaluated_url: url.slice(0, SHOWN),
    status_code: status,
    redirects: chain.map(hop => ({ url: hop.url.slice(0, SHOWN), status: hop.status })),
    served_as: kind,
    recognised_by: rule,
    blocked: kind !== 'page' && kind !== 'error',
  }
  const withheld = withholding.has(kind) ? { unknown: PAGE_WITHHELD } : {}
  const isCut = cut !== null && !fields.blocked
  return { ok: true, fields, withheld, unread: isCut ? { unknown: `page_${cut}` } : withheld }
}
