// The options that select, judge and compare results: --section, --fail-on and --baseline.

import { didYouMean } from '../base/fault.ts'
import { unreadable } from '../base/files.ts'
import type { Registry } from '../engine/registry.ts'
import { isIncomplete, type Result, recommendationOf } from '../results/bulk/record.ts'
import { NotAResult, openResults, type ResultsFile } from '../results/diff/results_file.ts'
import { CliError, EXIT } from './exit_codes.ts'

/** Ends the command when a section does not exist. */
export function requireSections(sectionNames: readonly string[] | undefined, { analyzers }: Registry): void {
  const names = analyzers.map(({ analyzer }) => analyzer.name)
  for (const name of sectionNames ?? []) {
    if (!names.includes(name)) {
      throw new CliError(EXIT.usage, `unknown section "${name}"${didYouMean(name, names)}`)
    }
  }
}

/** Ends the command when a service answered without a chosen section. */
export function requireAnswered(sectionNames: readonly string[] | undefined, result: Result): void {
  const { sections } = result['coverage'] as { readonly sections: Result }
  const names = Object.keys(sections)
  const unknownName = sectionNames?.find(name => !names.includes(name))
  if (unknownName !== undefined)
    throw new CliError(EXIT.usage, `the service has no section "${unknownName}"${didYouMean(unknownName, names)}`)
}

interface Failure {
  /** Whether a result matches. With a baseline, the result contains the changes. */
  readonly finds: (result: Result) => boolean
  /** The sentence about one result. */
  readonly one: (result: Result) => string
  /** Completes "3 targets". */
  readonly many: string
}

const verdictOf = ({ verdict }: Result) => `the verdict is ${verdict}`

const failures = {
  suspicious: { finds: ({ verdict }) => verdict !== 'safe', one: verdictOf, many: 'suspicious or malicious' },
  malicious: { finds: ({ verdict }) => verdict === 'malicious', one: verdictOf, many: 'malicious' },
  review: {
    finds: result => recommendationOf(result) !== 'allow',
    one: result => `the recommendation is ${recommendationOf(result)}`,
    many: 'to review or block',
  },
  incomplete: {
    finds: isIncomplete,
    one: () => 'the coverage is incomplete',
    many: 'with incomplete coverage',
  },
  weakened: {
    finds: ({ changes }) =>
      Array.isArray(changes) &&
      changes.some((change: { readonly severity?: unknown }) => change.severity === 'weakened'),
    one: () => 'security was weakened since the earlier check',
    many: 'weakened',
  },
} as const satisfies Readonly<Record<string, Failure>>

export type FailOn = keyof typeof failures

export const FAIL_ON = Object.keys(failures) as readonly FailOn[]

/** The values that match a result. */
export const foundBy = (result: Result): readonly FailOn[] => FAIL_ON.filter(name => failures[name].finds(result))

export const failedOne = (name: FailOn, result: Result): string => failures[name].one(result)

export const failedMany = (name: FailOn, count: number): string =>
  `${count} ${count === 1 ? 'target' : 'targets'} ${failures[name].many}`

/** Ends the command when the file cannot be read or contains no results. */
export async function openBaseline(file: string): Promise<ResultsFile> {
  try {
    return await openResults(file)
  } catch (error) {
    throw new CliError(EXIT.usage, error instanceof NotAResult ? error.message : `${file}: ${unreadable(error)}`)
  }
}
