// The tags of a DMARC record (RFC 9989 section 4.7): values with defaults, and faults.
import type { Evidence } from '../../src/engine/plugin.ts'
import type { DnsFault } from './faults.ts'
import { quote } from './quoted.ts'
import { describeViolation } from './violations.ts'

export type DmarcRecord = NonNullable<Evidence['mail_records']['dmarc']['steps'][number]['record']>
export type DmarcPolicy = 'none' | 'quarantine' | 'reject'

const policies = ['none', 'quarantine', 'reject'] as const
const oneOf = (...values: readonly string[]) => {
  const choices = new Set(values)
  return (value: string) => choices.has(value.toLowerCase())
}

/** Colon-separated, each once; `0` and `1` not together. */
function isFailureOptions(value: string): boolean {
  const options = value
    .toLowerCase()
    .split(':')
    .map(option => option.trim())
  const areKnown = options.every(oneOf('0', '1', 'd', 's'))
  return areKnown && new Set(options).size === options.length && !(options.includes('0') && options.includes('1'))
}

/** Valid values of each tag. Faults of policies and report addresses are found elsewhere. */
const tags = new Map<string, (value: string) => boolean>([
  ['v', () => true],
  ['p', () => true],
  ['sp', () => true],
  ['np', () => true],
  ['rua', () => true],
  ['ruf', () => true],
  ['t', oneOf('y', 'n')],
  ['psd', oneOf('y', 'n', 'u')],
  ['adkim', oneOf('r', 's')],
  ['aspf', oneOf('r', 's')],
  ['fo', isFailureOptions],
])
/** Removed by RFC 9989; older receivers still read them. */
const obsolete = new Set(['pct', 'rf', 'ri'])

/** The value of a tag; null without it. */
export const tagValue = (record: DmarcRecord, name: string): string | null =>
  record.tags.find(tag => tag.name === name)?.value ?? null

/** The policy that a tag holds; null if it is missing, `invalid` if it is not a policy. */
export function policyTag(record: DmarcRecord, name: 'p' | 'sp' | 'np'): DmarcPolicy | 'invalid' | null {
  const value = tagValue(record, name)?.toLowerCase() ?? null
  return value === null ? null : (policies.find(policy => policy === value) ?? 'invalid')
}

/** How exactly a name must match: relaxed unless the tag says `s`. */
export const alignment = (record: DmarcRecord, name: 'adkim' | 'aspf'): 'relaxed' | 'strict' =>
  tagValue(record, name)?.toLowerCase() === 's' ? 'strict' : 'relaxed'

/** Whether the record asks receivers not to enforce the policy (`t=y`). */
export const isTesting = (record: DmarcRecord): boolean => tagValue(record, 't')?.toLowerCase() === 'y'

function tagFault(name: string, value: string): DnsFault[] {
  const tag = quote(`${name}=${value}`)
  if (obsolete.has(name)) {
    return [{ code: 'dmarc_obsolete_tag', message: `The DMARC tag ${tag} is obsolete (RFC 9989).` }]
  }
  const isValid = tags.get(name)
  if (isValid === undefined) {
    return [{ code: 'dmarc_invalid_tag', message: `The DMARC tag ${tag} is unknown and has no effect.` }]
  }
  return isValid(value) ? [] : [{ code: 'dmarc_invalid_tag', message: `The DMARC tag ${tag} has an invalid value.` }]
}

/** Faults that receivers tolerate: they use the default or ignore the tag. */
export function tagFaults(record: DmarcRecord): DnsFault[] {
  return [
    ...record.tags.flatMap(({ name, value }) => tagFault(name, value)),
    ...record.violations.map((violation): DnsFault => {
      return { code: 'dmarc_invalid_tag', message: `In the DMARC record, ${describeViolation(violation)}.` }
    }),
  ]
}
