// Queries VirusTotal (API v3) for vendor verdicts on a domain or an IP address.
import { thirdParty } from '../../src/engine/plugin.ts'

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

/** One request for each target, with the key of the operator. */
export const virustotal = thirdParty({
  name: 'virustotal',
  provides: 'vendor_verdicts',
  about: 'target',
  description: 'Queries VirusTotal for vendor verdicts. VirusTotal sees every target.',
  endpoint: 'https://www.virustotal.com/api/v3',
  path: (subject, kind) => `/${kind === 'domain' ? 'domains' : 'ip_addresses'}/${subject}`,
  key: { header: 'x-apikey' },
  per_minute: 4,
  read: readVerdicts,
  unknown: NOBODY,
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
