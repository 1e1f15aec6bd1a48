// The section's fields, and which technologies are reported as server and framework.
import {
  labelled,
  nullable,
  orUnknown,
  printable,
  ServedFields,
  type ServedSection,
  type Static,
  Type,
  withServed,
} from '../../src/engine/plugin.ts'
import { categories, type TechnologyCategory } from './categories.ts'
import type { Technology } from './detect.ts'
import { places } from './fingerprint.ts'
import { type ThirdParty, uses } from './third_parties.ts'

const Evidence = Type.Object(
  {
    in: Type.Enum([...places, 'implied_by'], {
      description: 'Place of the match; `implied_by`: another technology implies it.',
    }),
    name: nullable(Type.String({ description: 'Name of the header or meta element.' })),
    value: Type.String({ description: 'Matched text, shortened; the name for cookies.' }),
  },
  { additionalProperties: false },
)

const FoundTechnology = Type.Object(
  {
    name: Type.String({ description: 'Name of the technology.' }),
    category: Type.Enum([...categories], { description: 'What it is for.' }),
    version: nullable(Type.String({ description: 'The version that the evidence names.' })),
    confidence: Type.Integer({ minimum: 1, maximum: 100, description: 'Percent.' }),
    evidence: Type.Array(Evidence, { description: 'At most 3.' }),
  },
  { additionalProperties: false },
)

const Party = Type.Object(
  {
    host: Type.String({ description: 'Host name of a third party.' }),
    uses: Type.Array(Type.Enum([...uses]), {
      description: '`file`: an icon, a font or another file; `hint`: browsers only prepare a connection.',
    }),
    technologies: Type.Array(Type.String(), { description: 'Services that its files show.' }),
    purposes: Type.Array(Type.Enum([...categories]), { description: 'What these are for; empty if unknown.' }),
  },
  { additionalProperties: false },
)

export const Section = Type.Object(
  {
    ...ServedFields,
    server: nullable(Type.String({ description: 'Name of the server, or its Server header as sent.' })),
    framework: nullable(Type.String({ description: 'Framework of the site.' })),
    technologies: nullable(
      Type.Array(FoundTechnology, {
        description:
          'Sorted by category, then name; the 50 with the highest confidence. Null if none was found and not everything was seen.',
      }),
    ),
    third_parties: labelled(
      'Third-party hosts',
      nullable(
        Type.Array(Party, {
          description:
            'Hosts outside of the site that the markup of the page makes browsers contact, at most 50; hosts with scripts come first. Null if the page was not read.',
        }),
      ),
    ),
    third_parties_total: nullable(Type.Integer({ description: 'Number of hosts.' })),
  },
  { additionalProperties: false },
)
export type Section = Static<typeof Section>

const MAX_ENTRIES = 50
/** Formats a Server header that no fingerprint matches. */
const CHARACTERS = 128

const surest = (technologies: readonly Technology[]): Technology | null =>
  technologies.reduce<Technology | null>(
    (best, one) => (best === null || one.confidence > best.confidence ? one : best),
    null,
  )

const isDirect = ({ evidence }: Technology): boolean => evidence.some(one => one.in !== 'implied_by')

/** The technology in the Server header, otherwise a server found by other evidence. */
export function serverOf(technologies: readonly Technology[], header: string | null): string | null {
  const serverTechnologies = technologies.filter(({ evidence }) =>
    evidence.some(one => one.in === 'header' && one.name === 'server'),
  )
  const servers = (some: readonly Technology[]) => some.filter(({ category }) => category === 'web_server')
  const best =
    surest(servers(serverTechnologies)) ??
    surest(serverTechnologies.filter(({ name, category }) => SIGNING.has(category) && !LIBRARIES.has(name)))
  if (best !== null) return best.name
  return header === null || header === ''
    ? (surest(servers(technologies))?.name ?? null)
    : printable(header, CHARACTERS)
}

/** Other categories that put their name into the Server header. */
const SIGNING: ReadonlySet<TechnologyCategory> = new Set([
  'cdn',
  'hosting',
  'cache',
  'security',
  'site_builder',
  'runtime',
])

/** Named in the header beside the server, which they are part of. */
const LIBRARIES: ReadonlySet<string> = new Set(['OpenSSL'])

/** Minimum confidence for reporting a framework; a single hint stays below it. */
const LIKELY = 50

/** Server-side before browser-side, and observed before implied. */
export function frameworkOf(technologies: readonly Technology[]): string | null {
  const candidates = (['web_framework', 'javascript_framework'] as const).flatMap(kind => {
    const some = technologies.filter(({ category, confidence }) => category === kind && confidence >= LIKELY)
    return [surest(some.filter(isDirect)), surest(some)]
  })
  return candidates.find(one => one !== null)?.name ?? null
}

/** `isWhole`: the page, headers and DNS were all seen. */
export function describe(
  fields: ServedSection,
  technologies: readonly Technology[],
  header: string | null,
  isWhole: boolean,
  parties: readonly ThirdParty[] | null,
): Section {
  const shortlist = new Set(technologies.toSorted((a, b) => b.confidence - a.confidence).slice(0, MAX_ENTRIES))
  return withServed(fields, {
    server: fields.blocked ? null : serverOf(technologies, header),
    framework: fields.blocked ? null : frameworkOf(technologies),
    technologies: orUnknown(
      technologies.filter(one => shortlist.has(one)).map(one => ({ ...one, evidence: [...one.evidence] })),
      isWhole,
    ),
    third_parties:
      parties?.slice(0, MAX_ENTRIES).map(({ host, ...party }) => ({
        host,
        uses: [...party.uses],
        technologies: [...party.technologies],
        purposes: [...party.purposes],
      })) ?? null,
    third_parties_total: parties?.length ?? null,
  })
}
