// Says of a version whether its maker still repairs it.

import type { Technology } from './detect.ts'
import { type SupportEnd, supportEnds } from './support_ends.ts'
import { compareVersions } from './version.ts'

/**
 * The end that the version came to, or null: it is supported, or nothing is known. A version of fewer groups than the
 * table needs (`1` where 1.9 and 1.10 differ) gets the benefit of the doubt.
 */
export function endOfSupport({ name, version }: Technology, now: Date): SupportEnd | null {
  if (version === null) return null
  const rows = supportEnds.filter(({ technology }) => technology === name)
  const row = rows.find(({ below }) => compareVersions(version, below) < 0)
  if (row === undefined || isAmbiguous(version, rows)) return null
  return Date.parse(`${row.ends}T23:59:59Z`) < now.getTime() ? row : null
}

/** A row divides the versions that begin so. */
const isAmbiguous = (version: string, rows: readonly SupportEnd[]): boolean =>
  rows.some(({ below }) => below.startsWith(`${version}.`) && !/^[.0]*$/.test(below.slice(version.length)))
