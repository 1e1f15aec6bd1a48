// Checks the signals that a plugin declares: each has a weight, a group, a title, and valid words beside them.

import { didYouMean, misspelt } from '../base/fault.ts'
import type { ConditionalSignal } from './conditions.ts'
import { severityFault } from './scoring/severity.ts'
import type { SignalDefinition } from './scoring/signal.ts'
import { isThreatTypes, THREAT_TYPES } from './scoring/threats.ts'

/** Valid names of plugins and signals. */
export const SNAKE_CASE = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/

type Groups = Readonly<Record<string, number>>

const FIELDS = [
  'weight',
  'group',
  'title',
  'severity',
  'floor',
  'threat_types',
  'when',
  'advice',
  'warning',
  'also_fixes',
  'reason',
]

/** The points of a score: no weight can count for more. */
const POINTS = 100

/** Errors in one signal. */
export function signalFaults(id: string, signal: ConditionalSignal<never>, groups: Groups): string[] {
  if (!SNAKE_CASE.test(id)) return [`signal "${id}" must be snake_case`]
  const message = fieldFault(signal) ?? weightFault(signal, groups) ?? severityFault(signal)
  const messages = [...misspelt(signal, FIELDS, 'a signal'), ...(message === null ? [] : [message])]
  return messages.map(text => `signal ${id}: ${text}`)
}

function fieldFault(signal: ConditionalSignal<never>): string | null {
  if (typeof signal !== 'object' || signal === null) return 'must be an object with "weight", "group" and "title"'
  const { weight, title, floor, threat_types, advice = null, warning = '', reason = '', also_fixes = [], when } = signal
  if (typeof weight !== 'number' || !(Math.abs(weight) <= POINTS))
    return `"weight" must be a number from -${POINTS} to ${POINTS}`
  if (typeof title !== 'string' || title.trim() === '')
    return '"title" must be a string that says in a few words what was found'
  if (floor !== undefined && !(Number.isInteger(floor) && floor >= 0 && floor <= POINTS))
    return `"floor" must be an integer from 0 to ${POINTS}`
  if (threat_types !== undefined && !isThreatTypes(threat_types))
    return `"threat_types" must be a list of ${THREAT_TYPES.join(', ')}`
  if (advice !== null && typeof advice !== 'string') return '"advice" must be a string or null'
  if (typeof warning !== 'string') return '"warning" must be a string'
  if (typeof reason !== 'string') return '"reason" must be a string'
  if (!Array.isArray(also_fixes) || !also_fixes.every(id => typeof id === 'string'))
    return '"also_fixes" must be a list of signals'
  return when === undefined || typeof when === 'function' ? null : '"when" must be a function'
}

/** Why the weight is invalid in its group, or null. */
export function weightFault({ weight, group }: SignalDefinition, groups: Groups): string | null {
  const ceiling = Object.hasOwn(groups, group) ? groups[group] : undefined
  if (ceiling === undefined) return groupFault(group, Object.keys(groups))
  return weight * ceiling < 0
    ? `weight ${weight} has the wrong sign for group ${group}, whose ceiling is ${ceiling}`
    : null
}

function groupFault(group: unknown, knownNames: readonly string[]): string {
  if (group === undefined) return `"group" is missing: use one of ${knownNames.join(', ')}`
  const hint = didYouMean(String(group), knownNames)
  return `unknown group "${group}"${hint || `: use one of ${knownNames.join(', ')}, or give it a ceiling in "scoring.groups"`}`
}
