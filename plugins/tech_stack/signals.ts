// The signal of tech_stack.
import { dataFile, day, type Signals, type Static, Type } from '../../src/engine/plugin.ts'
import type { Technology } from './detect.ts'
import supported from './support_ends.json' with { type: 'json' }
import { compareVersions } from './version.ts'

const SupportEnd = Type.Object(
  {
    technology: Type.String({ minLength: 1, maxLength: 64 }),
    below: Type.String({ pattern: '^\\d+(\\.\\d+)+$', description: 'Versions below it are unsupported; ascending.' }),
    ends: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'Their last supported day, in UTC.' }),
  },
  { additionalProperties: false },
)
type SupportEnd = Static<typeof SupportEnd>

export const SupportEndsFile = dataFile({ support_ends: Type.Array(SupportEnd, { minItems: 1 }) })
/** When vendors end the support of versions. */
export const supportEnds: readonly SupportEnd[] = supported.support_ends

/** Maximum number of entries in the signal's evidence. */
const MAX_ENTRIES = 10

export const signals = {
  unsupported_software: {
    weight: 2,
    group: 'hygiene',
    severity: 'medium',
    title: 'Software version is no longer supported',
    advice: 'If the site is yours, update the software: this version no longer gets security fixes.',
    when({ technologies, now }) {
      const unsupportedSoftware = technologies.flatMap(one => {
        const end = endOfSupport(one, now)
        return end === null ? [] : [{ name: one.name, version: one.version, supported_until: end.ends }]
      })
      const names = unsupportedSoftware.map(
        ({ name, version, supported_until }) => `${name} ${version} (until ${day(supported_until)})`,
      )
      return (
        unsupportedSoftware.length > 0 && {
          detail: `No longer supported by the vendor: ${names.slice(0, MAX_ENTRIES).join(', ')}.`,
          evidence: { software: unsupportedSoftware.slice(0, MAX_ENTRIES) },
        }
      )
    },
  },
} satisfies Signals<{ readonly technologies: readonly Technology[]; readonly now: Date }>

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
