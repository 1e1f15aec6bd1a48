// `--section`: which parts of a result are shown. The whole check runs all the same, so that score and verdict stay true.
import { didYouMean } from '../engine/fault.ts'
import type { Registry } from '../engine/registry.ts'
import type { SignalDetail } from '../scoring/scored.ts'
import { CliError, EXIT } from './exit_codes.ts'

type Result = Readonly<Record<string, unknown>>

/** Ends the command at a name that no section has. */
export function requireSections(chosen: readonly string[] | undefined, { analyzers }: Registry): void {
  const names = analyzers.map(({ analyzer }) => analyzer.name)
  for (const name of chosen ?? []) {
    if (!names.includes(name)) {
      throw new CliError(EXIT.usage, `no section is called "${name}"${didYouMean(name, names)}`)
    }
  }
}

/** The result with the chosen sections alone, and what concerns them; score and verdict are the whole check's. */
export function selectSections(result: Result, chosen: readonly string[] | undefined, { analyzers }: Registry): Result {
  if (chosen === undefined) return result
  const left = new Set(
    analyzers
      .map(({ analyzer }) => analyzer)
      .filter(({ name }) => !chosen.includes(name))
      .flatMap(({ name, aliases = [] }) => [name, ...aliases]),
  )
  const details = (result['signal_details'] as readonly SignalDetail[]).filter(({ section }) => !left.has(section))
  const ids = details.map(({ id }) => id)
  const coverage = result['coverage'] as { readonly sections: Result }
  const kept = Object.entries(result).filter(([name]) => !left.has(name))
  return {
    ...Object.fromEntries(kept),
    signals: (result['signals'] as readonly string[]).filter(id => ids.includes(id)),
    signal_details: details,
    coverage: {
      ...coverage,
      sections: Object.fromEntries(Object.entries(coverage.sections).filter(([name]) => !left.has(name))),
    },
  }
}
