// What the outside reads as JSON Schema, from the sources of truth. `npm run schemas` writes it to schemas/.
import { describeApi, ProblemSchema } from './api/openapi.ts'
import { ConfigSchema } from './config/schema.ts'
import type { Registry } from './engine/registry.ts'
import { resultSchema } from './engine/result_schema.ts'

/** Each published document by its file name. */
export function publishedSchemas(registry: Registry): Readonly<Record<string, object>> {
  const result = resultSchema(registry)
  return {
    'check-result.json': result,
    'config.json': { $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'Configuration', ...ConfigSchema },
    'problem.json': ProblemSchema,
    'openapi.json': describeApi(result),
  }
}

export const schemaText = (schema: object): string => `${JSON.stringify(schema, null, 2)}\n`
