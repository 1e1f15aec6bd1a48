// `npm run faults [-- --seed N --only TEXT --lanes N --variants N --stage loopback --json]`: plays faults to one running service.
import { chooseFaults } from './choose.ts'
import { openLoopbackStage } from './loopback_stage.ts'
import { canHaveNamespaces, openNamespaceStage, runInNamespace } from './namespace_stage.ts'
import { readOptions } from './options.ts'
import { batches, playBatch, titleOf } from './run.ts'
import { openTheatre } from './theatre.ts'

const options = readOptions(process.argv.slice(2))
const stage = options.stage ?? (canHaveNamespaces() ? 'namespace' : 'loopback')

if (stage === 'namespace' && !options.inside) {
  const args = [...process.execArgv, ...process.argv.slice(1), '--inside', '--seed', String(options.seed)]
  runInNamespace(process.execPath, args).once('exit', code => process.exit(code ?? 1))
} else {
  await main()
}

async function main(): Promise<void> {
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
