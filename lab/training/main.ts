// `npm run train -- --benign F --malicious F [--out F]`: trains the name model and prints its quality.
import { writeFileSync } from 'node:fs'
import { didYouMean } from '../../src/base/fault.ts'
import { CliError, EXIT } from '../../src/cli/exit_codes.ts'
import { createTool } from '../../src/cli/tool.ts'
import { shippedModelPath } from '../../src/evidence/name_score/name_model.ts'
import { reportOf } from './evaluate.ts'
import type { FitOptions } from './fit.ts'
import { type LabelledName, readList } from './lists.ts'
import { trainOnAll, tryOut } from './train.ts'

const startTime = performance.now()
const log = (line: string) =>
  process.stderr.write(`${((performance.now() - startTime) / 1000).toFixed(0).padStart(5)} s  ${line}\n`)

const fitting: FitOptions = {
  bits: { whole: 22, kinds: 20 },
  fineness: { whole: 2.5, kinds: 2 },
  epochs: 2,
  rate: 0.3,
  shrink: 6e-4,
  folds: 3,
  examples: 600_000,
  seed: 1,
  log,
  trees: 120,
  leaves: 32,
  treeRate: 0.15,
  generated: { families: 500, size: 100 },
}

interface TrainOptions {
  readonly benign: string
  readonly malicious: string
  readonly out?: string
  readonly hold: string[] | null
  readonly evaluateOnly: boolean
}

const options = createTool('train', 'Trains the model of malicious names and prints its quality.')
  .requiredOption('--benign <file>', 'one name per line, or columns: host, source (plain or gzip)')
  .requiredOption('--malicious <file>', 'one name per line, or columns: host, class, source (plain or gzip)')
  .option(
    '--hold <a,b>',
    'sources to hold back for measuring (default: about one in five)',
    one => one.split(','),
    null,
  )
  .option('--out <file>', 'file to write the model to (default: the shipped model)')
  .option('--evaluate-only', 'measure only; write no model', false)
  .parse()
  .opts<TrainOptions>()

function run({ benign, malicious, hold, out = shippedModelPath, evaluateOnly }: TrainOptions): void {
  const names = [...readList(benign, 'benign'), ...readList(malicious, 'malicious')]
  requireSources(names, hold ?? [])
  const { evaluation, calibration } = tryOut(names, { ...fitting, hold: hold && new Set(hold) })
  process.stdout.write(`${reportOf(evaluation)}\n`)
  if (evaluateOnly) return
  const file = trainOnAll(names, calibration, fitting)
  writeFileSync(out, file)
  log(`${out}: ${file.length} octets`)
}

/** Rejects unknown sources: holding back nothing would measure on the training names. */
function requireSources(names: readonly LabelledName[], heldSources: readonly string[]): void {
  const sources = new Set(names.map(({ source }) => source))
  const faults = heldSources
    .filter(source => !sources.has(source))
    .map(source => `--hold: no name is from "${source}"${didYouMean(source, sources)}`)
  if (faults.length > 0) throw new CliError(EXIT.usage, faults.join('\n'))
}

try {
  run(options)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = error instanceof CliError ? error.code : EXIT.internal
}
