// `npm run train -- --benign F --malicious F [--out F]`: trains the name model and says how good it is.
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { shippedModelPath } from '../evidence/name_model/shipped.ts'
import type { FitOptions } from './fit.ts'
import { readList } from './lists.ts'
import { reportOf } from './report.ts'
import { trainOnAll, tryOut } from './train.ts'

const usage = `npm run train -- --benign FILE --malicious FILE [options]
  --benign FILE     a name a line, or columns: host, source        (plain or gzip)
  --malicious FILE  a name a line, or columns: host, class, source (plain or gzip)
  --hold A,B,...    sources to measure on and not to train on; about one in five without it
  --out FILE        where the model goes, in place of the shipped one
  --evaluate-only   measure, and write no model
`

const started = performance.now()
const log = (line: string) =>
  process.stderr.write(`${((performance.now() - started) / 1000).toFixed(0).padStart(5)} s  ${line}\n`)

const fitting: FitOptions = {
  ...{ bits: { whole: 22, kinds: 20 }, fineness: { whole: 2.5, kinds: 2 } },
  ...{ epochs: 2, rate: 0.3, folds: 3, trees: 200, leaves: 40, examples: 600_000, seed: 1, log },
}

function readArguments() {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    options: { benign: text, malicious: text, hold: text, out: text, 'evaluate-only': { type: 'boolean' } },
  })
  const { benign, malicious, hold, out = shippedModelPath } = values
  if (benign === undefined || malicious === undefined) throw new Error('--benign and --malicious are needed')
  return { benign, malicious, out, hold: hold?.split(',') ?? null, evaluateOnly: values['evaluate-only'] === true }
}

function run({ benign, malicious, hold, out, evaluateOnly }: ReturnType<typeof readArguments>): void {
  const names = [...readList(benign, 'benign'), ...readList(malicious, 'malicious')]
  const { evaluation, calibration } = tryOut(names, { ...fitting, hold: hold && new Set(hold) })
  process.stdout.write(`${reportOf(evaluation)}\n`)
  if (evaluateOnly) return
  const file = trainOnAll(names, calibration, fitting)
  writeFileSync(out, file)
  log(`${out}: ${file.length} octets`)
}

try {
  run(readArguments())
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`)
  process.exitCode = 2
}
