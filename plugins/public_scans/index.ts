// public_scans: what urlscan.io has of the domain or the address in its public scans. Nothing is scanned.
import { analyzer, nullable, printable, type Static, Type, thirdParty } from '../../src/engine/plugin.ts'

const MAX_SCANS = 10
const text = Type.String({ maxLength: 2_048 })

const Section = Type.Object(
  {
    total: Type.Integer({ minimum: 0, description: 'Scans that urlscan.io counts.' }),
    last_scanned_at: nullable(Type.String(), { description: 'When the last scan was made, ISO 8601.' }),
    scans: Type.Array(
      Type.Object(
        {
          scanned_at: Type.String({ description: 'When it was made, ISO 8601.' }),
          page: nullable(text, {
            description:
              'The page that answered, without its query, which may be a secret of whoever asked for the scan.',
          }),
          ip: nullable(text, { description: 'Its address.' }),
          report: Type.String({ description: 'The scan on urlscan.io.' }),
        },
        { additionalProperties: false },
      ),
      { maxItems: MAX_SCANS, description: 'The latest come first.' },
    ),
  },
  { additionalProperties: false },
)

declare module '../../src/evidence/evidence.ts' {
  interface Evidence {
    public_scans: Static<typeof Section>
  }
}

interface PublicScan {
  readonly task?: { readonly time?: unknown; readonly uuid?: unknown }
  readonly page?: { readonly url?: unknown; readonly ip?: unknown }
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? printable(value, 2_048) : null)

function pageOf(value: unknown): string | null {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : null
  return url !== null && /^https?:$/.test(url.protocol) ? textOf(url.origin + url.pathname) : null
}

/** Reads an answer of the search API, version 1. */
export function readScans(body: unknown): Static<typeof Section> | null {
  const { results, total } = (body ?? {}) as { readonly results?: unknown; readonly total?: unknown }
  if (!Array.isArray(results) || !Number.isSafeInteger(total) || (total as number) < 0) return null
  const scans = (results as readonly (PublicScan | null)[]).flatMap(scan => {
    const [time, uuid] = [Date.parse(String(scan?.task?.time)), String(scan?.task?.uuid)]
    if (Number.isNaN(time) || !/^[\da-f-]{36}$/.test(uuid)) return []
    const report = `https://urlscan.io/result/${uuid}/`
    return [
      { scanned_at: new Date(time).toISOString(), page: pageOf(scan?.page?.url), ip: textOf(scan?.page?.ip), report },
    ]
  })
  const latest = scans.toSorted((one, other) => other.scanned_at.localeCompare(one.scanned_at))
  return { total: total as number, last_scanned_at: latest[0]?.scanned_at ?? null, scans: latest.slice(0, MAX_SCANS) }
}

const urlscan = thirdParty({
  name: 'urlscan',
  provides: 'public_scans',
  about: 'target',
  description: 'Searches the public scans of urlscan.io. urlscan.io sees every target.',
  endpoint: 'https://urlscan.io/api/v1',
  // Where the page is: `domain` and `ip` are also those that a page took something from.
  path: (subject, kind) =>
    `/search/?size=${MAX_SCANS}&q=${kind === 'domain' ? 'page.domain' : 'page.ip'}:%22${subject}%22`,
  key: { header: 'api-key' },
  per_minute: 30,
  read: readScans,
})

export default [
  urlscan,
  analyzer({
    name: 'public_scans',
    description: 'Public scans of the target at urlscan.io.',
    targets: ['domain', 'ip'],
    needs: ['public_scans'],
    optional: true,
    presentation: { title: 'Public scans', looks: 'earlier scans of the target at urlscan.io', order: 28 },
    schema: Section,
    signals: {},
    analyze: ({ public_scans: section }) => ({ section, signals: [] }),
  }),
]
