// Every operation of the interface, in the order in which the documentation shows them, and the schemas of their answers by name.
import { ReportSchema } from '../../engine/report/schema.ts'
import { batchOperations } from './batch.ts'
import { CheckResult, checkOperations } from './check.ts'
import { historyOperations, historySchemas } from './history.ts'
import { jobOperations, jobSchemas } from './jobs.ts'
import { lookalikeOperations, lookalikeSchemas } from './lookalikes.ts'
import { ProblemSchema } from './problem.ts'
import { screenshotOperations, screenshotSchemas } from './screenshots.ts'
import { searchOperations, searchSchemas } from './search.ts'
import { shareOperations, shareSchemas } from './shares.ts'
import { usageOperations, usageSchemas } from './usage.ts'
import { watchOperations, watchSchemas } from './watches.ts'

/** By `operationId`. */
export const OPERATIONS = {
  ...checkOperations,
  ...batchOperations,
  ...lookalikeOperations,
  ...watchOperations,
  ...jobOperations,
  ...usageOperations,
  ...historyOperations,
  ...searchOperations,
  ...shareOperations,
  ...screenshotOperations,
} as const

/** `components.schemas` of the OpenAPI document. */
export const SCHEMAS = {
  CheckResult,
  Report: ReportSchema,
  Problem: ProblemSchema,
  ...usageSchemas,
  ...historySchemas,
  ...searchSchemas,
  ...shareSchemas,
  ...screenshotSchemas,
  ...watchSchemas,
  ...jobSchemas,
  ...lookalikeSchemas,
} as const
