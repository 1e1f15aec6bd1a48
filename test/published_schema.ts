// Validates what we export against the schema of its publisher (test/fixtures/schemas).
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'

const FOLDER = join(import.meta.dirname, 'fixtures/schemas')

/** RFC 3986 sections 3 and 4.1: every character is allowed somewhere, and an escape is whole. */
const characters = /^(?:[\w\-.~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*$/
const formats = {
  uri: (text: string) => characters.test(text) && /^[a-z][a-z0-9+.-]*:/i.test(text) && URL.canParse(text),
  'uri-reference': (text: string) => characters.test(text) && URL.canParse(text, 'https://example.com'),
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i,
  email: /^[^@\s]+@[^@\s]+$/,
  regex: (text: string) => new RegExp(text, 'u') instanceof RegExp,
}

type Ajvs = Pick<Ajv, 'addFormat' | 'compile'>

function compiled(ajv: Ajvs, schema: object): ValidateFunction {
  for (const [name, format] of Object.entries(formats)) ajv.addFormat(name, format)
  return ajv.compile(schema)
}

/** What its schema says is wrong with a value; empty when nothing is. */
export function publishedSchema(file: string): (value: unknown) => readonly string[] {
  const { $schema, id: _, ...schema } = JSON.parse(readFileSync(join(FOLDER, file), 'utf8'))
  const is2020 = String($schema).includes('2020-12')
  // Patterns are read as browsers read them by default: some have what only the flag `u` refuses.
  const options = { strict: false, allErrors: true, unicodeRegExp: false }
  // What draft 4 says here, draft 7 says alike, except for the name of the identifier.
  const validate = compiled(is2020 ? new Ajv2020(options) : new Ajv(options), schema)
  return value => {
    validate(value)
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
  }
}

export const assertPublished = (validate: ReturnType<typeof publishedSchema>, value: unknown): void =>
  assert.deepEqual(validate(value).slice(0, 5), [])
