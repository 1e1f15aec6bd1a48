// The responses of a site to plain HTTP, to the name with or without `www.`, and to a request from another origin.
import { isSilence } from '../facts.ts'
import type { AnsweredRequest } from '../page/facts.ts'

export interface Entrance {
  readonly url: string
  /**
   * The status of the first response; null without a response. `failure` then says why: `refused`, `timeout`,
   * `not_found`, ...
   */
  readonly status: number | null
  readonly failure: string | null
  /** The absolute redirect target, at most 512 characters; null without a redirect or for an invalid URL. */
  readonly location: string | null
  /** Responses along redirects within plain HTTP: at most 2. Absent in older recordings. */
  readonly followed?: readonly Hop[]
  /** The response's Set-Cookie fields without their values. Absent in older recordings. */
  readonly set_cookies?: readonly string[]
}

export interface Hop {
  readonly url: string
  readonly status: number | null
  readonly location: string | null
  readonly set_cookies?: readonly string[]
}

/** The response to a request with an Origin header that no site has. */
export interface CrossOriginAnswer {
  readonly url: string
  /** The origin that was sent. */
  readonly origin: string
  /** `Access-Control-Allow-Origin` as sent, at most 512 characters; null without one. */
  readonly allow_origin: string | null
  /** `Access-Control-Allow-Credentials` is `true`. */
  readonly allow_credentials: boolean
}

export interface Entrances {
  readonly http: Entrance
  /** `http://www.example.com/` for example.com and vice versa; null for addresses and other names. */
  readonly www: Entrance | null
  /** Null without a response over HTTPS. Absent in older recordings. */
  readonly cross_origin?: CrossOriginAnswer | null
  /** Why a response over HTTPS was expected and did not come. Absent otherwise, and in older recordings. */
  readonly cross_origin_failure?: string
  /** Of all of them. Absent in older recordings. */
  readonly requests?: readonly AnsweredRequest[]
}

/**
 * Why it is unknown what an entrance answers, as `<name>_<reason>`; null if it is known. A closed port, a name that does not exist
 * and a broken answer are known to serve no page.
 */
export const unheard = (
  name: 'plain_http' | 'other_host' | 'cross_origin',
  failure: string | null | undefined,
): string | null => (failure != null && isSilence(failure) ? `${name}_${failure}` : null)
