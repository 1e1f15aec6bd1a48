#!/usr/bin/env node
// The `assay` command.
import { keepYoungGenerationSmall } from './young_generation.ts'

/** Commands that run for long. They let it grow when they have started. */
const SERVICES: ReadonlySet<string | undefined> = new Set(['serve', 'serve-worker'])

// Before any other module is loaded.
if (SERVICES.has(process.argv[2])) keepYoungGenerationSmall()
const { runCommand } = await import('./command.ts')
await runCommand()
