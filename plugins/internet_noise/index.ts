// internet_noise: whether the address scans the whole Internet, or is a common service, by GreyNoise.
import { analyzer, nullable, printable, type Static, Type, thirdParty } from '../../src/engine/plugin.ts'

const CLASSES = ['benign', 'malicious', 'suspicious', 'unknown'] as const

const Section = Type.Object(
  {
    noise: Type.Boolean({ description: 'The address scanned the Internet in the last 90 days.' }),
    common_service: Type.Boolean({ description: 'It belongs to a common business service (RIOT).' }),
    classification: nullable(Type.Enum([...CLASSES]), {
      description: 'Purpose of its scans; null if it does not scan.',
    }),
    name: nullable(Type.String({ maxLength: 128 }), { description: 'Name of the scanner or the service.' }),
    last_seen_on: nullable(Type.String(), { description: 'The day of its last scan.' }),
  },
  { additionalProperties: false },
)

declare module '../../src/evidence/evidence.ts' {
  interface Evidence {
    internet_noise: Static<typeof Section>
  }
}

/** Reads an answer of the Community API, version 3. */
export function readNoise(body: unknown): Static<typeof Section> | null {
  const { noise, riot, classification, name, last_seen } = (body ?? {}) as Readonly<Record<string, unknown>>
  if (typeof noise !== 'boolean' || typeof riot !== 'boolean') return null
  return {
    noise,
    common_service: riot,
    classification: CLASSES.find(one => one === classification) ?? null,
    name: typeof name === 'string' && name !== 'unknown' ? printable(name, 128) : null,
    last_seen_on: typeof last_seen === 'string' && /^\d{4}-\d\d-\d\d/.test(last_seen) ? last_seen.slice(0, 10) : null,
  }
}

const greynoise = thirdParty({
  name: 'greynoise',
  provides: 'internet_noise',
  about: 'ipv4',
  description: 'Queries GreyNoise about the address. GreyNoise sees every address.',
  endpoint: 'https://api.greynoise.io/v3/community',
  path: address => `/${address}`,
  key: { header: 'key' },
  per_minute: 10,
  read: readNoise,
  unknown: { noise: false, common_service: false, classification: null, name: null, last_seen_on: null },
})

export default [
  greynoise,
  analyzer({
    name: 'internet_noise',
    description: 'Whether the address scans the whole Internet or is a common service, by GreyNoise.',
    targets: ['domain', 'ip'],
    needs: ['internet_noise'],
    optional: true,
    presentation: { title: 'Internet noise', looks: 'whether the address scans the whole Internet', order: 31 },
    schema: Section,
    signals: {},
    analyze: ({ internet_noise: section }) => ({ section, signals: [] }),
  }),
]
