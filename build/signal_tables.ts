// The tables of signals in the READMEs of plugins, from the declarations of the signals.
import { code, table } from '../src/cli/plugins.ts'
import type { SignalDefinition } from '../src/engine/plugin.ts'

type Signals = Readonly<Record<string, SignalDefinition>>

/** What stands below the heading "Signals". */
const SECTION = /(?<=^## Signals\n)(?:(?!## ).*\n)+/m

/** A table by the beginning of its head. */
const tableOf = (head: string): RegExp => new RegExp(`^\\| ${head} \\|.*\\n(?:\\|.*\\n)+`, 'm')

/** What each signal costs. */
function signalTable(signals: Signals): string {
  const entries = Object.entries(signals)
  const hasFloors = entries.some(([, { floor }]) => floor !== undefined)
  const withFloor = (before: readonly string[], floor: string | number, after: string) =>
    hasFloors ? [...before, `${floor}`, after] : [...before, after]
  return table(
    withFloor(['Signal', 'Group', 'Severity', 'Weight'], 'Floor', 'Meaning'),
    entries.map(([id, { group, severity = '', weight, floor = '', title }]) =>
      withFloor([code(id), group, severity, `${weight}`], floor, title),
    ),
  )
}

/** Why each of them is one. */
const reasonTable = (signals: Signals): string =>
  table(
    ['Signal', 'Reason'],
    Object.entries(signals).flatMap(([id, { reason }]) => (reason === undefined ? [] : [[code(id), reason]])),
  )

/**
 * The README of a plugin with the tables of its section "Signals" written anew: one whose head begins with `Signal` and `Group`,
 * which it must have if the plugin has signals, and one of `Signal` and `Reason`, if some signals state a reason.
 */
export function withSignalTables(readme: string, signals: Signals): string {
  const rewritten = [
    { isNeeded: Object.keys(signals).length > 0, head: 'Signal \\| Group', of: signalTable },
    {
      isNeeded: Object.values(signals).some(({ reason }) => reason !== undefined),
      head: 'Signal \\| Reason',
      of: reasonTable,
    },
  ].filter(({ isNeeded }) => isNeeded)
  const section = SECTION.exec(readme)?.[0] ?? ''
  const missing = rewritten.find(({ head }) => !tableOf(head).test(section))
  if (missing) throw new Error(`the section "Signals" has no table with the head | ${missing.head.replace('\\', '')} |`)
  const written = rewritten.reduce(
    (text, { head, of }) => text.replace(tableOf(head), () => `${of(signals)}\n`),
    section,
  )
  return readme.replace(SECTION, () => written)
}
