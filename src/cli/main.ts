#!/usr/bin/env node
// The `assay` command.
import { strayLines } from './defect_lines.ts'
import { terminal } from './output.ts'
import { guardProcess, outliveStrays } from './process_guard.ts'
import { run } from './program.ts'

guardProcess()
outliveStrays(strayLines(terminal.err))
process.exitCode = await run(process.argv.slice(2))
