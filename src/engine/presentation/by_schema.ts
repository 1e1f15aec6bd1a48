// The description of a section by its schema, for plugins that have none of their own: scalars and lists become facts, lists
// of objects and nested objects become tables. Never JSON.
import { type FieldSchema, labelOf, presentSchema, words } from '../../base/labels.ts'
import type { Description, Fact, Table, Value } from './presentation.ts'
import { day, dateTime as moment, quote, size, span } from './words.ts'

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isRows = (value: unknown): value is readonly Fields[] =>
  Array.isArray(value) && value.length > 0 && value.every(isFields)

/** `schema` is the schema of the section; a value without a schema is shown by its name and type. */
export function describeBySchema(section: unknown, schema: FieldSchema = {}): Description {
  const facts: Fact[] = []
  const tables: Table[] = []
  for (const [name, value] of Object.entries(isFields(section) ? section : {})) {
    const own = schema.properties?.[name]
    const label = labelOf(name, own)
    const present = own && presentSchema(own)
    if (isRows(value)) tables.push(tableOf(label, value, present?.items && presentSchema(present.items)))
    else if (isFields(value) && Object.keys(value).length > 0) tables.push(groupOf(label, value, present))
    else facts.push([label, plainValue(name, value, present)])
  }
  return { summary: [], facts, ...(tables.length > 0 ? { tables } : {}) }
}

function tableOf(title: string, rows: readonly Fields[], schema: FieldSchema | undefined): Table {
  const names = [...new Set(rows.flatMap(row => Object.keys(row)))]
  return {
    title,
    columns: names.map(name => labelOf(name, schema?.properties?.[name])),
    rows: rows.map(row => names.map(name => plainValue(name, row[name] ?? null, schema?.properties?.[name]))),
  }
}

function groupOf(title: string, fields: Fields, schema: FieldSchema | undefined): Table {
  const rows = Object.entries(fields).map(([name, value]): readonly Value[] => {
    const own = schema?.properties?.[name]
    return [labelOf(name, own), plainValue(name, value, own)]
  })
  return { title, columns: ['Field', 'Value'], rows }
}

function plainValue(name: string, value: unknown, schema: FieldSchema | undefined): Value {
  if (value === null || value === undefined) return null
  if (typeof value === 'boolean') return value
  if (typeof value === 'number') return quantity(name, value)
  if (Array.isArray(value)) return value.map(one => textOf(name, one, schema?.items))
  if (isFields(value)) {
    return Object.entries(value).map(
      ([key, one]) => `${words(key)}: ${textOf(key, one, schema && presentSchema(schema).properties?.[key])}`,
    )
  }
  return quote(formatValue(name, String(value), schema))
}

/** In one line, for a list or a cell. */
function textOf(name: string, value: unknown, schema: FieldSchema | undefined): string {
  const plain = plainValue(name, value, schema)
  if (plain === null) return 'unknown'
  if (typeof plain === 'boolean') return plain ? 'yes' : 'no'
  if (typeof plain === 'number') return String(plain)
  if (typeof plain === 'string') return plain
  return 'text' in plain ? plain.text : plain.join(', ')
}

/** JSON Schema has no units; these suffixes of names are this project's. */
function quantity(name: string, value: number): Value {
  if (/(?:^|_)(?:bytes|octets)$/.test(name)) return size(value)
  if (/_ms$/.test(name)) return value < 1_000 ? `${value} ms` : span(value)
  if (/_(?:seconds|s)$/.test(name)) return span(value * 1_000)
  return value
}

/** `2026-11-22` or the same with a time. */
const ISO = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/

function formatValue(name: string, value: string, schema: FieldSchema | undefined): string {
  const { format } = schema === undefined ? {} : presentSchema(schema)
  if ((format === 'date-time' || format === 'date' || /_at$/.test(name)) && ISO.test(value))
    return value.includes('T') ? moment(value) : (day(value) ?? value)
  return value
}
