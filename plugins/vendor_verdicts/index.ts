// vendor_verdicts: verdicts of the security vendors at VirusTotal.
import { analyzer, Type } from '../../src/engine/plugin.ts'
import { virustotal } from './source.ts'

const count = (description: string) => Type.Integer({ minimum: 0, description })

const vendorVerdicts = analyzer({
  name: 'vendor_verdicts',
  description: 'Number of security vendors at VirusTotal that flag the target.',
  targets: ['domain', 'ip'],
  needs: ['vendor_verdicts'],
  optional: true,
  presentation: {
    title: 'Security vendors',
    looks: 'how many security vendors at VirusTotal flag the target',
    order: 25,
  },
  schema: Type.Object(
    {
      malicious: count('Vendors that call the target malicious.'),
      suspicious: count('Vendors that call it suspicious.'),
      harmless: count('Vendors that call it harmless.'),
      undetected: count('Vendors that say nothing about it.'),
    },
    { additionalProperties: false },
  ),
  options: Type.Object(
    {
      agreed: Type.Integer({
        default: 4,
        minimum: 1,
        description: 'Number of vendors that must agree for the full weight; single vendors are often wrong.',
      }),
    },
    { additionalProperties: false },
  ),
  signals: {
    flagged_by_vendors: {
      weight: 70,
      group: 'reputation',
      severity: 'critical',
      title: 'Security vendors flag the target as malicious',
      advice: 'If it is yours, clean the site, then ask the vendors to check it again.',
      warning: 'Do not open it.',
    },
  },
  analyze({ vendor_verdicts: verdicts }, { options }) {
    const { malicious, harmless, undetected, suspicious } = verdicts
    const section = { malicious, suspicious, harmless, undetected }
    const answers = malicious + suspicious + harmless + undetected
    if (answers === 0) return { notApplicable: 'unknown_to_vendors' }
    if (malicious === 0) return { section, signals: [] }
    const detail = `${malicious} of ${answers} vendors flag the target as malicious.`
    const strength = Math.min(1, malicious / options.agreed)
    return {
      section,
      signals: [{ id: 'flagged_by_vendors', strength, detail, evidence: { malicious, asked: answers } }],
    }
  },
})

export default [virustotal, vendorVerdicts]
