// The two ways a gatherer may decline, and the reasons that are known by name.

/** We could not look: time-out, resolver down, upstream error. `reason` is a slug and reaches the client. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable'
  readonly reason: string
  constructor(reason: string) {
    super(`unavailable: ${reason}`)
    this.reason = reason
  }
}

/** There is nothing there to look at, or not for this kind of target. `reason` is a slug and reaches the client. */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable'
  readonly reason: string
  constructor(reason: string) {
    super(`not applicable: ${reason}`)
    this.reason = reason
  }
}

/** Failures that tell nothing of the target: we could not look. Every other one is its answer. */
const OUR_FAILURES: ReadonlySet<string> = new Set([
  'cancelled',
  'connect_timeout',
  'timeout',
  'too_many_connections',
  'too_many_requests',
  'unreachable',
  ...['malformed', 'refused', 'timeout', 'too_many_queries'].map(failure => `dns_${failure}`),
])

export const isOurFailure = (failure: string): boolean => OUR_FAILURES.has(failure)

/** The error of whoever needs a response, and none came. */
export const withoutResponse = (failure: string | null): Error =>
  failure !== null && isOurFailure(failure) ? new Unavailable(failure) : new NotApplicable('no_response')

export const REASON_CHARACTERS = 64

/** Reasons are slugs: they reach the client, and may come from a stranger's plugin. */
export const isReason = (reason: unknown): reason is string =>
  typeof reason === 'string' && reason.length <= REASON_CHARACTERS && /^[\w:.-]+$/.test(reason)

const declines = { Unavailable: 'unavailable', NotApplicable: 'not_applicable' } as const

/** How an error declines, or null. By its name: a plugin may have a copy of these classes of its own, or none. */
export function declined(
  error: unknown,
): { readonly status: 'unavailable' | 'not_applicable'; readonly reason: string } | null {
  const { name, reason } = (error ?? {}) as { name?: unknown; reason?: unknown }
  const status = name === 'Unavailable' || name === 'NotApplicable' ? declines[name] : null
  return status !== null && isReason(reason) ? { status, reason } : null
}

/** The reason every part gives when the name does not exist (NXDOMAIN): such a result has a cache life of its own. */
export const DOMAIN_NOT_FOUND = 'domain_not_found'

/** The reason for evidence whose source this installation does not have: asking again soon would not change that. */
export const NOT_CONFIGURED = 'not_configured'
