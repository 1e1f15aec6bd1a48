// The signal of tech_stack and its sentence.
import type { SignalFound } from '../../src/engine/plugin.ts'
import type { Technology } from './detect.ts'
import { endOfSupport } from './end_of_support.ts'

export const signals = {
  unsupported_software: {
    weight: 2,
    group: 'hygiene',
    severity: 'medium',
    title: 'Software version is no longer supported',
  },
} as const

/** Maximum number of entries in the signal's evidence. */
const LISTED = 10

export function findSignals(technologies: readonly Technology[], now: Date): SignalFound<keyof typeof signals>[] {
  const ended = technologies.flatMap(one => {
    const end = endOfSupport(one, now)
    return end === null ? [] : [{ name: one.name, version: one.version, supported_until: end.ends }]
  })
  if (ended.length === 0) return []
  const named = ended.map(({ name, version, supported_until }) => `${name} ${version} (until ${supported_until})`)
  const detail = `No longer supported by the vendor: ${named.slice(0, LISTED).join(', ')}.`
  return [{ id: 'unsupported_software', detail, evidence: { software: ended.slice(0, LISTED) } }]
}
