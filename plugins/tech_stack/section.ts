// The section's fields, and which technologies are reported as server and framework.
import {
  nullable,
  orUnknown,
  printable,
  ServedFields,
  type ServedSection,
  type Static,
  Type,
  withServed,
} from '../../src/engine/plugin.ts'
import { type Category, categories } from './categories.ts'
import type { Technology } from './detect.ts'
import { places } from './fingerprint.ts'

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

const Found = Type.Object(
  {
    name: Type.String({ description: 'Name of the technology.' }),
    category: Type.Enum([...categories], { description: 'What it is for.' }),
    version: nullable(Type.String({ description: 'The version that the evidence names.' })),
    confidence: Type.Integer({ minimum: 1, maximum: 100, description: 'Percent.' }),
    evidence: Type.Array(Evidence, { description: 'At most 3.' }),
  },
  { additionalProperties: false },
)

export const Section = Type.Object(
  {
    ...ServedFields,
    server: nullable(Type.String({ description: 'Name of the server, or its Server header as sent.' })),
    framework: nullable(Type.String({ description: 'Framework of the site.' })),
    technologies: nullable(
      Type.Array(Found, {
        description:
          'Sorted by category, then name; the 50 with the highest confidence. Null if none was found and not everything was seen.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type Section = Static<typeof Section>

const LISTED = 50
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
  const signed = technologies.filter(({ evidence }) =>
    evidence.some(one => one.in === 'header' && one.name === 'server'),
  )
  const servers = (some: readonly Technology[]) => some.filter(({ category }) => category === 'web_server')
  const best =
    surest(servers(signed)) ??
    surest(signed.filter(({ name, category }) => SIGNING.has(category) && !LIBRARIES.has(name)))
  if (best !== null) return best.name
  return header === null || header === ''
    ? (surest(servers(technologies))?.name ?? null)
    : printable(header, CHARACTERS)
}

/** Other categories that put their name into the Server header. */
const SIGNING: ReadonlySet<Category> = new Set(['cdn', 'hosting', 'cache', 'security', 'site_builder', 'runtime'])

/** Named in the header beside the server, which they are part of. */
const LIBRARIES: ReadonlySet<string> = new Set(['OpenSSL'])

/** Minimum confidence for reporting a framework; a single hint stays below it. */
const LIKELY = 50

/** Server-side before browser-side, and observed before implied. */
export function frameworkOf(technologies: readonly Technology[]): string | null {
  const ranked = (['web_framework', 'javascript_framework'] as const).flatMap(kind => {
    const some = technologies.filter(({ category, confidence }) => category === kind && confidence >= LIKELY)
    return [surest(some.filter(isDirect)), surest(some)]
  })
  return ranked.find(one => one !== null)?.name ?? null
}

/** `isWhole`: the page, headers and DNS were all seen. */
export function describe(
  fields: ServedSection,
  technologies: readonly Technology[],
  header: string | null,
  isWhole: boolean,
): Section {
  const listed = new Set(technologies.toSorted((a, b) => b.confidence - a.confidence).slice(0, LISTED))
  return withServed(fields, {
    server: fields.blocked ? null : serverOf(technologies, header),
    framework: fields.blocked ? null : frameworkOf(technologies),
    technologies: orUnknown(
      technologies.filter(one => listed.has(one)).map(one => ({ ...one, evidence: [...one.evidence] })),
      isWhole,
    ),
  })
}
