// All checks, in the order in which their issues are told.
import type { Check } from './check.ts'
import { crawlingChecks } from './crawling_checks.ts'
import { pageChecks } from './page_checks.ts'

export const checks: readonly Check[] = [...crawlingChecks, ...pageChecks]
