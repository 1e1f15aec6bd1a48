// ssl_info: is there TLS, whose certificate is it, and everything that is wrong with it.
import { analyzer, Type } from '../../src/engine/plugin.ts'
import { findReasons } from './reasons.ts'
import { describe, Section } from './section.ts'
import { findSignals, signals } from './signals.ts'

const Options = Type.Object(
  {
    expiry_warning_days: Type.Integer({
      default: 14,
      minimum: 0,
      maximum: 365,
      description: 'Days before its end from which a certificate is said to expire soon.',
    }),
  },
  { additionalProperties: false },
)

export default analyzer({
  name: 'ssl_info',
  description: 'TLS on port 443: protocol, certificate, and every reason why it is not valid.',
  targets: ['domain', 'ip'],
  needs: ['tls'],
  wants: ['page'],
  schema: Section,
  options: Options,
  signals,
  analyze({ tls, page }, { target, options, now }) {
    const answersNowhere = page?.failure === 'refused' && page.exchanges.length === 0
    if (tls.status === 'refused' && answersNowhere) return { notApplicable: 'refused' }
    const reasons = findReasons(tls, target, now)
    return {
      section: describe(tls, reasons, now),
      signals: findSignals(tls, reasons, target, now, options.expiry_warning_days),
      // The handshake tells everything: the page only whether anything answers where there is none
      unknown: null,
    }
  },
})
