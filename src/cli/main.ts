#!/usr/bin/env node
// The `assay` command.
import { openServiceScript } from './service_script.ts'
import { keepYoungGenerationSmall } from './young_generation.ts'

/** Commands that run for long. They let it grow when they have started. */
const SERVICES: ReadonlySet<string | undefined> = new Set(['serve', 'serve-worker'])

const isService = SERVICES.has(process.argv[2])
const script = isService ? openServiceScript() : null
// Before anything else is loaded, and after V8 has compared its flags with those of the compiled code.
if (isService) keepYoungGenerationSmall()
const { runCommand } = script?.run() ?? (await import('./command.ts'))
await runCommand()
