// The home page as fetched: every response on the way to it, without bodies.

import type { Exchange, Timing } from '../../network/http.ts'
import type { Handover } from '../document/handover.ts'

export type { Exchange, Timing } from '../../network/http.ts'

export interface Page {
  /** In order: redirects first, the page last. Empty when nothing answered. */
  readonly exchanges: readonly Exchange[]
  /** Why the last hop has no response: `refused`, `reset`, `protocol_error`, `timeout`, ...; null when it has one. */
  readonly failure: string | null
  /** Why a redirect was not followed: `redirect_to_non_public`, `redirect_loop`, `too_many_redirects`, `redirect_to_port`, `redirect_to_scheme`, `redirect_with_credentials`, `redirect_malformed`; null otherwise. */
  readonly stopped: string | null
  /** The whole target of that redirect, without credentials; cut it for display. */
  readonly stopped_at: string | null
  /** Absent if the page did not lead on to another document that was looked at, and in older recordings. */
  readonly handover?: FollowedHandover
}

/** How a page led visitors on by itself, without an HTTP redirect. */
export interface FollowedHandover extends Pick<Handover, 'by' | 'seconds' | 'alone'> {
  /** The position of the response that led on among the exchanges. Those after it are of the next document. */
  readonly at: number
  /** The responses of a frame that fills the page; the page keeps its URL, so they are not among its exchanges. */
  readonly frame?: readonly Exchange[]
}

/** What a request to the site was made to learn: the page with its redirects, or one of the other files and entrances. */
export const REQUEST_PURPOSES = [
  'page',
  'robots_txt',
  'sitemap',
  'icon',
  'security_txt',
  'plain_http',
  'other_host',
  'cross_origin',
] as const

/** A request to the site that was answered, with its times. */
export interface AnsweredRequest extends Timing {
  /** At most 512 characters. */
  readonly url: string
  readonly status: number
  /** Absent in older recordings. */
  readonly purpose?: (typeof REQUEST_PURPOSES)[number]
}

const URL_CHARACTERS = 512

/** Those whose times are known. */
export const answeredRequests = (
  exchanges: readonly Exchange[],
  purpose: (typeof REQUEST_PURPOSES)[number],
): AnsweredRequest[] =>
  exchanges.flatMap(({ url, status, timing }) =>
    timing === undefined ? [] : [{ url: url.slice(0, URL_CHARACTERS), status, purpose, ...timing }],
  )
