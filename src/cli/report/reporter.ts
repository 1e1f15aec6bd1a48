// Makes reports with the presentations of the loaded plugins.
import type { Registry } from '../../engine/registry.ts'
import { describeError } from '../../errors.ts'
import { presentationsOf } from '../../report/presentations.ts'
import { buildReport } from '../../report/report.ts'
import type { Report } from '../../report/schema.ts'
import type { Output } from '../output.ts'

type Result = Readonly<Record<string, unknown>>

export type ReportOf = (result: Result) => Report

export interface Reporter {
  /** Must come first: asks plugins in other processes for their part. Never rejects. */
  prepare(result: Result): Promise<void>
  readonly reportOf: ReportOf
}

/** Prints which plugin failed to describe its section. */
export function createReporter(registry: Registry, { err }: Pick<Output, 'err'>): Reporter {
  const presentations = presentationsOf(registry, (plugin, error) =>
    err(`assay: ${plugin} failed at describe: ${describeError(error)}\n`),
  )
  return { prepare: presentations.prepare, reportOf: result => buildReport(result, presentations) }
}
