// Plays what was asked for and tells of each fault, then ends the process: with 1 when anything was wrong.
import { chooseFaults } from './choose.ts'
import { ignoreTimes } from './client.ts'
import { openLoopbackStage } from './loopback_stage.ts'
import { openNamespaceStage } from './namespace_stage.ts'
import type { Options } from './options.ts'
import { batches, playBatch, titleOf } from './run.ts'
import { openTheatre } from './theatre.ts'

export async function playAll(options: Options, stage: 'namespace' | 'loopback'): Promise<void> {
  if (options.untimed) ignoreTimes()
  const { played, left_out } = chooseFaults(options, stage)
  const print = (line: string) => void (options.json || process.stdout.write(`${line}\n`))
  print(`seed ${options.seed}, ${played.length} faults, stage ${stage}`)
  const theatre = await openTheatre(
    stage === 'namespace' ? openNamespaceStage : async dialled => openLoopbackStage(dialled),
  )
  let wrong = 0
  let held = theatre.baseline.held
  for (const [at, batch] of batches(played, options.seed, options.lanes).entries()) {
    const over = await playBatch(batch, theatre, `after${at}`)
    held = over.held
    for (const report of over.reports) {
      wrong += report.fault === null ? 0 : 1
      if (options.json) process.stdout.write(`${JSON.stringify(report)}\n`)
      print(`${report.fault === null ? 'ok    ' : 'NOT OK'} ${titleOf(report)} (${report.ms} ms)`)
      if (report.fault !== null) print(`       ${report.fault}`)
    }
  }
  const forbidden = theatre.stage.forbiddenPackets()
  await theatre.close()
  const summary = { played: played.length, wrong, forbidden, first: theatre.baseline.held, last: held }
  if (options.json) process.stdout.write(`${JSON.stringify({ summary })}\n`)
  print(`${played.length - wrong} of ${played.length} withstood, ${forbidden} packets to forbidden places`)
  print(`held at first ${JSON.stringify(summary.first)}\nand at last   ${JSON.stringify(summary.last)}`)
  if (left_out.length > 0)
    print(`${left_out.length} left out: they need a network namespace (root, or user namespaces allowed)`)
  // What hostile servers leave open ends with them
  process.stdout.write('', () => process.exit(wrong > 0 ? 1 : 0))
}
