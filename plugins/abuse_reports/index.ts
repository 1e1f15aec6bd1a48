// abuse_reports: abuse reports about the address from AbuseIPDB.
import { analyzer, nullable, Type } from '../../src/engine/plugin.ts'
import { abuseipdb } from './source.ts'

/** Share of the weight for a domain: many names share an address, and most are not involved in the reports. */
const DOMAIN_SHARE = 0.3

const abuseReports = analyzer({
  name: 'abuse_reports',
  description: 'Reports of attacks and spam from the address at AbuseIPDB.',
  targets: ['domain', 'ip'],
  needs: ['abuse_reports'],
  optional: true,
  presentation: {
    title: 'Abuse reports',
    looks: 'reports of attacks and spam from the address at AbuseIPDB',
    order: 30,
  },
  schema: Type.Object(
    {
      ip: Type.String({ description: 'The address that the reports are about.' }),
      confidence: Type.Integer({ minimum: 0, maximum: 100, description: 'Confidence of AbuseIPDB.' }),
      reports: Type.Integer({ minimum: 0, description: 'Number of reports.' }),
      reporters: Type.Integer({ minimum: 0, description: 'Number of people who reported it.' }),
      last_reported_at: nullable(Type.String({ description: 'ISO 8601.' })),
    },
    { additionalProperties: false },
  ),
  options: Type.Object(
    {
      least_confidence: Type.Integer({
        default: 25,
        minimum: 1,
        maximum: 100,
        description: 'Reports below this confidence are ignored.',
      }),
    },
    { additionalProperties: false },
  ),
  signals: {
    reported_for_abuse: {
      weight: 35,
      group: 'reputation',
      severity: 'medium',
      threat_types: ['attack'],
      title: 'Address reported for abuse',
      advice: 'If it is yours, find the abuse and stop it.',
      warning: 'Ask visitors from this address for more proof.',
    },
  },
  analyze({ abuse_reports: answer }, { target, options }) {
    const { ip, confidence, reports, reporters, last_reported_at } = answer
    const section = { ip, confidence, reports, reporters, last_reported_at }
    if (confidence < options.least_confidence) return { section, signals: [] }
    const strength = (confidence / 100) * (target.kind === 'ip' ? 1 : DOMAIN_SHARE)
    const detail = `${ip} was reported ${reports} times by ${reporters} reporters (confidence ${confidence} %).`
    return { section, signals: [{ id: 'reported_for_abuse', strength, detail, evidence: { confidence, reports } }] }
  },
})

export default [abuseipdb, abuseReports]
