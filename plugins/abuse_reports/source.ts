// Queries AbuseIPDB (API v2) for reports of attacks and spam from an address.
import {
  createLookup,
  extension,
  type GatherContext,
  NotApplicable,
  Type,
  Unavailable,
} from '../../src/engine/plugin.ts'

/** The answer of AbuseIPDB about one address. */
export interface AbuseReports {
  readonly ip: string
  /** 0 to 100: AbuseIPDB's confidence that the address is abusive. */
  readonly confidence: number
  /** Reports, and distinct reporters, within the requested number of days. */
  readonly reports: number
  readonly reporters: number
  /** ISO 8601; null if there is no report. */
  readonly last_reported_at: string | null
}

declare module '../../src/evidence/evidence.ts' {
  interface Evidence {
    abuse_reports: AbuseReports
  }
}

const Options = Type.Object(
  {
    key: Type.String({ default: '', pattern: '^[!-~]{0,256}$', writeOnly: true, description: 'API key.' }),
    per_minute: Type.Integer({
      default: 60,
      minimum: 1,
      maximum: 100_000,
      description: 'Requests per minute that the plan allows.',
    }),
    days: Type.Integer({ default: 30, minimum: 1, maximum: 365, description: 'Reports older than this are ignored.' }),
    endpoint: Type.String({ default: 'https://api.abuseipdb.com/api/v2', pattern: '^https://[!-~]{1,200}$' }),
  },
  { additionalProperties: false },
)

/** Gathers `abuse_reports`: one request for each address, with the key of the operator. */
export const abuseipdb = extension({
  name: 'abuseipdb',
  description: 'Queries AbuseIPDB for abuse reports. AbuseIPDB sees every address.',
  provides: ['abuse_reports'],
  hosts: [{ option: 'endpoint' }],
  options: Options,
  apply(hooks, { key, per_minute, days, endpoint }) {
    const lookup = createLookup({ read: readReports, per_minute })
    hooks.gather.for('abuse_reports').tapPromise('abuseipdb', async context => {
      if (key === '') throw new Unavailable('not_configured')
      const ip = await addressOf(context)
      const url = `${endpoint}/check?${new URLSearchParams({ ipAddress: ip, maxAgeInDays: String(days) })}`
      return lookup.ask(context, { subject: ip, url, headers: { key } })
    })
  },
})

/** The target itself, or the first of its addresses that may be contacted. */
async function addressOf({ target, gather }: GatherContext): Promise<string> {
  if (target.ip !== null) return target.ip
  const [first] = (await gather('addresses')).dialable
  if (!first) throw new NotApplicable('no_address')
  return first.address
}

/** Reads the report in `data`, or returns null. */
export function readReports(body: unknown): AbuseReports | null {
  const { data } = (body ?? {}) as { readonly data?: Readonly<Record<string, unknown>> | null }
  const [ip, confidence, reports, reporters] = [
    data?.['ipAddress'],
    data?.['abuseConfidenceScore'],
    data?.['totalReports'],
    data?.['numDistinctUsers'],
  ]
  if (typeof ip !== 'string' || ip.length > 45) return null
  if (!isCount(confidence) || confidence > 100 || !isCount(reports) || !isCount(reporters)) return null
  return { ip, confidence, reports, reporters, last_reported_at: dateOf(data?.['lastReportedAt']) }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

function dateOf(value: unknown): string | null {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? null : new Date(time).toISOString()
}
