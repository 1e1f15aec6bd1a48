// The section's fields, and which of the technologies are named as server and framework.
import {
  ServedFields,
  type ServedSection,
  type Static,
  type TSchema,
  Type,
  withServed,
} from '../../src/engine/plugin.ts'
import { type Category, categories } from './categories.ts'
import type { Technology } from './detect.ts'
import { places } from './fingerprint.ts'
import { printable } from './text.ts'

const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

const Evidence = Type.Object(
  {
    in: Type.Enum([...places, 'implied_by'], { description: 'Where it stood; `implied_by`: in another technology.' }),
    name: Nullable(Type.String({ description: 'Of the header or meta.' })),
    value: Type.String({ description: 'What stood there, cut; of cookies the name.' }),
  },
  { additionalProperties: false },
)

const Found = Type.Object(
  {
    name: Type.String(),
    category: Type.Enum([...categories]),
    version: Nullable(Type.String()),
    confidence: Type.Integer({ minimum: 1, maximum: 100, description: 'Percent.' }),
    evidence: Type.Array(Evidence, { description: 'At most 3.' }),
  },
  { additionalProperties: false },
)

export const Section = Type.Object(
  {
    ...ServedFields,
    server: Nullable(Type.String({ description: 'What answered: the server’s name, or its header as sent.' })),
    framework: Nullable(Type.String({ description: 'The framework the site is built with.' })),
    technologies: Type.Array(Found, { description: 'By category, then name; the surest 50.' }),
  },
  { additionalProperties: false },
)
export type Section = Static<typeof Section>

const LISTED = 50
/** Of a Server header that no fingerprint knows. */
const CHARACTERS = 128

const surest = (technologies: readonly Technology[]): Technology | null =>
  technologies.reduce<Technology | null>(
    (best, one) => (best === null || one.confidence > best.confidence ? one : best),
    null,
  )

const isDirect = ({ evidence }: Technology): boolean => evidence.some(one => one.in !== 'implied_by')

/** Who signs the response, else the server that something else gives away. */
export function serverOf(technologies: readonly Technology[], header: string | null): string | null {
  const signed = technologies.filter(({ evidence }) =>
    evidence.some(one => one.in === 'header' && one.name === 'server'),
  )
  const servers = (some: readonly Technology[]) => some.filter(({ category }) => category === 'web_server')
  const best = surest(servers(signed)) ?? surest(signed.filter(({ category }) => SIGNING.has(category)))
  if (best !== null) return best.name
  return header === null || header === ''
    ? (surest(servers(technologies))?.name ?? null)
    : printable(header, CHARACTERS)
}

/** Others that put their name into the Server header. */
const SIGNING: ReadonlySet<Category> = new Set(['cdn', 'hosting', 'cache', 'security', 'site_builder', 'runtime'])

/** Percent from which a framework is said to be the site's: a hint alone is none. */
const LIKELY = 50

/** What runs at the server comes before what runs in the browser, and what was seen before what is implied. */
export function frameworkOf(technologies: readonly Technology[]): string | null {
  const ranked = (['web_framework', 'javascript_framework'] as const).flatMap(kind => {
    const some = technologies.filter(({ category, confidence }) => category === kind && confidence >= LIKELY)
    return [surest(some.filter(isDirect)), surest(some)]
  })
  return ranked.find(one => one !== null)?.name ?? null
}

export function describe(fields: ServedSection, technologies: readonly Technology[], header: string | null): Section {
  const listed = new Set(technologies.toSorted((a, b) => b.confidence - a.confidence).slice(0, LISTED))
  return withServed(fields, {
    server: fields.blocked ? null : serverOf(technologies, header),
    framework: fields.blocked ? null : frameworkOf(technologies),
    technologies: technologies.filter(one => listed.has(one)).map(one => ({ ...one, evidence: [...one.evidence] })),
  })
}
