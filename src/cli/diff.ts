// `assay diff`: what changed between two files of results.

import { existsSync } from 'node:fs'
import { type Command, Option } from 'commander'
import { visible } from '../base/visible.js'
import { reasonWords } from '../engine/report/reasons.ts'
import { type Difference, diffResults } from '../results/diff/diff.ts'
import type { Change, Result } from '../results/diff/known.ts'
import { type ResultsFile, targetOf } from '../results/diff/results_file.ts'
import type { Severity } from '../results/diff/rules.ts'
import { isResultId } from '../store/history.ts'
import { CliError, EXIT } from './exit_codes.ts'
import { pasteable } from './invocation.ts'
import { accountOption, configOption, dataOption, type KeptOptions } from './options.ts'
import type { Output } from './output.ts'
import { COLOR_CHOICES, type ColorChoice, type Display, displayOf, type Tone, wrap } from './report/display.ts'
import { openBaseline } from './result_options.ts'
import { serverOptions } from './server.ts'

const marks: Readonly<Record<Severity, readonly [mark: string, tone: Tone]>> = {
  weakened: ['-', 'red'],
  strengthened: ['+', 'green'],
  changed: ['~', 'yellow'],
}

const LABEL = Math.max(...Object.keys(marks).map(name => name.length))

/** One line per change, then the sections that could not be compared; without a final line feed. */
export function changesText({ changes, not_compared }: Difference, display: Display): string {
  const lines = changes.flatMap(change => changeLines(change, display))
  // Sections unknown in both results are no news.
  const news = not_compared.filter(({ unknown }) => unknown !== 'both')
  const blind = news.map(({ section, unknown, reason }) => {
    const why = reason === null ? '' : `: ${reasonWords({ reason })}`
    return `? ${section} not compared, unknown ${unknown === 'before' ? 'then' : 'now'}${why}`
  })
  return [
    ...lines,
    ...blind.flatMap(text => indent(visible(text), display, 2).map(line => display.paint('dim', line))),
  ].join('\n')
}

function changeLines({ severity, message }: Change, display: Display): string[] {
  const [mark, tone] = marks[severity]
  const [first = '', ...rest] = wrap(visible(message), display.width - LABEL - 6)
  const label = display.paint(tone, `${mark} ${severity.padEnd(LABEL)}`)
  return [`  ${label}  ${first}`, ...rest.map(line => `${' '.repeat(LABEL + 6)}${line}`)]
}

/** The changes below a heading that counts them; ends in a line feed. */
export function changesBlock(difference: Difference, display: Display): string {
  const text = changesText(difference, display)
  const heading = `Since the earlier check: ${changesCount(difference.changes)}`
  return `\n${display.paint('bold', heading)}\n${text === '' ? '' : `${text}\n`}`
}

const indent = (text: string, { width }: Display, columns: number) =>
  wrap(text, width - columns).map(line => `${' '.repeat(columns)}${line}`)

/** `3 changes: 1 weakened, 2 changed`. */
export function changesCount(changes: readonly Change[]): string {
  if (changes.length === 0) return 'no change'
  const parts = (['weakened', 'strengthened', 'changed'] as const).flatMap(severity => {
    const number = changes.filter(change => change.severity === severity).length
    return number === 0 ? [] : [`${number} ${severity}`]
  })
  return `${changes.length} ${changes.length === 1 ? 'change' : 'changes'}: ${parts.join(', ')}`
}

const HELP = `
Examples:
  assay check example.com --json > old.json
  assay check example.com --json > new.json
  assay diff old.json new.json
  assay diff monday.ndjson friday.ndjson --json --fail-on weakened
  assay diff Z443GSEZ-uCVpbXX0RxRuw kPz2mBv1TkyG4nQ0xYt7Wg

A file contains one result (of \`assay check --json\` or of the service), an array of results, or one result per line, as
\`assay check --input\` writes them. Results are matched by target. A section that one of the two checks could not observe
does not count as changed; it is listed under "not_compared". --json prints one object per line: {"target", "before",
"after", "changes", "not_compared"}, or {"target", "only_in"} for a target that only one of the files has.
Exits with 0 whatever changed; with --fail-on, exits with 1 when something changed (weakened: for the worse).`

interface DiffOptions extends KeptOptions {
  readonly json?: boolean
  readonly failOn?: 'weakened' | 'changed'
  readonly color: ColorChoice
}

export function defineDiff(command: Command, output: Output): void {
  serverOptions(accountOption(dataOption(configOption(command))))
    .argument('<old>', 'earlier results, as JSON or NDJSON, or the ID of a kept result')
    .argument('<new>', 'later results of the same targets')
    .option('-j, --json', 'print one JSON object per line')
    .addOption(new Option('--fail-on <what>', 'exit with 1 when something changed').choices(['weakened', 'changed']))
    .addOption(new Option('--color <when>', 'use colour').choices([...COLOR_CHOICES]).default('auto'))
    .addHelpText('after', pasteable(HELP))
    .action((before: string, after: string, options: DiffOptions) => diff(before, after, options, output))
}

/** A file, or else a kept result by its ID. */
async function openSide(name: string, options: KeptOptions): Promise<ResultsFile> {
  if (!isResultId(name) || existsSync(name)) return openBaseline(name)
  // Loaded on demand: files need no store.
  const { withKept } = await import('./kept_results.ts')
  const result = await withKept(options, results => results.result(name))
  return { targets: [targetOf(result)], read: async () => result, close: async () => {} }
}

interface DiffCounts {
  compared: number
  changed: number
  weakened: number
}

async function diff(old: string, later: string, options: DiffOptions, output: Output): Promise<void> {
  const before = await openSide(old, options)
  const after = await openSide(later, options)
  try {
    const counts = { compared: 0, changed: 0, weakened: 0 }
    const display = displayOf(options.color, output)
    const isSingle = before.targets.length === 1 && after.targets.length === 1
    for await (const pair of pairs(before, after)) {
      count(pair, counts)
      const text = options.json
        ? `${JSON.stringify(pairJson(pair))}\n`
        : pairText(pair, { old, later, isSingle, display })
      output.out(text)
      await output.drained?.()
    }
    if (!options.json && !isSingle) output.out(summary(counts))
    failOn(counts, options.failOn)
  } finally {
    await Promise.all([before.close(), after.close()])
  }
}

interface TargetPair {
  readonly target: string
  readonly before: Result | null
  readonly after: Result | null
  readonly difference: Difference | null
}

/** In the order of the later file, then the targets that only the earlier one has. */
async function* pairs(old: ResultsFile, later: ResultsFile): AsyncGenerator<TargetPair> {
  for (const target of later.targets) {
    const [before, after] = [await old.read(target), await later.read(target)]
    const difference = before === null || after === null ? null : diffResults(before, after)
    yield { target, before, after, difference }
  }
  const names = new Set(later.targets)
  for (const target of old.targets) {
    if (!names.has(target)) yield { target, before: await old.read(target), after: null, difference: null }
  }
}

function count({ difference }: TargetPair, counts: DiffCounts): void {
  if (difference === null) return
  counts.compared++
  if (difference.changes.length > 0) counts.changed++
  if (difference.changes.some(({ severity }) => severity === 'weakened')) counts.weakened++
}

const headOf = (result: Result | null) => {
  const { recommendation, confidence, risk_score, verdict, checked_at } = result ?? {}
  return { recommendation, confidence, risk_score, verdict, checked_at }
}

function pairJson({ target, before, after, difference }: TargetPair) {
  if (difference === null) return { target, only_in: before === null ? 'new' : 'old' }
  return { target, before: headOf(before), after: headOf(after), ...difference }
}

interface PairDisplay {
  readonly old: string
  readonly later: string
  /** With a single target, the text also appears when nothing changed. */
  readonly isSingle: boolean
  readonly display: Display
}

function pairText({ target, before, difference }: TargetPair, { old, later, isSingle, display }: PairDisplay): string {
  const name = display.paint('bold', visible(target))
  if (difference === null) return `${name}: only in ${before === null ? later : old}\n`
  const { changes } = difference
  if (changes.length === 0 && !isSingle) return ''
  const text = changesText(difference, display)
  return `${name}: ${changesCount(changes)}\n${text === '' ? '' : `${text}\n`}`
}

const summary = ({ compared, changed, weakened }: DiffCounts) =>
  `${compared} targets compared: ${changed} changed, ${weakened} of them for the worse\n`

function failOn({ changed, weakened }: DiffCounts, what: DiffOptions['failOn']): void {
  const reachedCount = what === 'changed' ? changed : what === 'weakened' ? weakened : 0
  if (reachedCount > 0)
    throw new CliError(EXIT.failed_on, `${reachedCount} ${reachedCount === 1 ? 'target' : 'targets'} ${what}`)
}
