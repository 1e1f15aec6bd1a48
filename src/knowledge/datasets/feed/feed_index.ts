// Look-ups in a feed of names, pages and prefixes, and in a list of popular domains with the rank of each.

import { formatPrefix, prefixOf } from '../../../network/address_prefix.ts'
import { withoutWww } from '../../../targets/identity.ts'
import { isPageWithoutQuery, isShared } from '../../../targets/shared_hosts.ts'
import type { FeedLookup, ListedPages } from '../held.ts'
import type { KeyTable, KeyTableBuilder } from '../key_table.ts'
import type { DroppedCounts } from '../list_format.ts'
import type { Subject } from './subject.ts'

export interface FeedIndex extends FeedLookup {
  /** Distinct entries: names, pages and prefixes. */
  readonly size: number
  readonly dropped: DroppedCounts
}

/** Which kinds of entries a feed has, so that look-ups of the others cost nothing. */
interface FeedDetails {
  readonly names: boolean
  readonly pages: boolean
  /** Rules that stand above others, and the kinds of them: most lists have none. */
  readonly rules: number
  readonly rule_kinds: readonly Rule[]
  /** Lengths of the listed prefixes of each IP version, longest first. */
  readonly lengths: Readonly<Record<4 | 6, readonly number[]>>
}

/**
 * A rule about a name and all below it that is not just its listing: an important rule beats an exception, and an important
 * exception beats it.
 */
export type Rule = 'exception' | 'important' | 'important_exception'

/** Such rules of one list: the largest has some hundreds. Beyond them, exceptions are left out, and important rules list as others do. */
const MOST_RULES = 100_000
/** The most labels of a name (RFC 1035 section 3.1). */
const LABELS = 127

/** Adds the entries of a feed to a table. A page is a pair of its host and its path. */
export function feedEntries(table: Pick<KeyTableBuilder, 'add' | 'addPair'>) {
  const lengths = { 4: new Set<number>(), 6: new Set<number>() }
  const rules = new Set<string>()
  const kinds = new Set<Rule>()
  let names = false
  let pages = false
  return {
    rule(name: string, rule: Rule): void {
      if (rule === 'important') {
        names = true
        table.add(name)
      }
      const key = ruleKey(name, rule)
      if (rules.size >= MOST_RULES || rules.has(key)) return
      rules.add(key)
      kinds.add(rule)
      table.add(key)
    },
    add(subject: Subject): void {
      if ('prefixes' in subject) {
        for (const { version, length, key } of subject.prefixes) {
          lengths[version].add(length)
          table.add(key)
        }
      } else if (subject.page === undefined) {
        names = true
        table.add(subject.name)
      } else {
        pages = true
        table.addPair(subject.name, subject.page)
      }
    },
    details: (): FeedDetails => ({
      names,
      pages,
      rules: rules.size,
      rule_kinds: [...kinds],
      lengths: { 4: descending(lengths[4]), 6: descending(lengths[6]) },
    }),
  }
}

/** Keys of rules in the table, beside the names. No name contains these characters. */
const SIGNS: Readonly<Record<Rule, string>> = { exception: '!', important: '+', important_exception: '!!' }

const ruleKey = (name: string, rule: Rule): string => SIGNS[rule] + name

const droppedOf = ({ details }: KeyTable): DroppedCounts => (details['dropped'] ?? {}) as DroppedCounts

const descending = (numbers: ReadonlySet<number>): number[] => [...numbers].sort((a, b) => b - a)

export function feedIndexOf(table: KeyTable): FeedIndex {
  const { names, pages, rules, rule_kinds, lengths } = table.details as unknown as FeedDetails
  const find = (name: string, registrable: string, rule: Rule): string | null =>
    rule_kinds.includes(rule) ? firstOf(name, registrable, one => table.has(ruleKey(one, rule))) : null
  const isExcepted = (name: string, registrable: string, important: string | null): boolean =>
    find(name, registrable, 'important_exception') !== null ||
    (important === null && find(name, registrable, 'exception') !== null)
  return {
    size: table.rows - rules,
    dropped: droppedOf(table),
    name(name, registrable) {
      if (!names) return null
      const important = find(name, registrable, 'important')
      if (isExcepted(name, registrable, important)) return null
      return important ?? firstOf(name, registrable, one => table.has(one))
    },
    pages: (name, registrable, page) =>
      pages && !isExcepted(name, registrable, null) ? findPages(name, registrable, table, page) : null,
    address: address => findAddress(address, lengths, table),
  }
}

/** The name and its parents down to `registrable`, longest first. */
function* lineage(name: string, registrable: string): Generator<string> {
  const end = name.length - registrable.length
  let labels = 0
  for (let from = 0; from >= 0 && from <= end && labels < LABELS; from = name.indexOf('.', from) + 1 || -1) {
    yield name.slice(from)
    labels += 1
  }
}

/** The longest that holds. An entry that is a shared host is ignored; entries below it count. */
function firstOf(name: string, registrable: string, holds: (name: string) => boolean): string | null {
  for (const one of lineage(name, registrable)) if (holds(one) && !isShared(one)) return one
  return null
}

/** Only the exact page counts on shared hosts, and those above the name say nothing about it. */
function findPages(
  name: string,
  registrable: string,
  table: KeyTable,
  page: readonly string[] | null,
): ListedPages | null {
  let nearest: ListedPages | null = null
  for (const host of lineage(name, registrable)) {
    const count = table.countPairs(host)
    if (count === 0) continue
    const shared = isShared(host)
    const pages = page === null ? [] : !shared ? page : host === withoutWww(name) ? exactPage(page) : []
    if (pages.some(path => table.hasPair(host, path))) return { host, count: shared ? null : count, listed: true }
    if (!shared) nearest ??= { host, count, listed: false }
  }
  return nearest
}

/** The page as requested, and without its query if the path names one page: an ignored query must not hide a listed page. */
const exactPage = ([exact = '', path]: readonly string[]): string[] =>
  path !== undefined && exact.startsWith(`${path}?`) && isPageWithoutQuery(path) ? [exact, path] : [exact]

function findAddress(address: string, lengths: FeedDetails['lengths'], table: KeyTable): string | null {
  const version = address.includes(':') ? 6 : 4
  for (const length of lengths[version]) {
    const prefix = prefixOf(address, version, length)
    if (prefix !== null && table.has(prefix.key)) return formatPrefix(prefix)
  }
  return null
}

export type RankIndex = ReturnType<typeof rankIndexOf>

/** Names rank in the order in which they are added to a numbered table. */
export const rankEntries = (table: Pick<KeyTableBuilder, 'add'>) => ({
  add(subject: Subject): void {
    if ('name' in subject) table.add(subject.name)
  },
  details: () => ({}),
})

export const rankIndexOf = (table: KeyTable) => ({
  size: table.rows,
  dropped: droppedOf(table),
  /** 1 is the first of the list; null when the list lacks the domain. */
  rank: table.placeOf,
})
