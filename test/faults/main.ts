// `npm run faults [-- --seed N --only TEXT --lanes N --variants N --stage loopback --json]`: plays every fault to one running service.
import { chooseFaults } from './choose.ts'
import { openLoopbackStage } from './loopback_stage.ts'
import { canHaveNamespaces, openNamespaceStage, runInNamespace } from './namespace_stage.ts'
import { readOptions } from './options.ts'
import { type Report, runFaults, titleOf } from './run.ts'

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
  let wrong = 0
  const report = (one: Report) => {
    wrong += one.fault === null ? 0 : 1
    if (options.json) process.stdout.write(`${JSON.stringify(one)}\n`)
    print(`${one.fault === null ? 'ok    ' : 'NOT OK'} ${titleOf(one)} (${one.ms} ms)`)
    if (one.fault !== null) print(`       ${one.fault}`)
  }
  const open = stage === 'namespace' ? openNamespaceStage : async (dialled: () => number) => openLoopbackStage(dialled)
  const summary = await runFaults(played, open, options, report)
  if (options.json) process.stdout.write(`${JSON.stringify({ summary })}\n`)
  print(`${played.length - wrong} of ${played.length} withstood; ${JSON.stringify(summary)}`)
  if (left_out.length > 0)
    print(`${left_out.length} left out: they need a network namespace (root, or user namespaces allowed)`)
  // What hostile servers leave open ends with them
  process.stdout.write('', () => process.exit(wrong > 0 ? 1 : 0))
}
