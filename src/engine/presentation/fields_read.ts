// Finds fields that `describe` reads and the schema does not have, by calling it with a sample of the section. A value that
// is always undefined would only be noticed by readers of the report.
import type { Presentation } from './presentation.ts'

interface SampleSchema {
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly SampleSchema[]
  readonly items?: SampleSchema
  readonly minimum?: number
  readonly properties?: Readonly<Record<string, SampleSchema>>
  readonly additionalProperties?: unknown
  readonly patternProperties?: unknown
}

type Suggest = (name: string, knownNames: readonly string[]) => string
type OnUnknown = (name: string, knownNames: readonly string[]) => void

/** The faults, in words. A `describe` that cannot handle the sample is not at fault: only fields read until then count. */
export function unknownFieldsRead(presentation: unknown, schema: unknown, suggest: Suggest): string[] {
  const { describe } = (presentation ?? {}) as Presentation
  if (typeof describe !== 'function') return []
  const faults: string[] = []
  const onUnknown: OnUnknown = (name, knownNames) =>
    faults.push(`"presentation.describe" reads "${name}", which "schema" does not have${suggest(name, knownNames)}`)
  for (const present of [true, false]) {
    try {
      describe(sampleOf(schema as SampleSchema, present, onUnknown), { isWhole: present, domain: 'example.com' })
    } catch {
      // As documented above.
    }
  }
  return [...new Set(faults)]
}

/** A value of the schema; `present` chooses the value over null, and lists with one element over empty ones. */
function sampleOf(schema: SampleSchema, present: boolean, onUnknown: OnUnknown): unknown {
  const { anyOf, properties } = schema
  if (anyOf !== undefined) {
    const option = anyOf.find(one => (one.type === 'null') !== present) ?? anyOf[0]
    return sampleOf(option ?? {}, present, onUnknown)
  }
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  const [type] = [schema.type].flat()
  if (type === 'array') return present && schema.items ? [sampleOf(schema.items, present, onUnknown)] : []
  if (type !== 'object') return scalars[String(type)]?.(schema) ?? null
  if (properties === undefined) return {}
  const sample = Object.fromEntries(
    Object.entries(properties).map(([name, one]) => [name, sampleOf(one, present, onUnknown)]),
  )
  const isClosed = schema.additionalProperties === false && schema.patternProperties === undefined
  return isClosed ? watchReads(sample, onUnknown) : sample
}

const scalars: Readonly<Record<string, (schema: SampleSchema) => unknown>> = {
  string: () => '',
  number: ({ minimum = 0 }) => minimum,
  integer: ({ minimum = 0 }) => minimum,
  boolean: () => true,
}

const watchReads = (sample: object, onUnknown: OnUnknown): object =>
  new Proxy(sample, {
    get(object, name, receiver) {
      if (typeof name === 'string' && !(name in object) && name !== 'toJSON') onUnknown(name, Object.keys(object))
      return Reflect.get(object, name, receiver)
    },
  })
