// Copies what a plugin returned as a description: known fields only, each within its bounds. Throws on another shape.
import { truncate } from '../../base/printable.ts'
import {
  type Dependency,
  type Description,
  type Fact,
  FIX_LANGUAGES,
  type Fix,
  type MapPoint,
  type Quoted,
  type RedirectStep,
  type Remark,
  type Sentence,
  type Source,
  type Span,
  type Table,
  type Value,
} from './presentation.ts'

/** More than any built-in section shows; a report stays below a few hundred kilobytes whatever plugins return. */
export const BOUNDS = {
  text: 1_000,
  label: 80,
  sentence: 20,
  facts: 60,
  list: 60,
  tables: 8,
  columns: 12,
  rows: 60,
  remarks: 60,
  links: 10,
  dependencies: 12,
  card: 6,
  spans: 4,
  hops: 20,
  fixes: 32,
  code: 4_000,
} as const

const SEVERITIES: readonly unknown[] = ['critical', 'high', 'medium', 'low', 'info']

export class WrongShape extends Error {
  override readonly name = 'WrongShape'
}

const refuse = (what: string): never => {
  throw new WrongShape(`describe returned ${what}`)
}

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown, what: string): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : refuse(`${what} that is not an object`)

const listOf = <One>(value: unknown, what: string, most: number, read: (one: unknown) => One): readonly One[] =>
  Array.isArray(value) ? value.slice(0, most).map(read) : refuse(`${what} that is not an array`)

const textOf = (value: unknown, what: string, most: number = BOUNDS.text): string =>
  typeof value === 'string' ? truncate(value, most) : refuse(`${what} that is not a string`)

const labelOf = (what: string) => (value: unknown) => textOf(value, what, BOUNDS.label)

const quotedOf = (value: unknown, what: string): Quoted => ({ text: textOf(fieldsOf(value, what)['text'], what) })

const partOf = (value: unknown): string | Quoted =>
  typeof value === 'string' ? truncate(value, BOUNDS.text) : quotedOf(value, 'a part of the summary')

function plainValue(value: unknown): Value {
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : refuse('a number that is not finite')
  if (typeof value === 'string') return truncate(value, BOUNDS.text)
  if (!Array.isArray(value)) return quotedOf(value, 'a value')
  const more = value.length - BOUNDS.list
  const members = value.slice(0, BOUNDS.list).map(one => textOf(one, 'a member of a list'))
  return more > 0 ? [...members, `and ${more} more`] : members
}

function factOf(value: unknown): Fact {
  if (!Array.isArray(value) || value.length !== 2) return refuse('a fact that is not a pair of label and value')
  const label = textOf(value[0], 'a label', BOUNDS.label)
  return value[1] === undefined
    ? refuse(`no value for "${label}": use null for unknown`)
    : [label, plainValue(value[1])]
}

function tableOf(value: unknown): Table {
  const { title, columns, rows } = fieldsOf(value, 'a table')
  const names = listOf(columns, 'columns', BOUNDS.columns, labelOf('a column'))
  const cells = (row: unknown) => listOf(row, 'a row', BOUNDS.columns, plainValue)
  const rowList = listOf(rows, 'rows', BOUNDS.rows, cells)
  if (rowList.some(row => row.length !== names.length)) refuse('a row without one value for each column')
  return { title: textOf(title, 'a title', BOUNDS.label), columns: names, rows: rowList }
}

function remarkOf(value: unknown): Remark {
  const { text, severity = 'info', reason, signals } = fieldsOf(value, 'a remark')
  if (!SEVERITIES.includes(severity)) refuse('a remark with an unknown severity')
  return {
    text: textOf(text, 'a remark'),
    severity: severity as NonNullable<Remark['severity']>,
    ...(reason === undefined ? {} : { reason: textOf(reason, 'a reason') }),
    ...(signals === undefined ? {} : { signals: listOf(signals, 'signals', BOUNDS.list, labelOf('a signal')) }),
  }
}

function sourceOf(value: unknown): Source {
  const { label, url } = fieldsOf(value, 'a link')
  const address = textOf(url, 'a URL')
  if (!/^https?:\/\//.test(address) || !URL.canParse(address)) refuse('a link that is not an http or https URL')
  return { label: textOf(label, 'a label', BOUNDS.label), url: address }
}

function fixOf(value: unknown): Fix {
  const { title, language, code } = fieldsOf(value, 'a fix')
  if (!FIX_LANGUAGES.some(one => one === language)) refuse(`a fix in an unknown language`)
  return {
    title: textOf(title, 'a title', BOUNDS.label),
    language: language as Fix['language'],
    code: textOf(code, 'code', BOUNDS.code),
  }
}

function degrees(value: unknown, most: number): number {
  const isWithin = typeof value === 'number' && Math.abs(value) <= most
  return isWithin ? value : refuse(`a place whose coordinates are not within ±90 and ±180 degrees`)
}

function placeOf(value: unknown): MapPoint {
  const { label, latitude, longitude } = fieldsOf(value, 'a place')
  return {
    label: textOf(label, 'a label', BOUNDS.label),
    latitude: degrees(latitude, 90),
    longitude: degrees(longitude, 180),
  }
}

function dependencyOf(value: unknown): Dependency {
  const { role, party } = fieldsOf(value, 'a dependency')
  return { role: textOf(role, 'a role', BOUNDS.label), party: textOf(party, 'a party', BOUNDS.label) }
}

/** A date, or a date and a time in UTC. */
function momentOf(value: unknown): string {
  const text = textOf(value, 'a date', BOUNDS.label)
  return Number.isNaN(Date.parse(text)) ? refuse('a span whose dates are not ISO 8601') : text
}

function spanOf(value: unknown): Span {
  const { label, from, to } = fieldsOf(value, 'a span')
  return { label: textOf(label, 'a label', BOUNDS.label), from: momentOf(from), to: momentOf(to) }
}

function hopOf(value: unknown): RedirectStep {
  const { url, by } = fieldsOf(value, 'a hop')
  return { url: textOf(url, 'a URL'), by: textOf(by, 'a reason', BOUNDS.label) }
}

function scoreOf(value: unknown): number | null {
  if (value === null) return null
  const isScore = typeof value === 'number' && value >= 0 && value <= 100
  return isScore ? Math.round(value) : refuse('a score that is not from 0 to 100')
}

/** Throws `WrongShape` with the fault. */
export function boundedDescription(value: unknown): Description {
  const fields = fieldsOf(value, 'a description')
  const { summary, facts, tables, remarks, links, fixes, place, dependencies, card, spans, hops, score } = fields
  return {
    summary: listOf(summary, 'a summary', BOUNDS.sentence, partOf) as Sentence,
    facts: listOf(facts, 'facts', BOUNDS.facts, factOf),
    ...(tables === undefined ? {} : { tables: listOf(tables, 'tables', BOUNDS.tables, tableOf) }),
    ...(remarks === undefined ? {} : { remarks: listOf(remarks, 'remarks', BOUNDS.remarks, remarkOf) }),
    ...(links === undefined ? {} : { links: listOf(links, 'links', BOUNDS.links, sourceOf) }),
    ...(fixes === undefined ? {} : { fixes: listOf(fixes, 'fixes', BOUNDS.fixes, fixOf) }),
    ...(place === undefined ? {} : { place: placeOf(place) }),
    ...(dependencies === undefined
      ? {}
      : { dependencies: listOf(dependencies, 'dependencies', BOUNDS.dependencies, dependencyOf) }),
    ...(card === undefined ? {} : { card: listOf(card, 'a card', BOUNDS.card, factOf) }),
    ...(spans === undefined ? {} : { spans: listOf(spans, 'spans', BOUNDS.spans, spanOf) }),
    ...(hops === undefined ? {} : { hops: listOf(hops, 'hops', BOUNDS.hops, hopOf) }),
    ...(score === undefined ? {} : { score: scoreOf(score) }),
  }
}
