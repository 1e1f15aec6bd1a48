// `assay explain`: how a recorded check scores under another configuration, signal by signal.
import type { Command } from 'commander'
import { visible } from '../base/visible.js'
import type { Recording } from '../engine/recording.ts'
import {
  differenceOf,
  isChanged,
  type Rescoring,
  type ScoreChange,
  type SignalChange,
  type SignalCost,
} from '../engine/scoring/difference.ts'
import { targetKey } from '../results/bulk/record.ts'
import { analyseAgain, readRecording } from './check_one.ts'
import { pasteable } from './invocation.ts'
import { configOption, type LoadedSettings, type SharedOptions, settle, settleShipped } from './options.ts'
import type { Output } from './output.ts'

const HELP = `
Scores the evidence of \`assay check --record\` twice: with the default settings (or the settings of --against), and with the
settings of --config. Prints both recommendations, verdicts and totals, and the meaning and points of each signal in both.
Needs no network. Exits with 0 even if the scores differ, with 64 if the file is not a recording.`

interface ExplainOptions extends SharedOptions {
  readonly against?: string
  readonly json?: boolean
}

export function defineExplain(command: Command, { out }: Output): void {
  configOption(command)
    .argument('<recording>', 'a file that `assay check --record` wrote')
    .option('--against <file>', 'configuration to compare with (default: the default settings)')
    .option('-j, --json', 'print the difference as JSON')
    .addHelpText('after', pasteable(HELP))
    .action(async (file: string, { against, json, ...options }: ExplainOptions) => {
      const recording = readRecording(file)
      const [before, after] = [
        await rescore(recording, await (against === undefined ? settleShipped() : settle({ config: against }))),
        await rescore(recording, await settle(options)),
      ]
      const { domain, ip, url } = recording.target
      const target = { domain, ip, url: url?.href ?? null }
      const difference = differenceOf(before, after)
      out(json ? `${JSON.stringify({ ...target, ...difference })}\n` : table(visible(targetKey(target)), difference))
    })
}

/** Every result matches its schema, which has these members. */
const rescore = async (recording: Recording, setting: LoadedSettings): Promise<Rescoring> =>
  (await analyseAgain(recording, setting)) as unknown as Rescoring

const signed = (points: number): string => (points > 0 ? `+${points}` : String(points))

function cost(signal: SignalCost | null): string {
  if (signal === null) return '-'
  return signal.floor === null ? signed(signal.points) : `${signed(signal.points)} (at least ${signal.floor})`
}

type DifferenceRow = readonly [before: string, after: string, change: string, signal: string, rest: string]

/** As text: changed signals first, then unchanged ones. */
function table(target: string, { before, after, change, signals }: ScoreChange): string {
  const rows: readonly DifferenceRow[] = [
    ['before', 'after', 'change', '', ''],
    ...signals.map(signal => rowOf(signal)),
    sumOf(signals),
    [String(before.risk_score), String(after.risk_score), changeText(change), 'risk score', SCORE_RULE],
  ]
  const [was, is, more, id] = [0, 1, 2, 3].map(at => Math.max(...rows.map(row => (row[at] ?? '').length)))
  const lines = rows.map(([a, b, c, name, rest]) =>
    [a.padStart(was ?? 0), b.padStart(is ?? 0), c.padStart(more ?? 0), name.padEnd(id ?? 0), rest].join('  ').trimEnd(),
  )
  const comparison = (of: (one: typeof before) => string) =>
    of(before) === of(after) ? `${of(after)} as before` : `${of(before)}, now ${of(after)}`
  const heading = `${target}: ${comparison(({ recommendation }) => recommendation)}`
  const totals = `verdict ${comparison(({ verdict }) => verdict)}, risk ${before.risk_score} of 100, now ${after.risk_score}`
  const policies = `policy ${before.scoring_policy}, now ${after.scoring_policy}`
  return `${[heading, ...reasons(before, after), totals, policies, '', ...lines].join('\n')}\n`
}

function reasons(
  ...[{ recommendation_reason: before }, { recommendation_reason: after }]: readonly [Totals, Totals]
): string[] {
  return before === after ? [visible(after)] : [`before: ${visible(before)}`, `now: ${visible(after)}`]
}

type Totals = ScoreChange['before']

function rowOf(signal: SignalChange): DifferenceRow {
  const { before, after, change, id, title, group } = signal
  return [
    cost(before),
    cost(after),
    isChanged(signal) ? signed(change) : '=',
    id,
    `${title} [${rating(signal)}, ${group}]`,
  ]
}

/** The severity, with the earlier one when it differs. */
function rating({ before, after }: SignalChange): string {
  const [was, is] = [before?.severity, after?.severity]
  return was !== undefined && is !== undefined && was !== is ? `${was}, now ${is}` : (is ?? was ?? '')
}

const SCORE_RULE = 'the sum, rounded, limited by floors and to 0 to 100'

function sumOf(signals: readonly SignalChange[]): DifferenceRow {
  const sum = (points: (signal: SignalChange) => number | undefined) =>
    Math.round(signals.reduce((total, signal) => total + 10 * (points(signal) ?? 0), 0)) / 10
  const [was, is] = [sum(({ before }) => before?.points), sum(({ after }) => after?.points)]
  return [String(was), String(is), changeText(Math.round((is - was) * 10) / 10), 'points', '']
}

const changeText = (points: number): string => (points === 0 ? '=' : signed(points))
