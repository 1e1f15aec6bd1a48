// ssl_info: whether the host offers TLS, its certificate, and everything that is wrong with it.
import { analyzer, isOurFailure, raise, Type } from '../../src/engine/plugin.ts'
import { caaUnseen, isCaaOf, judgeCaa } from './caa.ts'
import { presentation } from './presentation.ts'
import { findReasons } from './reasons.ts'
import { describe, Section } from './section.ts'
import { signals } from './signals.ts'

const Options = Type.Object(
  {
    expiry_warning_days: Type.Integer({
      default: 14,
      minimum: 0,
      maximum: 365,
      description: 'Number of days before expiry from which `certificate_expires_soon` is reported.',
    }),
  },
  { additionalProperties: false },
)

export default analyzer({
  name: 'ssl_info',
  description: 'TLS on port 443: protocol, certificate, and every reason why the certificate is not valid.',
  targets: ['domain', 'ip'],
  needs: ['tls'],
  wants: ['page', 'dns'],
  presentation,
  schema: Section,
  options: Options,
  signals,
  analyze({ tls, page, dns }, { target, options, now, missing }) {
    const answersNowhere = page?.failure === 'refused' && page.exchanges.length === 0
    if (tls.status === 'refused' && answersNowhere) return { notApplicable: 'refused' }
    // Silence during the handshake says nothing about the certificate.
    if (tls.failure !== null && isOurFailure(tls.failure)) return { unavailable: tls.failure }
    const reasons = findReasons(tls, target, now)
    const caa = judgeCaa(dns, tls, target)
    return {
      section: describe(tls, caa, reasons, now),
      signals: raise(signals, { tls, reasons, caa, target, host: target.domain ?? target.ip, now, ...options }),
      // The handshake decides. The page only shows whether anything answers on a host without TLS.
      unknown: isCaaOf(tls, target) ? caaUnseen(dns, missing.dns) : null,
    }
  },
})
