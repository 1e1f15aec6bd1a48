// What is written of each result: fields of it, the answer to a query, or a line of text.
import jmespath from 'jmespath'
import { didYouMean } from '../base/fault.ts'
import { printable } from '../base/printable.ts'
import { visible } from '../base/visible.js'
import type { Registry } from '../engine/registry.ts'
import { resultSchema } from '../engine/result_schema.ts'
import { createSelector } from '../engine/selection.ts'
import { RECORD_MEMBERS } from '../results/bulk/record.ts'
import { CliError, EXIT } from './exit_codes.ts'
import type { Output } from './output.ts'

// The published types leave out the compiler.
declare module 'jmespath' {
  function compile(expression: string): QueryNode
}

/** A part of a compiled expression. */
interface QueryNode {
  readonly type: string
  readonly name?: string
  /** The members of an object are pairs; everything else is a part by itself. */
  readonly children?: readonly QueryNode[]
  readonly value?: QueryNode
}

export interface ShapeOptions {
  readonly fields?: readonly string[]
  readonly query?: string
  readonly template?: string
}

type Members = Readonly<Record<string, unknown>>

/** What is written of a result or record: a value for JSON, or a line of text for a template. */
export type RecordShape = (record: Members) => unknown

/** Characters of an expression or a template: more than a person writes, and few enough to be read at once. */
const MOST_CHARACTERS = 2_000

/** Ends the command when a name does not exist or an expression is wrong. Null writes the whole result. */
export function shapeOf(options: ShapeOptions, registry: Registry, err: Output['err']): RecordShape | null {
  const { fields, query, template } = options
  if (fields !== undefined) return fieldsShape(fields, registry)
  if (query !== undefined) return queryShape(query, [...rootsOf(registry), ...RECORD_MEMBERS], err)
  return template === undefined ? null : templateShape(template, registry)
}

// A service may have sections that are optional here.
const schemaOf = (registry: Registry) => resultSchema(registry, registry.offered)

const rootsOf = (registry: Registry): readonly string[] =>
  Object.keys((schemaOf(registry) as unknown as { readonly properties: object }).properties)

function selectorOf(registry: Registry): (fields: readonly string[]) => (record: Members) => Members {
  const selector = createSelector(registry, schemaOf(registry))
  return fields => {
    const selection = selector.selection({ fields })
    if (selection?.ok === false) throw new CliError(EXIT.usage, selection.fault)
    return selection?.select ?? (record => record)
  }
}

/** A record says beside the selected fields which line it is of, and what changed. */
function fieldsShape(fields: readonly string[], registry: Registry): RecordShape {
  const select = selectorOf(registry)(fields)
  return record => {
    if ('error' in record) return record
    const { input, line, changes, not_compared } = record
    return { input, line, ...select(record), changes, not_compared }
  }
}

/**
 * JMESPath, whose expressions always end. Wrong syntax, functions and first names end the command before anything is checked; where a
 * function does not take what one result has, that one is null and said.
 */
export function queryShape(query: string, roots: readonly string[], err: Output['err']): RecordShape {
  const wrong = (message: string) => new CliError(EXIT.usage, `--query: ${message}`)
  if (query.length > MOST_CHARACTERS) throw wrong(`longer than ${MOST_CHARACTERS} characters`)
  const whole = compileQuery(query, wrong)
  const unknownRoot = rootNames(whole).find(name => !roots.includes(name))
  if (unknownRoot !== undefined) {
    const name = printable(unknownRoot)
    throw wrong(`there is no field ${name}${didYouMean(unknownRoot, roots) || '.'}`)
  }
  for (const functionCall of functionsIn(whole)) {
    const fault = faultOfCall(functionCall)
    if (fault !== null) throw wrong(fault)
  }
  return record => {
    try {
      return jmespath.search(record, query) ?? null
    } catch (error) {
      const { input, url, domain, ip } = record
      const about = [input, url, domain, ip].find(name => typeof name === 'string' && name !== '')
      err(`assay: --query: ${about === undefined ? '' : `${visible(String(about))}: `}${messageOf(error)}\n`)
      return null
    }
  }
}

const messageOf = (error: unknown): string => printable(error instanceof Error ? error.message : String(error))

function compileQuery(query: string, wrong: (message: string) => CliError): QueryNode {
  try {
    return jmespath.compile(query)
  } catch (error) {
    throw wrong(messageOf(error))
  }
}

const partsOf = ({ children = [], value }: QueryNode): readonly QueryNode[] =>
  value !== null && typeof value === 'object' && 'type' in value ? [...children, value] : children

/** Parts whose first child alone is evaluated in the result; the others are inside what that one gives. */
const DEEPENING = new Set([
  'Subexpression',
  'IndexExpression',
  'Projection',
  'ValueProjection',
  'FilterProjection',
  'Flatten',
  'Pipe',
])

/** The names that an expression looks up in the result itself. */
function rootNames(node: QueryNode): readonly string[] {
  if (node.type === 'Field') return [node.name ?? '']
  if (node.type === 'ExpressionReference' || node.type === 'Literal') return []
  return (DEEPENING.has(node.type) ? partsOf(node).slice(0, 1) : partsOf(node)).flatMap(rootNames)
}

function functionsIn(node: QueryNode): readonly QueryNode[] {
  if (node.type === 'Literal') return []
  const inside = partsOf(node).flatMap(functionsIn)
  return node.type === 'Function' ? [node, ...inside] : inside
}

/** The library looks at the name and the number of arguments only when it calls, and at their types after that. */
function faultOfCall({ name, children = [] }: QueryNode): string | null {
  try {
    jmespath.search(null, `${name}(${children.map(() => '`null`').join()})`)
    return null
  } catch (error) {
    const message = messageOf(error)
    return /^(?:Error: )?(?:Unknown function|ArgumentError)/.test(message) ? message : null
  }
}

/** What stands for a value that is not known. */
const UNKNOWN = '-'

const PLACE = /\{\{\s*([^{}]*?)\s*\}\}/g

/** Members that only records of many targets have, beside those of a result. */
const RECORD_FIELDS: readonly string[] = ['input', 'line', 'error', 'error.code', 'error.detail']

/** `{{domain}} {{ssl_info.expires_at}}`: text, and values by their paths. There are no conditions and no loops. */
function templateShape(template: string, registry: Registry): RecordShape {
  const wrong = (message: string) => new CliError(EXIT.usage, `--template: ${message}`)
  if (template.length > MOST_CHARACTERS) throw wrong(`longer than ${MOST_CHARACTERS} characters`)
  if (/\{\{|\}\}/.test(template.replace(PLACE, ''))) throw wrong('"{{" and "}}" belong around the name of a field')
  const selectorFor = selectorOf(registry)
  // Odd parts are the names between the texts.
  const parts = template.split(PLACE).map((part, i) => {
    if (i % 2 === 0) return () => part
    const steps = part.split('.')
    if (RECORD_FIELDS.includes(part)) return (record: Members) => textOf(at(record, steps))
    const select = selectorFor([part])
    return (record: Members) => textOf(at('error' in record ? record : select(record), steps))
  })
  return record => parts.map(textIn => textIn(record)).join('')
}

/** The value at a path; of a list, the values in each of its members. */
function at(value: unknown, [step, ...rest]: readonly string[]): unknown {
  if (step === undefined || value === null || value === undefined) return value
  if (Array.isArray(value)) return value.map(one => at(one, [step, ...rest]))
  return typeof value === 'object' && Object.hasOwn(value, step) ? at((value as Members)[step], rest) : undefined
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return UNKNOWN
  if (Array.isArray(value)) return value.length === 0 ? UNKNOWN : value.map(textOf).join(',')
  return visible(typeof value === 'object' ? JSON.stringify(value) : String(value))
}
