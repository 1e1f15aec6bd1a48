// passive_dns: what a name led to before, by the records of a passive DNS server.
import { analyzer, nullable, printable, type Static, Type, thirdParty } from '../../src/engine/plugin.ts'

const MAX_RECORDS = 50
const TYPES: ReadonlySet<unknown> = new Set(['A', 'AAAA', 'CNAME', 'MX', 'NS'])
const time = (description: string) => nullable(Type.String(), { description: `${description}, ISO 8601.` })

const Section = Type.Object(
  {
    first_seen_at: time('When the first record was first seen'),
    last_seen_at: time('When the last record was last seen'),
    total: Type.Integer({ minimum: 0, description: 'Number of records (A, AAAA, CNAME, MX and NS).' }),
    records: Type.Array(
      Type.Object(
        {
          name: Type.String({ maxLength: 255, description: 'Its owner.' }),
          type: Type.String({ description: 'A, AAAA, CNAME, MX or NS.' }),
          value: Type.String({ maxLength: 255, description: 'The address or the name that it leads to.' }),
          first_seen_at: time('When it was first seen'),
          last_seen_at: time('When it was last seen'),
        },
        { additionalProperties: false },
      ),
      { maxItems: MAX_RECORDS, description: 'The most recently seen come first.' },
    ),
  },
  { additionalProperties: false },
)

declare module '../../src/evidence/evidence.ts' {
  interface Evidence {
    passive_dns: Static<typeof Section>
  }
}

const timeOf = (value: unknown): string | null =>
  Number.isSafeInteger(value) && Math.abs(value as number) < 1e11
    ? new Date((value as number) * 1_000).toISOString()
    : null
const textOf = (value: unknown): string =>
  typeof value === 'string' ? printable(value.replace(/\.$/, '').toLowerCase(), 255) : ''

/** Reads the Common Output Format (draft-dulaunoy-dnsop-passive-dns-cof): one object a line, `rdata` one value or several. */
export function readRecords(lines: unknown): Static<typeof Section> | null {
  if (!Array.isArray(lines) || lines.some(line => typeof line !== 'object' || line === null)) return null
  const records = lines
    .filter(({ rrtype }) => TYPES.has(rrtype))
    .flatMap(({ rrname, rrtype, rdata, time_first, time_last }) =>
      [rdata].flat().map((value: unknown) => ({
        name: textOf(rrname),
        type: String(rrtype),
        value: textOf(value),
        first_seen_at: timeOf(time_first),
        last_seen_at: timeOf(time_last),
      })),
    )
    .filter(({ value }) => value !== '')
  const firsts = records.flatMap(({ first_seen_at }) => first_seen_at ?? []).sort()
  const latest = records.toSorted((one, other) => (other.last_seen_at ?? '').localeCompare(one.last_seen_at ?? ''))
  return {
    first_seen_at: firsts[0] ?? null,
    last_seen_at: latest[0]?.last_seen_at ?? null,
    total: records.length,
    records: latest.slice(0, MAX_RECORDS),
  }
}

const passiveDnsServer = thirdParty({
  name: 'passive_dns_server',
  provides: 'passive_dns',
  about: 'target',
  description: 'Queries a passive DNS server, by default the server of CIRCL. It sees every target.',
  endpoint: 'https://www.circl.lu/pdns/query',
  path: subject => `/${subject}`,
  key: { header: 'authorization' },
  per_minute: 30,
  lines: true,
  max_bytes: 1024 * 1024,
  read: readRecords,
  unknown: { first_seen_at: null, last_seen_at: null, total: 0, records: [] },
})

export default [
  passiveDnsServer,
  analyzer({
    name: 'passive_dns',
    description: 'Earlier addresses and names of the target, by a passive DNS server.',
    targets: ['domain', 'ip'],
    needs: ['passive_dns'],
    optional: true,
    presentation: { title: 'Earlier DNS records', looks: 'earlier addresses and names of the target', order: 27 },
    schema: Section,
    signals: {},
    analyze: ({ passive_dns: section }) => ({ section, signals: [] }),
  }),
]
