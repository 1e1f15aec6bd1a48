// `npm run train:pages -- FOLDER`: trains the page model and says how good it is on sources that it has not seen.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Argument } from 'commander'
import { createTool } from '../cli/tool.ts'
import { type PageRecord, readRecords } from '../evaluation/records.ts'
import { type Example, examplesOf, featuresOf } from './examples.ts'
import { crossValidate, isWhole, modelOf, thresholdsOf, train } from './train.ts'

/** A made page or one of documentation, beside one that somebody put on a site. */
const OF_MORE = 0.3

const OUT = new URL('../../plugins/content_analysis/page_model/weights.ts', import.meta.url).pathname

interface Asked {
  readonly more?: string
  readonly out: string
  readonly evaluateOnly: boolean
}

const tool = createTool('train:pages', 'Trains the model of phishing pages, and says how good it is.')
  .addArgument(new Argument('<folder>', 'labelled pages (docs/evaluation.md)'))
  .option('--more <folder>', 'further benign pages, *.html')
  .option('--out <file>', 'where the weights go', OUT)
  .option('--evaluate-only', 'measure, and write no weights', false)
  .parse()
const [folder = ''] = tool.args
const { more, out, evaluateOnly } = tool.opts<Asked>()

/** They have no source that others share: all are in each training, but for those of the fold by number. */
function moreExamples(directory: string): Example[] {
  return readdirSync(directory)
    .filter(name => name.endsWith('.html'))
    .map(name => {
      const record = {
        id: name,
        label: 'benign',
        kind: 'more',
        source: { repo: `more ${name.split('-')[0]}` },
        group: name,
      } as PageRecord
      const read = featuresOf(readFileSync(join(directory, name)), 'https://page.example/', 'text/html; charset=utf-8')
      return { record, evasion: null, positive: false, weight: OF_MORE, ...read }
    })
}

const records = readRecords(folder)
const added = more === undefined ? [] : moreExamples(more)
const examples = [...examplesOf(folder, records), ...added]
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
    examples.filter(one => !one.positive && isWhole(one) && one.record.kind !== 'more'),
  ),
  row('benign, made and documentation', added),
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
  const text = JSON.stringify(modelOf(train(examples), thresholds), null, 2)
  writeFileSync(
    out,
    `// Weights of the page model, in log-odds, by name of the feature. Written by npm run train:pages; not by hand.\nimport type { PageModel } from './judge.ts'\n\nexport const weights: PageModel = ${text}\n`,
  )
}
