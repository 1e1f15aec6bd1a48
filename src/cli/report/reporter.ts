// Makes reports with the presentations of the loaded plugins.
import type { Registry } from '../../engine/registry.ts'
import { describeError } from '../../errors.ts'
import { presentationsOf } from '../../report/presentations.ts'
import { buildReport } from '../../report/report.ts'
import type { Report } from '../../report/schema.ts'
import type { Output } from '../output.ts'

export type ReportOf = (result: Readonly<Record<string, unknown>>) => Report

/** Prints which plugin failed to describe its section. */
export function createReporter(registry: Registry, { err }: Pick<Output, 'err'>): ReportOf {
  const presentations = presentationsOf(registry, (plugin, error) =>
    err(`assay: ${plugin} failed at describe: ${describeError(error)}\n`),
  )
  return result => buildReport(result, presentations)
}
