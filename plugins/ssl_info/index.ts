// ssl_info: whether the host offers TLS, its certificate, and everything that is wrong with it.
import { analyzer, isOurFailure, Type } from '../../src/engine/plugin.ts'
import { findReasons } from './reasons.ts'
import { describe, Section } from './section.ts'
import { findSignals, signals } from './signals.ts'

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
  wants: ['page'],
  schema: Section,
  options: Options,
  signals,
  analyze({ tls, page }, { target, options, now }) {
    const answersNowhere = page?.failure === 'refused' && page.exchanges.length === 0
    if (tls.status === 'refused' && answersNowhere) return { notApplicable: 'refused' }
    // Silence during the handshake says nothing about the certificate.
    if (tls.failure !== null && isOurFailure(tls.failure)) return { unavailable: tls.failure }
    const reasons = findReasons(tls, target, now)
    return {
      section: describe(tls, reasons, now),
      signals: findSignals(tls, reasons, target, now, options.expiry_warning_days),
      // The handshake decides. The page only shows whether anything answers on a host without TLS.
      unknown: null,
    }
  },
})
