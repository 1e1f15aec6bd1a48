// The response that the web sections describe, and its kind: the site's own page, or something served in its place.
import { type Static, Type } from 'typebox'
import { labelled } from '../../base/labels.ts'
import { nullable } from '../../base/nullable.ts'
import { isOurFailure, MISSING_PAGE, PAGE_WITHHELD, PARKED_PAGE, REDIRECTING_PAGE } from '../facts.ts'

export type RecognisedKind = 'block' | 'challenge' | 'parking' | 'login_wall' | 'soft_404'

/**
 * `page` and `error` are the site's own answers, with status 2xx or any other. `block`, `challenge`, `parking`,
 * `login_wall` and `soft_404` are served in place of its page. `none`: there was no response.
 */
export type ServedKind = 'page' | 'error' | 'none' | RecognisedKind

/** A response that led on to the next, and the address that sent it. */
export interface RedirectHop {
  readonly url: string
  readonly status: number
  readonly address: string
  /** What in the page led on; absent for an HTTP redirect. */
  readonly by?: 'refresh' | 'script'
}

export interface Served {
  /** The last response's URL; null without a response. */
  readonly url: string | null
  readonly status: number | null
  /** What led to the response, in order; all exchanges when `kind` is `none`. */
  readonly chain: readonly RedirectHop[]
  readonly kind: ServedKind
  /** ID of the rule that recognised the response; null for `page`, `error` and `none`. */
  readonly rule: string | null
  /** Why there was no response, as in the `page` evidence; null when there was one. */
  readonly failure: string | null
  /** Why the HTML was read only in part: `too_large`, `timeout`, `closed`, `bad_encoding`; null when it was read completely. */
  readonly cut: string | null
}

/** Properties of every section that describes this response. */
export const ServedFields = {
  evaluated_url: labelled(
    'Page',
    Type.String({ description: 'The URL of the response that this section describes, after redirects.' }),
  ),
  status_code: labelled('Status', Type.Integer({ description: 'Its status.' })),
  redirects: Type.Array(
    Type.Object(
      {
        url: Type.String({ description: 'Where the response came from, at most 512 characters.' }),
        status: Type.Integer({ description: 'Its status.' }),
        by: Type.Optional(
          Type.Enum(['refresh', 'script'], { description: 'What in the page led on. Absent for an HTTP redirect.' }),
        ),
      },
      { additionalProperties: false },
    ),
    { description: 'The redirects that led to the response, in order, and a page that led on by itself.' },
  ),
  served_as: Type.Enum(['page', 'error', 'block', 'challenge', 'parking', 'login_wall', 'soft_404'], {
    description: 'Kind of response: `page` and `error` are the site’s own, the others are served in place of its page.',
  }),
  recognised_by: nullable(
    Type.String({ description: 'The rule that recognised a response served in place of the page.' }),
  ),
  blocked: Type.Boolean({ description: 'The response is not the site’s own and is not graded.' }),
}

const schema = Type.Object(ServedFields)

export type ServedSection = Static<typeof schema>

/** URL length limit: every section repeats each hop, and a Location header may be as large as a response's head. */
const URL_CHARACTERS = 512

/** Joins the common fields with a section's findings. An object literal that starts with a spread would give each section its own hidden class. */
export const withServed = <Found extends object>(
  { evaluated_url, ...fields }: ServedSection,
  facts: Found,
): ServedSection & Found => ({ evaluated_url, ...fields, ...facts })

/** A parked name has no page to judge; behind a challenge there is one that was not seen. */
type Pageless = { readonly notApplicable: string } | { readonly unavailable: string }

export type ServedOutcome =
  | {
      readonly ok: true
      readonly fields: ServedSection
      /** The finding of a section that judges pages, when the response is no page of the site's own; null when it is one. */
      readonly pageless: Pageless | null
      /** Part of a finding about the page's content: why that, or its end, is unknown. */
      readonly unread: { readonly unknown?: string }
    }
  | { readonly ok: false; readonly finding: Pageless }

/** The reasons for what stands in place of a page. */
const PAGELESS: Readonly<Partial<Record<ServedKind, string>>> = {
  block: PAGE_WITHHELD,
  challenge: PAGE_WITHHELD,
  login_wall: PAGE_WITHHELD,
  parking: PARKED_PAGE,
  soft_404: MISSING_PAGE,
}

/** A redirect that was not followed leads to the page; the site's other errors are judged as they are. */
const pagelessBy = (kind: ServedKind, status: number): string | null =>
  PAGELESS[kind] ?? (status >= 300 && status < 400 ? REDIRECTING_PAGE : null)

/** The common fields, or the finding to return when there is no response. */
export function servedFields({ url, status, chain, kind, rule, failure, cut = null }: Served): ServedOutcome {
  if (kind === 'none' || url === null || status === null) {
    const reason = failure ?? 'no_response'
    return { ok: false, finding: isOurFailure(reason) ? { unavailable: reason } : { notApplicable: reason } }
  }
  const fields: ServedSection = {
    evaluated_url: url.slice(0, URL_CHARACTERS),
    status_code: status,
    redirects: chain.map(({ url, status, by }) => ({
      url: url.slice(0, URL_CHARACTERS),
      status,
      ...(by === undefined ? {} : { by }),
    })),
    served_as: kind,
    recognised_by: rule,
    blocked: kind !== 'page' && kind !== 'error',
  }
  const reason = pagelessBy(kind, status)
  const unknownReason = reason ?? (cut === null ? null : `page_${cut}`)
  const pageless =
    reason === null ? null : reason === PAGE_WITHHELD ? { unavailable: reason } : { notApplicable: reason }
  return { ok: true, fields, pageless, unread: unknownReason === null ? {} : { unknown: unknownReason } }
}
