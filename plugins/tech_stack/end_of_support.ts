// Whether the vendor still supports a version.

import type { Technology } from './detect.ts'
import { type SupportEnd, supportEnds } from './support_ends.ts'
import { compareVersions } from './version.ts'

/**
 * The end of support of the version, or null if it is supported or unknown. A version with fewer components than the
 * table needs (`1` where 1.9 and 1.10 differ) counts as supported.
 */
export function endOfSupport({ name, version }: Technology, now: Date): SupportEnd | null {
  if (version === null) return null
  const rows = supportEnds.filter(({ technology }) => technology === name)
  const row = rows.find(({ below }) => compareVersions(version, below) < 0)
  if (row === undefined || isAmbiguous(version, rows)) return null
  return Date.parse(`${row.ends}T23:59:59Z`) < now.getTime() ? row : null
}

/** A row of the table separates versions that start with this one. */
const isAmbiguous = (version: string, rows: readonly SupportEnd[]): boolean =>
  rows.some(({ below }) => below.startsWith(`${version}.`) && !/^[.0]*$/.test(below.slice(version.length)))
