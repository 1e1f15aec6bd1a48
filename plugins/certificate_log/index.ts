// certificate_log: what the public logs of certificates (RFC 6962) have of the domain.
import { analyzer, nullable, printable, type Static, Type, thirdParty } from '../../src/engine/plugin.ts'

const NAMES = 1_000
const MAX_ENTRIES = 50
const NAME = /^[a-z0-9*_.-]{1,255}$/
const text = Type.String({ maxLength: 255 })

const Section = Type.Object(
  {
    certificates: Type.Integer({
      minimum: 0,
      description: 'Certificates with a name of the domain, the expired ones included.',
    }),
    first_issued_at: nullable(Type.String(), { description: 'When the first of them became valid, ISO 8601.' }),
    last_issued_at: nullable(Type.String(), { description: 'When the last of them became valid, ISO 8601.' }),
    issuers: Type.Array(text, { maxItems: MAX_ENTRIES, description: 'Issuers, the most frequent first.' }),
    names: Type.Array(text, { maxItems: MAX_ENTRIES, description: 'Other names of the domain in them, in order.' }),
  },
  { additionalProperties: false },
)

declare module '../../src/evidence/evidence.ts' {
  interface Evidence {
    certificate_log: Static<typeof Section>
  }
}

interface CertificateEntry {
  readonly issuer_name: string
  readonly name_value: string
  readonly not_before: string
}

const isEntry = (value: unknown): value is CertificateEntry =>
  ['issuer_name', 'name_value', 'not_before'].every(key => typeof (value as never)?.[key] === 'string')

const organization = (issuer: string): string => printable((/\bO="?([^",]+)/.exec(issuer)?.[1] ?? issuer).trim(), 255)

/**
 * Reads the JSON of crt.sh: one entry for each certificate, its names by line. crt.sh also finds certificates that have the domain
 * elsewhere: they do not count.
 */
export function readCertificates(answer: unknown, domain: string): Static<typeof Section> | null {
  if (!Array.isArray(answer) || !answer.every(isEntry)) return null
  const isWithin = (name: string) => name === domain || name.endsWith(`.${domain}`)
  const certificates = answer.map(entry => ({
    ...entry,
    names: entry.name_value.toLowerCase().split('\n').filter(isWithin),
  }))
  const body = certificates.filter(({ names }) => names.length > 0)
  const counts = new Map<string, number>()
  for (const issuer of body.map(entry => organization(entry.issuer_name)))
    counts.set(issuer, (counts.get(issuer) ?? 0) + 1)
  const dates = body.map(({ not_before }) => Date.parse(`${not_before}Z`)).filter(time => !Number.isNaN(time))
  const names = new Set(body.flatMap(entry => entry.names))
  const at = (time: number) => (Number.isFinite(time) ? new Date(time).toISOString() : null)
  return {
    certificates: body.length,
    first_issued_at: at(Math.min(...dates)),
    last_issued_at: at(Math.max(...dates)),
    issuers: [...counts]
      .sort(([, one], [, other]) => other - one)
      .map(([issuer]) => issuer)
      .slice(0, MAX_ENTRIES),
    names: [...names]
      .filter(name => NAME.test(name))
      .sort()
      .slice(0, NAMES),
  }
}

const crtSh = thirdParty({
  name: 'crt_sh',
  provides: 'certificate_log',
  about: 'domain',
  description: 'Queries crt.sh for certificates of the domain. crt.sh sees every domain.',
  endpoint: 'https://crt.sh',
  path: domain => `/?q=${domain}&output=json&deduplicate=Y`,
  key: { header: 'authorization', free: true },
  per_minute: 5,
  timeout_ms: 4_000,
  max_bytes: 4 * 1024 * 1024,
  keep_ms: 86_400_000,
  read: readCertificates,
})

export default [
  crtSh,
  analyzer({
    name: 'certificate_log',
    description: 'Certificates of the domain in public logs: other names, issuers, and the first one.',
    targets: ['domain'],
    needs: ['certificate_log'],
    optional: true,
    presentation: { title: 'Certificate logs', looks: 'certificates of the domain in public logs', order: 26 },
    schema: Section,
    signals: {},
    analyze({ certificate_log: { names, ...section } }, { target }) {
      const within = names.filter(name => name !== target.domain && name.endsWith(`.${target.registrable}`))
      return { section: { ...section, names: within.slice(0, MAX_ENTRIES) }, signals: [] }
    },
  }),
]
