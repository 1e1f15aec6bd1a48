// `assay schemas`: the published JSON Schemas and the OpenAPI document, for the plugins in force.
import { join } from 'node:path'
import type { Command } from 'commander'
import { publishedSchemas, schemaText } from '../schemas.ts'
import { writeText } from './files.ts'
import { configOption, type SharedOptions, settle } from './options.ts'

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
