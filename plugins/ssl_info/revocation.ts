// Judges the OCSP response that the server stapled.
import { nullable, type Static, Type } from '../../src/engine/plugin.ts'
import type { Tls } from './tls.ts'

const instant = (description: string) =>
  nullable(Type.String({ description: `${description} ISO 8601 in UTC, ends in Z.` }))

/** The stapled OCSP response in the section. */
export const Ocsp = Type.Object(
  {
    stapled: nullable(Type.Boolean({ description: 'The server sent an OCSP response in the handshake.' })),
    must_staple: nullable(Type.Boolean({ description: 'The certificate demands a stapled response (RFC 7633).' })),
    response: nullable(
      Type.Enum(
        [
          'successful',
          'malformed_request',
          'internal_error',
          'try_later',
          'signature_required',
          'unauthorized',
          'unreadable',
          'too_large',
        ],
        { description: 'Status of the response (RFC 6960).' },
      ),
    ),
    status: nullable(
      Type.Enum(['good', 'revoked', 'unknown'], { description: 'What the response says about the certificate.' }),
    ),
    revoked_at: instant('When the certificate was revoked.'),
    revocation_reason: nullable(Type.String({ description: '`key_compromise`, `superseded`, ...' })),
    produced_at: instant('When the response was signed.'),
    this_update: instant('Time from which the response is known to be correct.'),
    next_update: instant('Time by which newer information is available.'),
    current: nullable(
      Type.Boolean({ description: '`this_update` is past and `next_update`, or a day without one, is not.' }),
    ),
    for_this_certificate: nullable(Type.Boolean({ description: 'The response is about this certificate.' })),
    verified: nullable(
      Type.Boolean({
        description: 'The issuer, or a responder that it authorized, signed the response; null if unknown.',
      }),
    ),
  },
  { additionalProperties: false, description: 'The OCSP response that the server stapled; null without a handshake.' },
)

export type Ocsp = Static<typeof Ocsp>

/** Milliseconds that the responder's clock may be ahead of ours. */
const CLOCK_DIFFERENCE = 300_000

/** Milliseconds for which a response without a next update counts, as in Firefox. */
const DAY = 86_400_000

function isCurrent({ this_update, next_update }: NonNullable<Tls['staple']>, now: Date): boolean | null {
  if (this_update === null) return null
  const begin = Date.parse(this_update)
  const end = next_update === null ? begin + DAY : Date.parse(next_update)
  return begin <= now.getTime() + CLOCK_DIFFERENCE && now.getTime() <= end
}

/** Null without a handshake. */
export function describeOcsp({ status, stapled, must_staple, staple }: Tls, now: Date): Ocsp | null {
  if (status !== 'handshake') return null
  return {
    stapled,
    must_staple,
    response: staple?.response ?? null,
    status: staple?.certificate_status ?? null,
    revoked_at: staple?.revoked_at ?? null,
    revocation_reason: staple?.revocation_reason ?? null,
    produced_at: staple?.produced_at ?? null,
    this_update: staple?.this_update ?? null,
    next_update: staple?.next_update ?? null,
    current: staple ? isCurrent(staple, now) : null,
    for_this_certificate: staple?.for_this_certificate ?? null,
    verified: staple?.verified ?? null,
  }
}

const isTrustworthy = ({ for_this_certificate, verified }: NonNullable<Tls['staple']>): boolean =>
  for_this_certificate === true && verified === true

/** Only these end again (RFC 5280 section 5.3.1). */
const temporary: readonly (string | null)[] = ['certificate_hold', 'remove_from_crl']

/** Whether revocation is proven. An old response proves it too, unless the reason is a temporary one. */
export function isRevoked({ staple }: Tls, now: Date): boolean {
  if (staple?.certificate_status !== 'revoked' || !isTrustworthy(staple)) return false
  return !temporary.includes(staple.revocation_reason) || isCurrent(staple, now) === true
}

/** Whether a verified and current response gives the revocation status. */
export function isRevocationChecked(tls: Tls, now: Date): boolean {
  const { staple } = tls
  if (!staple || !isTrustworthy(staple) || staple.certificate_status === 'unknown') return false
  return isCurrent(staple, now) === true || isRevoked(tls, now)
}

/** Why clients that honour the demand refuse the connection. Null if the demand is met or this is unknown. */
export function unmetDemand({ must_staple, stapled, staple }: Tls, now: Date): string | null {
  if (must_staple !== true || stapled === null) return null
  if (staple === null) return 'the server sends none'
  if (staple.response === 'too_large') return null
  if (staple.response !== 'successful') return `the response that the server sends is not usable (${staple.response})`
  if (staple.for_this_certificate === false) return 'the response that the server sends is about another certificate'
  return isCurrent(staple, now) === false ? 'the response that the server sends is out of date' : null
}
