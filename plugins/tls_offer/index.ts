// tls_offer: the protocol versions and cipher suites that the server on port 443 accepts, beyond those that a modern
// client negotiates.
import { analyzer, mainReason, raise, Type } from '../../src/engine/plugin.ts'
import { presentation } from './presentation.ts'
import { Section } from './section.ts'
import { signals } from './signals.ts'

const Options = Type.Object(
  {
    least_prime_bits: Type.Integer({
      default: 2_048,
      minimum: 512,
      maximum: 16_384,
      description:
        'Bits of a Diffie-Hellman prime below which `weak_key_exchange_accepted` is reported (RFC 9325 section 4.5).',
    }),
  },
  { additionalProperties: false },
)

export default analyzer({
  name: 'tls_offer',
  description: 'Protocol versions, kinds of cipher suites and key sizes that the TLS server still accepts.',
  targets: ['domain', 'ip'],
  needs: ['tls_offer'],
  optional: true,
  presentation,
  schema: Section,
  options: Options,
  signals,
  analyze({ tls_offer }, { target, options }) {
    const { server_name: _, versions, suites, ...rest } = tls_offer
    const reasons = [...versions, ...suites].flatMap(({ status, reason }) =>
      status === 'unknown' && reason !== null ? [`tls_offer_${reason}`] : [],
    )
    return {
      section: { ...rest, versions: [...versions], suites: [...suites] },
      signals: raise(signals, { offer: tls_offer, host: target.domain ?? target.ip, ...options }),
      unknown: mainReason(reasons),
    }
  },
})
