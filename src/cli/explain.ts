// `assay explain`: what a recorded check would have scored under another configuration, signal by signal.
import type { Command } from 'commander'
import type { Recording } from '../engine/recording.ts'
import {
  differenceOf,
  isChanged,
  type Rescored,
  type ScoreChange,
  type SignalChange,
  type SignalCost,
} from '../scoring/difference.ts'
import { configOption, type Setting, type SharedOptions, settle, settleShipped } from './options.ts'
import type { Output } from './output.ts'
import { analyseAgain, readRecording } from './replayed.ts'

const HELP = `
Scores the evidence that \`assay check --record\` kept twice: with the settings assay is shipped with (or those of
--against), and with those of --config. Prints both totals and verdicts, and what each signal costs in each.
Needs no network. Ends with 0 whatever the difference, with 64 for a file that is no recording.`

interface ExplainOptions extends SharedOptions {
  readonly against?: string
  readonly json?: boolean
}

export function defineExplain(command: Command, { out }: Output): void {
  configOption(command)
    .argument('<recording>', 'a file that `assay check --record` wrote')
    .option('--against <file>', 'configuration to compare with, instead of the settings assay is shipped with')
    .option('--json', 'print the difference as JSON')
    .addHelpText('after', HELP)
    .action(async (file: string, { against, json, ...options }: ExplainOptions) => {
      const recording = readRecording(file)
      const [before, after] = [
        await rescore(recording, await (against === undefined ? settleShipped() : settle({ config: against }))),
        await rescore(recording, await settle(options)),
      ]
      const { domain, ip } = recording.target
      const difference = differenceOf(before, after)
      out(json ? `${JSON.stringify({ domain, ip, ...difference })}\n` : table(domain ?? ip ?? '', difference))
    })
}

/** Every result is checked against its schema, which has these members. */
const rescore = async (recording: Recording, setting: Setting): Promise<Rescored> =>
  (await analyseAgain(recording, setting)) as unknown as Rescored

const signed = (points: number): string => (points > 0 ? `+${points}` : String(points))

function cost(signal: SignalCost | null): string {
  if (signal === null) return '-'
  return signal.floor === null ? signed(signal.points) : `${signed(signal.points)} (at least ${signal.floor})`
}

type Row = readonly [before: string, after: string, change: string, signal: string, rest: string]

/** For people: what changed first, what did not below it. */
function table(target: string, { before, after, change, signals }: ScoreChange): string {
  const rows: readonly Row[] = [
    ['before', 'after', 'change', '', ''],
    ...signals.map(signal => rowOf(signal)),
    sumOf(signals),
    [String(before.risk_score), String(after.risk_score), changed(change), 'risk score', HELD],
  ]
  const [was, is, more, id] = [0, 1, 2, 3].map(at => Math.max(...rows.map(row => (row[at] ?? '').length)))
  const lines = rows.map(([a, b, c, name, rest]) =>
    [a.padStart(was ?? 0), b.padStart(is ?? 0), c.padStart(more ?? 0), name.padEnd(id ?? 0), rest].join('  ').trimEnd(),
  )
  const verdict =
    before.verdict === after.verdict ? `${after.verdict} as before` : `${before.verdict}, now ${after.verdict}`
  const heading = `${target}: ${verdict}, risk ${before.risk_score} of 100, now ${after.risk_score}`
  const policies = `policy ${before.scoring_policy}, now ${after.scoring_policy}`
  return `${[heading, policies, '', ...lines].join('\n')}\n`
}

function rowOf(signal: SignalChange): Row {
  const { before, after, change, id, title, group } = signal
  return [cost(before), cost(after), isChanged(signal) ? signed(change) : '=', id, `${title} [${group}]`]
}

const HELD = 'the sum, rounded, held to floors and to 0 to 100'

function sumOf(signals: readonly SignalChange[]): Row {
  const sum = (points: (signal: SignalChange) => number | undefined) =>
    Math.round(signals.reduce((total, signal) => total + 10 * (points(signal) ?? 0), 0)) / 10
  const [was, is] = [sum(({ before }) => before?.points), sum(({ after }) => after?.points)]
  return [String(was), String(is), changed(Math.round((is - was) * 10) / 10), 'points', '']
}

const changed = (points: number): string => (points === 0 ? '=' : signed(points))
