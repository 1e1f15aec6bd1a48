// `npm run evaluate -- FOLDER`: judges a folder of labelled pages without a network and prints how often that is right.
import { once } from 'node:events'
import { createWriteStream, writeFileSync } from 'node:fs'
import { Argument } from 'commander'
import { createContentAnalysis } from '../../plugins/content_analysis/index.ts'
import type { PageModel } from '../../plugins/content_analysis/page_model/judge.ts'
import { builtInPlugins } from '../../plugins/index.ts'
import { createTool } from '../../src/cli/tool.ts'
import { createPageDecoder } from '../../src/evidence/document/charset.ts'
import { mediaType } from '../../src/network/media_type.ts'
import { CAREFUL_HEADERS, type JudgedPage, openPageChecks, type PageChecks } from '../../src/testing/check_page.ts'
import { addedExamples, examplesOf } from '../page_training/examples.ts'
import { modelsWithout } from '../page_training/train.ts'
import { confinedRenderer } from './confined.ts'
import { AGES, agesOf, type Copy, changedCopies, originalOf } from './copies.ts'
import { frontPages, honestFront, kitPlaces, ownPlace, type Place } from './paths.ts'
import { type PageRecord, pageOf, readRecords } from './records.ts'
import { type Row, reportOf, textOf } from './tables.ts'

interface EvaluateOptions {
  readonly rows?: string
  readonly json?: string
  readonly evade: boolean | string
  readonly age?: string
  readonly label?: string
  readonly young: boolean
  readonly paths: boolean
  readonly sample?: string
  readonly source?: string
  readonly folds: boolean
  readonly render: boolean
  readonly more?: string
}

const tool = createTool('evaluate', 'Judges a folder of labelled pages and prints how often the verdicts are right.')
  .addArgument(new Argument('<folder>', 'with records.jsonl and the pages it names (docs/evaluation.md)'))
  .option('--rows <file>', 'write each verdict as a line of JSON')
  .option('--json <file>', 'write the tables as JSON')
  .option(
    '--evade [names]',
    'also judge phishing pages after evasions and behind loaders, on random hosts; all or these',
    false,
  )
  .option('--age <age>', 'only domains of this age: 3 d, 40 d, 8 y or unknown')
  .option('--label <label>', 'only phishing or benign pages')
  .option('--young', 'also judge benign pages on domains of 3 and 40 days', false)
  .option('--paths', 'compare the front page of a compromised host with the link to the kit there', false)
  .option('--sample <n>', 'judge about n pages, always the same ones')
  .option('--source <text>', 'only pages whose source has this in its name')
  .option('--folds', 'judge each page by a page model that was trained on other sources', false)
  .option('--render', 'open pages that show little in a confined Chromium (lab/evaluation/confined_chromium.sh)', false)
  .option('--more <folder>', 'with --folds: pages of packages, as train:collect collects them')
  .parse()

async function judge(
  checks: PageChecks,
  { html, elsewhere, content_type, status }: Copy,
  { url, as_link }: Place,
  age: string,
) {
  const began = process.cpuUsage()
  const headers = CAREFUL_HEADERS.map(([name, value]) =>
    name === 'content-type' ? ([name, content_type] as const) : ([name, value] as const),
  )
  const result = await checks.check({
    url,
    as_link,
    html,
    status,
    headers,
    age_days: AGES[age] ?? null,
    ...(elsewhere !== undefined && { elsewhere }),
  })
  const { user, system } = process.cpuUsage(began)
  const signals = result.signal_details.filter(({ points, floor }) => points > 0 || floor !== null).map(({ id }) => id)
  const { verdict, risk_score: score, recommendation, confidence } = result
  const judgement = { verdict, score, recommendation, confidence, signals, technologies: technologiesOf(result) }
  return { judged: { ...judgement, cpu_ms: (user + system) / 1_000 }, result }
}

function technologiesOf({ tech_stack }: JudgedPage): string[] {
  const { technologies } = (tech_stack ?? {}) as { readonly technologies?: readonly { readonly name: string }[] | null }
  return (technologies ?? []).map(({ name }) => name)
}

function encodingOf({ html, content_type }: Copy): string {
  const decoder = createPageDecoder(mediaType([content_type]))
  decoder.write(Buffer.from(html))
  decoder.end(false)
  return decoder.charset()
}

/** Only phishing pages on random hosts are changed. */
function* copiesOf(
  record: PageRecord,
  folder: string,
  { host_kind, url }: Place,
  evade: EvaluateOptions['evade'],
): Generator<Copy> {
  const original = originalOf(record, pageOf(folder, record))
  yield original
  if (evade === false || record.label !== 'phishing' || host_kind !== 'random') return
  const names = typeof evade === 'string' ? evade.split(',') : null
  for (const copy of changedCopies(record, original, url))
    if (names === null || names.includes(copy.evasion ?? '')) yield copy
}

/** Checks with the shipped page model, or with one trained without the record's source and group. */
function checksFor(folder: string, records: readonly PageRecord[], { folds, more, render }: EvaluateOptions) {
  const modelFor = folds ? modelsWithout([...examplesOf(folder, records), ...addedExamples(more)]) : () => null
  const pageChecks = new Map<PageModel | null, Promise<PageChecks>>()
  const renderer = render ? confinedRenderer() : null
  const rendering = renderer === null ? {} : { rendering: renderer }
  return {
    of(record: PageRecord): Promise<PageChecks> {
      const model = modelFor(record)
      const checks =
        pageChecks.get(model) ?? openPageChecks({}, { ...rendering, ...(model && { plugins: pluginsWith(model) }) })
      pageChecks.set(model, checks)
      return checks
    },
    async close() {
      for (const checks of pageChecks.values()) await (await checks).close()
      await renderer?.stop()
    },
  }
}

const pluginsWith = (model: PageModel) => {
  const contentAnalysis = createContentAnalysis(model)
  return builtInPlugins.map(one =>
    one.plugin.name === contentAnalysis.name ? { ...one, plugin: contentAnalysis } : one,
  )
}

async function* rowsOf(folder: string, options: EvaluateOptions): AsyncGenerator<Row> {
  const records = readRecords(folder)
  const pageChecks = checksFor(folder, records, options)
  for (const record of sampleOf(records, options)) {
    const checks = await pageChecks.of(record)
    const places = placesOf(record, options)
    for (const at of places) {
      for (const copy of copiesOf(record, folder, at, options.evade)) {
        const encoding = encodingOf(copy)
        for (const age of options.paths ? ['8 y'] : agesOf(record, copy, options.young)) {
          if (age !== (options.age ?? age)) continue
          const { id, label, kind, source, asks = null } = record
          const { host_kind, place } = at
          const { evasion } = copy
          try {
            const { judged, result } = await judge(checks, copy, at, age)
            const own = options.paths && label === 'benign' && !at.as_link ? ownPlace(at, result) : null
            if (own !== null) places.push(own)
            yield { id, label, kind, asks, host_kind, age, evasion, place, source: source.repo, encoding, ...judged }
          } catch (error) {
            process.stderr.write(`${id} ${at.url}: ${error instanceof Error ? error.message : String(error)}\n`)
          }
        }
      }
    }
  }
  await pageChecks.close()
}

function placesOf(record: PageRecord, { paths }: EvaluateOptions): Place[] {
  if (!paths) return frontPages(record)
  return record.label === 'phishing' ? kitPlaces(record) : honestFront(record)
}

function sampleOf(records: readonly PageRecord[], options: EvaluateOptions): readonly PageRecord[] {
  const { sample, source = '', label } = options
  const some = records.filter(one => one.source.repo.includes(source) && one.label === (label ?? one.label))
  const every = sample === undefined ? 1 : Math.max(1, Math.ceil(some.length / Number(sample)))
  return some.filter(({ id }) => Number.parseInt(id.slice(0, 8), 16) % every === 0)
}

const [folder = ''] = tool.args
const evaluateOptions = tool.opts<EvaluateOptions>()
const out = evaluateOptions.rows === undefined ? null : createWriteStream(evaluateOptions.rows)
const rows: Row[] = []
for await (const row of rowsOf(folder, evaluateOptions)) {
  rows.push(row)
  // Checks of given pages never wait, so that nothing is written until this does.
  if (out?.write(`${JSON.stringify(row)}\n`) === false) await once(out, 'drain')
}
out?.end()
const report = reportOf(rows)
process.stdout.write(`${textOf(report)}\n`)
if (evaluateOptions.json !== undefined) writeFileSync(evaluateOptions.json, `${JSON.stringify(report, null, 1)}\n`)
