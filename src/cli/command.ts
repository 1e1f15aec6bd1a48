// Runs the `assay` command in this process.
import { strayLines } from './defects.ts'
import { terminal } from './output.ts'
import { run } from './program.ts'
import { guardProcess, outliveStrays, releaseProcess } from './signals.ts'

export async function runCommand(): Promise<void> {
  guardProcess()
  outliveStrays(strayLines(terminal.err))
  const code = await run(process.argv.slice(2))
  releaseProcess()
  // Timers and sockets that a plugin left open would keep the process.
  process.exit(code)
}
