#!/usr/bin/env node
// The `assay` command.
import { strayLines } from './defects.ts'
import { terminal } from './output.ts'
import { run } from './program.ts'
import { guardProcess, outliveStrays, releaseProcess } from './signals.ts'

guardProcess()
outliveStrays(strayLines(terminal.err))
const code = await run(process.argv.slice(2))
releaseProcess()
// Timers and sockets that a plugin left open would keep the process.
process.exit(code)
