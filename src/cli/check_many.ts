// `assay check --input`: every name of a file, here or on other machines, into a file that can be gone on with.
import { accessSync, constants, createReadStream, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { countLines, readInput } from '../bulk/input.ts'
import { createOverflow } from '../bulk/overflow.ts'
import { createPoliteQueue } from '../bulk/polite_queue.ts'
import { createPoliteness } from '../bulk/politeness.ts'
import { createProgress, duration } from '../bulk/progress.ts'
import { type Ran, runBulk } from '../bulk/run.ts'
import { newTally } from '../bulk/tally.ts'
import { parseLine, type Task } from '../bulk/task.ts'
import { systemClock } from '../clock.ts'
import type { ResultsFile } from '../diff/results_file.ts'
import { createGuard } from '../network/guard.ts'
import { parseTarget } from '../target/target.ts'
import { unreadable } from '../text_file.ts'
import { openBaseline } from './baseline.ts'
import { ending, settledText } from './check_ending.ts'
import { openChecks } from './checks.ts'
import { CliError, EXIT } from './exit_codes.ts'
import { interruption } from './interruption.ts'
import { CONCURRENCY, type ManyOptions, REMOTE_CONCURRENCY } from './many_options.ts'
import { type Setting, settle } from './options.ts'
import type { Output } from './output.ts'
import { openResultsSink, type ResultsSink } from './results_sink.ts'
import { requireSections } from './sections.ts'

export async function checkMany(input: string, options: ManyOptions, output: Output): Promise<void> {
  if (input !== '-') requireReadable(input)
  const setting = await settle(options)
  requireSections(options.section, setting.registry)
  const baseline = options.baseline === undefined ? null : await openBaseline(options.baseline)
  const sink = await openResultsSink({ input, options, baseline, registry: setting.registry, output })
  const interrupted = interruption()
  try {
    const began = performance.now()
    const ran = await runAll(input, options, { setting, sink, baseline, output, stop: interrupted.signal })
    await sink.close(ran.ended === 'whole')
    output.err(`assay: ${settledText(ran.tally)}; ${duration((performance.now() - began) / 1_000)}\n`)
    ending({ ran, seen: sink.seen, by: interrupted.by(), options })
  } finally {
    interrupted.forget()
    await sink.release()
    await baseline?.close()
  }
}

/** Ends the command when there is nothing to read; a pipe is not opened, for what is read of it is gone. */
function requireReadable(input: string): void {
  try {
    accessSync(input, constants.R_OK)
    if (statSync(input).isDirectory()) throw new Error('is a directory')
  } catch (error) {
    throw new CliError(EXIT.usage, `${input}: ${unreadable(error)}`)
  }
}

interface Parts {
  readonly setting: Setting
  readonly sink: ResultsSink
  readonly baseline: ResultsFile | null
  readonly output: Output
  readonly stop: AbortSignal
}

async function runAll(input: string, options: ManyOptions, { setting, sink, output, stop }: Parts): Promise<Ran> {
  const { refuse } = createGuard({ allow: setting.config.network.unsafe_allow })
  const checks = await openChecks(options, setting, output)
  const overflow = createOverflow<Task>()
  const tally = newTally()
  const total = input !== '-' && statSync(input).isFile() ? await countLines(input, stop) : null
  const progress = createProgress({ tally, total, screen: output.screen ?? null, tell: output.err })
  // Records on the same screen are progress enough.
  const isQuiet = options.quiet === true || (options.output === undefined && output.columns !== undefined)
  const politeness = createPoliteness({ at_once: options.perDomain, pause_ms: options.pause })
  if (!isQuiet) progress.start()
  try {
    return await runBulk({
      input: over => readInput(input === '-' ? process.stdin : createReadStream(input), over),
      parse: text =>
        parseLine(
          text,
          asked => parseTarget(asked, refuse),
          one => isIP(one) !== 0,
        ),
      settled: sink.settled,
      queue: createPoliteQueue({ politeness, overflow, clock: systemClock }),
      check: checks.check,
      write: sink.write,
      concurrency: options.concurrency ?? (options.redis === undefined ? CONCURRENCY : REMOTE_CONCURRENCY),
      stop,
      tally,
    })
  } finally {
    if (!isQuiet) progress.stop()
    overflow.close()
    await checks.close()
  }
}
