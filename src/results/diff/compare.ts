// Compares two known values by a rule, and describes the change.
import { truncate } from '../../base/printable.ts'
import { dateTime, day } from '../../engine/presentation/words.ts'
import { valueAt } from './known.ts'
import type { MemberRule, Rule, Severity } from './rules.ts'

export interface Comparison {
  readonly severity: Severity
  /** The values before and after: plain data. */
  readonly before: unknown
  readonly after: unknown
  /** The list item that changed. */
  readonly item?: string
}

type Of<Kind extends Rule['kind']> = Extract<Rule, { readonly kind: Kind }>

type Item = Readonly<Record<string, unknown>>

/**
 * Returns one entry per change; none when nothing changed. Lists are compared as sets, because their order means
 * nothing.
 */
export function compareBy(rule: Rule, before: unknown, after: unknown): readonly Comparison[] {
  switch (rule.kind) {
    case 'value':
      return differ(before, after) ? [{ severity: 'changed', before, after }] : []
    case 'ordered':
      return ordered(rule, before, after)
    case 'number':
      return numbers(rule, before, after)
    case 'flag':
      return typeof before !== 'boolean' || typeof after !== 'boolean' || before === after
        ? []
        : [{ severity: after === rule.good ? 'strengthened' : 'weakened', before, after }]
    case 'set':
      return sets(rule, before, after)
    case 'listings':
      return listings(rule, items(before), items(after))
    case 'each':
      return each(rule, items(before), items(after))
    case 'issues':
      return issues(rule, items(before), items(after))
    case 'versions':
      return versions(rule, items(before), items(after))
  }
}

function ordered({ order }: Of<'ordered'>, before: unknown, after: unknown): Comparison[] {
  if (!differ(before, after)) return []
  const [was, is] = [order.indexOf(textOf(before)), order.indexOf(textOf(after))]
  const severity = was === -1 || is === -1 ? 'changed' : is > was ? 'weakened' : 'strengthened'
  return [{ severity, before, after }]
}

function numbers({ better }: Of<'number'>, before: unknown, after: unknown): Comparison[] {
  if (typeof before !== 'number' || typeof after !== 'number' || before === after) return []
  const higher = after > before
  return [{ severity: higher === (better === 'higher') ? 'strengthened' : 'weakened', before, after }]
}

/** The value may be anything, even an object with its own `toString`. */
const textOf = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '')

/** A state in place of a list (`none`) counts as an empty list. */
const members = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const items = (value: unknown): readonly Item[] =>
  members(value).filter((one): one is Item => one !== null && typeof one === 'object')

function sets({ by, added, removed }: Of<'set'>, before: unknown, after: unknown): Comparison[] {
  const names = (value: unknown) => [
    ...new Set(
      by === undefined
        ? members(value).map(textOf)
        : items(value).map(one => by.map(name => textOf(one[name])).join(' ')),
    ),
  ]
  const [was, is] = [names(before).sort(), names(after).sort()]
  const newer = is.filter(one => !was.includes(one))
  const older = was.filter(one => !is.includes(one))
  if (newer.length + older.length === 0) return []
  return [{ severity: worst([...newer.map(() => added), ...older.map(() => removed)]), before: was, after: is }]
}

const worst = (severities: readonly Severity[]): Severity =>
  severities.includes('weakened')
    ? 'weakened'
    : severities.every(one => one === 'strengthened')
      ? 'strengthened'
      : 'changed'

/** The flag of each name: true when any item of the name says so. Names without a known flag are left out. */
function flags({ by, flag }: Of<'listings'>, all: readonly Item[]): Map<string, boolean> {
  const flagsByName = new Map<string, boolean>()
  for (const one of all) {
    const name = textOf(one[by])
    if (typeof one[flag] === 'boolean') flagsByName.set(name, one[flag] || flagsByName.get(name) === true)
  }
  return flagsByName
}

function listings(rule: Of<'listings'>, before: readonly Item[], after: readonly Item[]): Comparison[] {
  const [was, is] = [flags(rule, before), flags(rule, after)]
  return [...is].flatMap(([item, isListed]) => {
    const earlier = was.get(item)
    if (earlier === undefined || earlier === isListed) return []
    return [{ severity: isListed ? 'weakened' : 'strengthened', before: earlier, after: isListed, item } as const]
  })
}

function each({ by, member }: Of<'each'>, before: readonly Item[], after: readonly Item[]): Comparison[] {
  const was = new Map(before.map(one => [textOf(one[by]), valueAt(one, member.path)]))
  return after.flatMap(one => {
    const item = textOf(one[by])
    const [earlier, later] = [was.get(item), valueAt(one, member.path)]
    if (!isKnown(earlier) || !isKnown(later)) return []
    return compareBy(memberRule(member, item), earlier, later).map(comparison => ({ ...comparison, item }))
  })
}

const isKnown = (value: unknown): boolean => value !== null && value !== undefined && value !== 'unknown'

/** The rule of a member of one item, with the item in its label. */
function memberRule(member: MemberRule, item: string): Rule {
  if (member.kind !== 'ordered') return member
  const { order, reversed = [] } = member
  return { ...member, order: reversed.includes(item) ? order.toReversed() : order }
}

/** Merges the values of all items with the same name. */
function groupValues(
  all: readonly Item[],
  by: string,
  values: (item: Item) => readonly string[],
): Map<string, string[]> {
  const valuesByName = new Map<string, string[]>()
  for (const one of all) {
    const name = textOf(one[by])
    valuesByName.set(name, [...new Set([...(valuesByName.get(name) ?? []), ...values(one)])].sort())
  }
  return valuesByName
}

function issues({ by, issues: member }: Of<'issues'>, before: readonly Item[], after: readonly Item[]): Comparison[] {
  const values = (one: Item) => members(one[member]).map(textOf)
  const [was, is] = [groupValues(before, by, values), groupValues(after, by, values)]
  return [...new Set([...was.keys(), ...is.keys()])].sort().flatMap(item => {
    const [earlier, later] = [was.get(item) ?? null, is.get(item) ?? null]
    if (!differ(earlier, later)) return []
    return [{ severity: issueSeverity(earlier, later), before: earlier, after: later, item }]
  })
}

function issueSeverity(before: readonly string[] | null, after: readonly string[] | null): Severity {
  if (after?.some(one => !(before ?? []).includes(one))) return 'weakened'
  return before === null || after === null ? 'changed' : 'strengthened'
}

function versions({ by, version }: Of<'versions'>, before: readonly Item[], after: readonly Item[]): Comparison[] {
  const values = (one: Item) => (typeof one[version] === 'string' ? [one[version]] : [])
  const [was, is] = [groupValues(before, by, values), groupValues(after, by, values)]
  return [...new Set([...was.keys(), ...is.keys()])].sort().flatMap(item => {
    const [earlier, later] = [was.get(item), is.get(item)]
    const isUnknown = earlier && later && (earlier.length === 0 || later.length === 0)
    if (isUnknown || !differ(earlier, later)) return []
    const versionText = (versions: readonly string[] | undefined) =>
      versions === undefined ? null : versions.join(', ') || 'present'
    return [{ severity: 'changed', before: versionText(earlier), after: versionText(later), item } as const]
  })
}

/** Whether plain data differs. The order of members and of lists means nothing. */
export const differ = (before: unknown, after: unknown): boolean => canonical(before) !== canonical(after)

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).sort().join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'undefined'
  const members = Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}:${canonical(one)}`)
  return `{${members.sort().join(',')}}`
}

/** Maximum characters of one value in a sentence; the change holds the whole value. */
const VALUE_LENGTH = 80

export function sentence(rule: Rule, { severity, before, after, item }: Comparison): string {
  const { path, label } = rule
  switch (rule.kind) {
    case 'listings':
      return after === true ? `Now listed by ${item}` : `No longer listed by ${item}`
    case 'each':
      return sentence(
        { ...rule.member, label: [label, item, rule.member.label].join(' ').trim() },
        { severity, before, after },
      )
    case 'set':
      return `${label}: ${addedAndRemoved(before as readonly string[], after as readonly string[])}`
    case 'issues':
      return `${label} ${item}: ${issueChange(before as readonly string[] | null, after as readonly string[] | null)}`
    case 'versions':
      return versionSentence(`${label} ${item}`, before, after)
    default:
      return path.endsWith('_at') ? fromTo(label, timeText(before), timeText(after)) : fromTo(label, before, after)
  }
}

/** A date, or a date and a time in UTC, in words. */
const timeText = (value: unknown): unknown =>
  typeof value !== 'string' ? value : value.includes('T') ? dateTime(value) : day(value)

export const fromTo = (label: string, before: unknown, after: unknown): string =>
  `${label}: ${valueText(before)} → ${valueText(after)}`

function addedAndRemoved(before: readonly string[], after: readonly string[]): string {
  const additions = after.filter(one => !before.includes(one))
  const removals = before.filter(one => !after.includes(one))
  const parts = [
    ...(additions.length > 0 ? [`added ${cut(additions.join(', '))}`] : []),
    ...(removals.length > 0 ? [`removed ${cut(removals.join(', '))}`] : []),
  ]
  return parts.join('; ')
}

function issueChange(before: readonly string[] | null, after: readonly string[] | null): string {
  if (before === null) return after?.length ? `added, with ${after.join(', ')}` : 'added'
  if (after === null) return 'removed'
  return addedAndRemoved(before, after)
}

function versionSentence(label: string, before: unknown, after: unknown): string {
  const version = (value: unknown) => (value === 'present' ? '' : ` ${value}`)
  if (before === null) return `${label}: added${version(after)}`
  if (after === null) return `${label}: removed${version(before)}`
  return fromTo(label, before, after)
}

/** `yes` and `no` for flags; the members of an object side by side. */
function valueText(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return cut(value.map(valueText).join(', ') || 'none')
  if (value !== null && typeof value === 'object') {
    const members = Object.values(value).filter(one => one !== null)
    return cut(members.map(valueText).join(' '))
  }
  return cut(String(value))
}

const cut = (text: string) => (text.length > VALUE_LENGTH ? `${truncate(text, VALUE_LENGTH - 1)}…` : text)
