// All checks, in the order in which their issues are listed.
import { addressChecks } from './address_checks.ts'
import type { Check } from './check.ts'
import { crawlingChecks } from './crawling_checks.ts'
import { languageChecks } from './language_checks.ts'
import { pageChecks } from './page_checks.ts'
import { snippetChecks } from './snippet_checks.ts'

export const checks: readonly Check[] = [
  ...crawlingChecks,
  ...addressChecks,
  ...snippetChecks,
  ...languageChecks,
  ...pageChecks,
]
