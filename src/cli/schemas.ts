// `assay schemas`: the published JSON Schemas and the OpenAPI document, for the plugins in force and those that may be enabled.

import { join } from 'node:path'
import type { Command } from 'commander'
import { ConfigSchema } from '../config/schema.ts'
import type { Registry } from '../engine/registry.ts'
import { resultSchema } from '../engine/result_schema.ts'
import { describeApi } from '../service/api/openapi.ts'
import { ProblemSchema } from '../service/api/problem.ts'
import { configOption, type SharedOptions, settle } from './options.ts'
import { writeText } from './output.ts'

/** The published JSON Schemas by file name, derived from the sources of truth. `npm run schemas` writes them to `schemas/`. */
export function publishedSchemas(registry: Registry): Readonly<Record<string, object>> {
  const result = resultSchema(registry, registry.offered)
  return {
    'check-result.json': result,
    'config.json': { $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'Configuration', ...ConfigSchema },
    'problem.json': ProblemSchema,
    'openapi.json': describeApi(result),
  }
}

export const schemaText = (schema: object): string => `${JSON.stringify(schema, null, 2)}\n`

export function defineSchemas(command: Command): void {
  configOption(command)
    .requiredOption('--out <dir>', 'directory to write to')
    .action(async (options: SharedOptions & { out: string }) => {
      const { registry } = await settle(options)
      for (const [name, schema] of Object.entries(publishedSchemas(registry))) {
        writeText(join(options.out, name), schemaText(schema))
      }
    })
}
