// What a name is under: most benign names of one class would be rare ones of another, so that each has thresholds of its own.
import { isAbusedSuffix } from '../../targets/suffixes.ts'
import type { NameParts } from './parts.ts'

/** `tenant`: below a platform. `cheap`: below a top-level domain that costs next to nothing. `ordinary`: all others. */
export const suffixClasses = ['ordinary', 'cheap', 'tenant'] as const
export type SuffixClass = (typeof suffixClasses)[number]

export function suffixClassOf({ suffix, tenant }: NameParts): SuffixClass {
  if (tenant) return 'tenant'
  return isAbusedSuffix(suffix) ? 'cheap' : 'ordinary'
}
