// Makes reports with the presentations of the loaded plugins.

import { describeError } from '../../base/errors.ts'
import type { Registry } from '../../engine/registry.ts'
import { presentationsOf } from '../../engine/report/presentations.ts'
import { buildReport } from '../../engine/report/report.ts'
import type { Report } from '../../engine/report/schema.ts'
import type { Output } from '../output.ts'

type Result = Readonly<Record<string, unknown>>

export type MakeReport = (result: Result) => Report

export interface Reporter {
  /** Must come first: asks plugins in other processes for their part. Never rejects. */
  prepare(result: Result): Promise<void>
  readonly reportOf: MakeReport
}

/** Prints which plugin failed to describe its section. */
export function createReporter(registry: Registry, { err }: Pick<Output, 'err'>): Reporter {
  const presentations = presentationsOf(registry, (plugin, error) =>
    err(`assay: ${plugin} failed at describe: ${describeError(error)}\n`),
  )
  return { prepare: presentations.prepare, reportOf: result => buildReport(result, presentations) }
}
