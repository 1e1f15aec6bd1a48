// What changed, in a sentence for people; values are a stranger's and are made printable by who shows them.
import { truncate } from '../printable.ts'
import type { Compared } from './compare.ts'
import type { Rule } from './rules.ts'

/** Characters of one value; the whole of it stands in the change. */
const SHOWN = 80

export function sentence({ kind, label }: Rule, { before, after, item }: Compared): string {
  switch (kind) {
    case 'listings':
      return after === true ? `Now listed by ${item}` : `No longer listed by ${item}`
    case 'set':
      return `${label}: ${moved(before as readonly string[], after as readonly string[])}`
    case 'issues':
      return `${label} ${item}: ${issuesMoved(before as readonly string[] | null, after as readonly string[] | null)}`
    case 'versions':
      return versionSentence(`${label} ${item}`, before, after)
    default:
      return fromTo(label, before, after)
  }
}

export const fromTo = (label: string, before: unknown, after: unknown): string =>
  `${label}: ${valueText(before)} → ${valueText(after)}`

function moved(before: readonly string[], after: readonly string[]): string {
  const came = after.filter(one => !before.includes(one))
  const went = before.filter(one => !after.includes(one))
  const parts = [
    ...(came.length > 0 ? [`added ${cut(came.join(', '))}`] : []),
    ...(went.length > 0 ? [`removed ${cut(went.join(', '))}`] : []),
  ]
  return parts.join('; ')
}

function issuesMoved(before: readonly string[] | null, after: readonly string[] | null): string {
  if (before === null) return after?.length ? `new, with ${after.join(', ')}` : 'new'
  if (after === null) return 'gone'
  return moved(before, after)
}

function versionSentence(label: string, before: unknown, after: unknown): string {
  const version = (told: unknown) => (told === 'present' ? '' : ` ${told}`)
  if (before === null) return `${label}: new${version(after)}`
  if (after === null) return `${label}: gone${version(before)}`
  return fromTo(label, before, after)
}

/** `yes` and `no` for flags; members of an object side by side. */
export function valueText(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return cut(value.map(valueText).join(', ') || 'none')
  if (value !== null && typeof value === 'object') {
    const told = Object.values(value).filter(one => one !== null)
    return cut(told.map(valueText).join(' '))
  }
  return cut(String(value))
}

const cut = (text: string) => (text.length > SHOWN ? `${truncate(text, SHOWN - 1)}…` : text)
