// What every section about the web says first: which response it speaks of, and whether that is the site's own.
import { type Static, Type } from 'typebox'
import { isOurFailure } from '../decline.ts'
import type { Served, ServedKind } from '../served.ts'

const nullable = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

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
  | { readonly ok: true; readonly fields: ServedSection; readonly unseen: Unseen }
  | { readonly ok: false; readonly finding: { readonly notApplicable: string } | { readonly unavailable: string } }

/** To be spread among a finding: that there is a page which is kept from us, and so a section that says nothing of it. */
export interface Unseen {
  readonly lasting?: typeof WITHHELD
}

/** Asking again soon would be met alike, and is not polite: it is unknown, and stays so for a while. */
const WITHHELD = 'page_withheld'

/** Behind these there is a page; a parked name has no other, nor has what does not exist. */
const withholding: ReadonlySet<ServedKind> = new Set<ServedKind>(['block', 'challenge', 'login_wall'])

/** The fields, or the finding to return when there is no response to speak of. */
export function servedFields({ url, status, chain, kind, rule, failure }: Served): ServedOutcome {
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
  return { ok: true, fields, unseen: withholding.has(kind) ? { lasting: WITHHELD } : {} }
}
