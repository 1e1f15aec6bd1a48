// Queries VirusTotal (API v3) for vendor verdicts on a domain or an IP address.
import { createLookup, extension, NotApplicable, Type, Unavailable } from '../../src/engine/plugin.ts'

/** Number of vendors by verdict; vendors without an opinion count as `undetected`. */
export interface VendorVerdicts {
  readonly malicious: number
  readonly suspicious: number
  readonly harmless: number
  readonly undetected: number
}

declare module '../../src/evidence/evidence.ts' {
  interface Evidence {
    vendor_verdicts: VendorVerdicts
  }
}

const KINDS = ['malicious', 'suspicious', 'harmless', 'undetected'] as const
const NOBODY: VendorVerdicts = { malicious: 0, suspicious: 0, harmless: 0, undetected: 0 }

const Options = Type.Object(
  {
    key: Type.String({ default: '', pattern: '^[!-~]{0,256}$', writeOnly: true, description: 'API key.' }),
    per_minute: Type.Integer({
      default: 4,
      minimum: 1,
      maximum: 100_000,
      description: 'Requests per minute that the plan allows.',
    }),
    endpoint: Type.String({ default: 'https://www.virustotal.com/api/v3', pattern: '^https://[!-~]{1,200}$' }),
  },
  { additionalProperties: false },
)

/** Gathers `vendor_verdicts`: one request for each target, with the key of the operator. */
export const virustotal = extension({
  name: 'virustotal',
  description: 'Queries VirusTotal for vendor verdicts. VirusTotal sees every target.',
  provides: ['vendor_verdicts'],
  hosts: [{ option: 'endpoint' }],
  options: Options,
  apply(hooks, { key, per_minute, endpoint }) {
    const lookup = createLookup({ read: readVerdicts, unknown: NOBODY, per_minute })
    hooks.gather.for('vendor_verdicts').tapPromise('virustotal', async context => {
      if (key === '') throw new Unavailable('not_configured')
      const { target } = context
      const subject = target.domain ?? target.ip
      if (subject === null) throw new NotApplicable('no_target')
      const path = target.kind === 'domain' ? 'domains' : 'ip_addresses'
      const url = `${endpoint}/${path}/${encodeURIComponent(subject)}`
      return lookup.ask(context, { subject, url, headers: { 'x-apikey': key } })
    })
  },
})

/** Reads the counts in `data.attributes.last_analysis_stats`, or returns null. */
export function readVerdicts(body: unknown): VendorVerdicts | null {
  const stats = within(within(within(body, 'data'), 'attributes'), 'last_analysis_stats')
  const counts = KINDS.map(kind => [kind, within(stats, kind)] as const)
  if (!counts.every(([, count]) => Number.isSafeInteger(count) && (count as number) >= 0)) return null
  return Object.fromEntries(counts) as unknown as VendorVerdicts
}

const within = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? value[key as never] : undefined
