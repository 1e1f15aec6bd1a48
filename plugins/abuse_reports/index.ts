// abuse_reports: how often the address was reported for abuse, by AbuseIPDB.
import { analyzer, Type } from '../../src/engine/plugin.ts'
import { abuseipdb } from './source.ts'

/** An address is shared by many names, most of which have no part in what is reported of it. */
const SHARED = 0.3

const abuse_reports = analyzer({
  name: 'abuse_reports',
  description: 'Reports of attacks and spam from the address, as AbuseIPDB has them.',
  targets: ['domain', 'ip'],
  needs: ['abuse_reports'],
  optional: true,
  schema: Type.Object(
    {
      ip: Type.String(),
      confidence: Type.Integer({ minimum: 0, maximum: 100, description: 'How sure the directory is.' }),
      reports: Type.Integer({ minimum: 0 }),
      reporters: Type.Integer({ minimum: 0 }),
      last_reported_at: Type.Union([Type.String({ description: 'ISO 8601.' }), Type.Null()]),
    },
    { additionalProperties: false },
  ),
  options: Type.Object(
    {
      least_confidence: Type.Integer({
        default: 25,
        minimum: 1,
        maximum: 100,
        description: 'Below it, reports are noise and cost nothing.',
      }),
    },
    { additionalProperties: false },
  ),
  signals: { reported_for_abuse: { weight: 35, group: 'reputation', title: 'The address is reported for abuse' } },
  analyze({ abuse_reports: found }, { target, options }) {
    const { ip, confidence, reports, reporters, last_reported_at } = found
    const section = { ip, confidence, reports, reporters, last_reported_at }
    if (confidence < options.least_confidence) return { section, signals: [] }
    const strength = (confidence / 100) * (target.kind === 'ip' ? 1 : SHARED)
    const detail = `${ip} was reported ${reports} times by ${reporters} reporters (confidence ${confidence} %).`
    return { section, signals: [{ id: 'reported_for_abuse', strength, detail, evidence: { confidence, reports } }] }
  },
})

export default [abuseipdb, abuse_reports]
