// vendor_verdicts: what the security vendors at VirusTotal say of the target.
import { analyzer, Type } from '../../src/engine/plugin.ts'
import { virustotal } from './source.ts'

const Count = Type.Integer({ minimum: 0 })

const vendor_verdicts = analyzer({
  name: 'vendor_verdicts',
  description: 'How many security vendors at VirusTotal call the target malicious.',
  targets: ['domain', 'ip'],
  needs: ['vendor_verdicts'],
  optional: true,
  schema: Type.Object(
    { malicious: Count, suspicious: Count, harmless: Count, undetected: Count },
    { additionalProperties: false },
  ),
  options: Type.Object(
    {
      agreed: Type.Integer({
        default: 4,
        minimum: 1,
        description: 'Vendors that must agree until it counts in full: single ones err often.',
      }),
    },
    { additionalProperties: false },
  ),
  signals: {
    flagged_by_vendors: { weight: 70, group: 'reputation', title: 'Security vendors call it malicious' },
  },
  analyze({ vendor_verdicts: verdicts }, { options }) {
    const { malicious, harmless, undetected, suspicious } = verdicts
    const section = { malicious, suspicious, harmless, undetected }
    if (malicious === 0) return { section, signals: [] }
    const asked = malicious + suspicious + harmless + undetected
    const detail = `${malicious} of ${asked} vendors call it malicious.`
    const strength = Math.min(1, malicious / options.agreed)
    return { section, signals: [{ id: 'flagged_by_vendors', strength, detail, evidence: { malicious, asked } }] }
  },
})

export default [virustotal, vendor_verdicts]
