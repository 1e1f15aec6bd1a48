// `npm run faults [-- --seed N --only TEXT --lanes N --stage loopback --json]`: plays every fault to one running service.
import { cases } from './cases/index.ts'
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
  const wanted = cases.filter(
    one => options.only === null || String(one.row) === options.only || titleOf(one).includes(options.only),
  )
  const chosen = wanted.filter(({ needs }) => needs !== 'namespace' || stage === 'namespace')
  const print = (line: string) => void process.stdout.write(`${line}\n`)
  if (!options.json) print(`seed ${options.seed}, ${chosen.length} faults, stage ${stage}`)
  let wrong = 0
  const report = (one: Report) => {
    wrong += one.fault === null ? 0 : 1
    if (options.json) print(JSON.stringify(one))
    else
      print(
        `${one.fault === null ? 'ok    ' : 'NOT OK'} ${titleOf(one)} (${one.ms} ms)${one.fault === null ? '' : `\n       ${one.fault}`}`,
      )
  }
  const open = stage === 'namespace' ? openNamespaceStage : async (dialled: () => number) => openLoopbackStage(dialled)
  const summary = await runFaults(chosen, open, options, report)
  if (options.json) print(JSON.stringify({ summary }))
  else print(`${chosen.length - wrong} of ${chosen.length} withstood; ${JSON.stringify(summary)}`)
  const left = wanted.length - chosen.length
  if (left > 0 && !options.json)
    print(`${left} left out: they need a network namespace (root, or user namespaces allowed)`)
  // What hostile servers leave open ends with them
  process.stdout.write('', () => process.exit(wrong > 0 ? 1 : 0))
}
