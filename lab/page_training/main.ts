// `npm run train:pages -- FOLDER`: trains the page model and prints its quality on sources that it has not seen.
import { writeFileSync } from 'node:fs'
import { Argument } from 'commander'
import { createTool } from '../../src/cli/tool.ts'
import { readRecords } from '../evaluation/records.ts'
import { addedExamples, type Example, examplesOf, isAdded } from './examples.ts'
import { crossValidate, isWhole, modelOf, thresholdsOf, train } from './train.ts'

const OUT = new URL('../../plugins/content_analysis/page_model/weights.json', import.meta.url).pathname

interface TrainOptions {
  readonly more?: string
  readonly out: string
  readonly evaluateOnly: boolean
}

const tool = createTool('train:pages', 'Trains the model of phishing pages and prints its quality.')
  .addArgument(new Argument('<folder>', 'labelled pages (docs/evaluation.md)'))
  .option('--more <folder>', 'pages of packages, as train:collect collects them')
  .option('--out <file>', 'where the weights go', OUT)
  .option('--evaluate-only', 'measure only; write no weights', false)
  .parse()
const [folder = ''] = tool.args
const { more, out, evaluateOnly } = tool.opts<TrainOptions>()

const records = readRecords(folder)
const moreExamples = addedExamples(more)
const examples = [...examplesOf(folder, records), ...moreExamples]
const validation = crossValidate(examples)
const { oddsOf: oddsOfExample } = validation
const thresholds = thresholdsOf(examples, validation)

const percent = (some: readonly Example[], threshold: number) =>
  some.length === 0 ? '–' : ((100 * some.filter(one => oddsOfExample(one) > threshold).length) / some.length).toFixed(1)
const row = (name: string, some: readonly Example[]) =>
  `| ${name} | ${some.length} | ${percent(some, thresholds.possible)} | ${percent(some, thresholds.likely)} | ${percent(some, thresholds.certain)} |`
const kits = examples.filter(({ positive }) => positive)
const evasionsSeen = [...new Set(kits.map(({ evasion }) => evasion))]
const sources = [...new Set(examples.map(({ record }) => record.source.repo))].sort()
const lines = [
  '| pages of sources not trained on | pages | possible % | likely % | certain % |',
  '|---|---|---|---|---|',
  ...evasionsSeen.map(evasion =>
    row(
      `phishing, ${evasion ?? 'as they are'}`,
      kits.filter(one => one.evasion === evasion),
    ),
  ),
  row(
    'benign, whole',
    examples.filter(one => !one.positive && isWhole(one) && !isAdded(one)),
  ),
  row('benign, made up or of packages', moreExamples),
  row(
    'benign, fragments',
    examples.filter(one => !one.positive && one.evasion === null && one.record.kind.includes('fragment')),
  ),
  ...sources
    .map(source =>
      row(
        source,
        examples.filter(
          one => one.record.source.repo === source && one.evasion === null && (one.positive || isWhole(one)),
        ),
      ),
    )
    .filter(line => !line.includes('| 0 |')),
]
process.stdout.write(`${lines.join('\n')}\n${JSON.stringify(thresholds)}\n`)
const worst = examples
  .filter(one => !one.positive && isWhole(one))
  .sort((one, other) => oddsOfExample(other) - oddsOfExample(one))
for (const one of worst.slice(0, 12))
  process.stderr.write(
    `${oddsOfExample(one).toFixed(2)} ${one.record.kind} ${one.record.source.repo} ${one.record.id}\n`,
  )

if (!evaluateOnly) {
  const head = {
    title: 'Weights of the page model, in log-odds, by name of the feature',
    source: 'Written by npm run train:pages; not by hand',
    retrieved: new Date().toISOString().slice(0, 10),
  }
  writeFileSync(out, `${JSON.stringify({ ...head, ...modelOf(train(examples), thresholds) }, null, 2)}\n`)
}
