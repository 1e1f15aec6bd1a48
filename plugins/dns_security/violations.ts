// Describes violations of the standard in a list of tags.
import type { Evidence } from '../../src/engine/plugin.ts'
import { quote } from './quoted.ts'

type Violation = NonNullable<Evidence['mail_records']['bimi']['record']>['violations'][number]

const words: Readonly<Record<Violation['kind'], string>> = {
  malformed: 'is not a valid tag',
  repeated: 'appears more than once',
  letter_case: 'must be in lower case',
}

/** As in `"ID" must be in lower case`. */
export const describeViolation = ({ kind, text }: Violation): string => `${quote(text)} ${words[kind]}`

/** All of them in one clause; null when there are none. */
export const describeViolations = (violations: readonly Violation[]): string | null =>
  violations.length === 0 ? null : violations.slice(0, 3).map(describeViolation).join(', ')
