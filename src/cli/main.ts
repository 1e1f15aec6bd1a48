#!/usr/bin/env node
// The `assay` command.
import module from 'node:module'
import { join } from 'node:path'

/** From Node 22.8 on. */
interface CompileCache {
  enableCompileCache?(directory: string): unknown
}

// V8 reads the code that it compiled for an earlier start. Below `dist`, so that nobody else can put code there; where it cannot be
// written, nothing happens.
if (import.meta.filename.endsWith('.js'))
  (module as CompileCache).enableCompileCache?.(join(import.meta.dirname, '../../.compile_cache'))
const { runCommand } = await import('./command.ts')
await runCommand()
