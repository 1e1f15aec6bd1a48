// Selects the blocklists to query, and the notices about them that an operator should see.
import type { BlockList } from './block_list.ts'
import { knownLists } from './known_lists.ts'

export interface ListChoice {
  /** By ID: enables or disables a list. */
  readonly enabled?: Readonly<Record<string, boolean>>
  /** By ID: a different zone for the list, such as one with a customer key, or a private mirror. */
  readonly zones?: Readonly<Record<string, string>>
  /** By ID: queries per UTC day; null without a limit. */
  readonly daily?: Readonly<Record<string, number | null>>
  /** The operator's own lists. */
  readonly own?: readonly BlockList[]
}

/** The lists to query. Throws a `TypeError` that names every unknown ID. */
export function chooseLists({ enabled = {}, zones = {}, daily = {}, own = [] }: ListChoice = {}): readonly BlockList[] {
  const all = [...knownLists, ...own]
  const ids = new Set(all.map(({ id }) => id))
  const unknownIds = [enabled, zones, daily].flatMap(Object.keys).filter(id => !ids.has(id))
  if (unknownIds.length > 0)
    throw new TypeError(`unknown blocklist: ${unknownIds.join(', ')}; known: ${[...ids].join(', ')}`)
  return all
    .filter(({ id, off }) => enabled[id] ?? off === null)
    .map(list => ({ ...list, zone: zones[list.id] ?? list.zone, daily: dailyOf(list, daily[list.id]) }))
}

const dailyOf = (list: BlockList, setting: number | null | undefined): number | null =>
  setting === undefined ? list.daily : setting

/** Shared resolvers: lists that limit queries refuse them. */
const PUBLIC_RESOLVERS: ReadonlySet<string> = new Set([
  '8.8.8.8',
  '8.8.4.4',
  '2001:4860:4860::8888',
  '2001:4860:4860::8844',
  '1.1.1.1',
  '1.0.0.1',
  '1.1.1.2',
  '1.0.0.2',
  '1.1.1.3',
  '1.0.0.3',
  '2606:4700:4700::1111',
  '2606:4700:4700::1001',
  '9.9.9.9',
  '149.112.112.112',
  '9.9.9.10',
  '149.112.112.10',
  '2620:fe::fe',
  '2620:fe::9',
  '208.67.222.222',
  '208.67.220.220',
  '2620:119:35::35',
  '2620:119:53::53',
  '94.140.14.14',
  '94.140.15.15',
  '76.76.2.0',
  '76.76.10.0',
  '185.228.168.9',
  '185.228.169.9',
  '4.2.2.1',
  '4.2.2.2',
  '64.6.64.6',
  '64.6.65.6',
  '77.88.8.8',
  '77.88.8.1',
  '223.5.5.5',
  '114.114.114.114',
])

/** Notices for the startup log. `resolvers` are the addresses in use, without ports. */
export function listNotices(lists: readonly BlockList[], resolvers: readonly string[]): string[] {
  const refusing = lists.filter(list => list.refuses_public_resolvers).map(({ name }) => name)
  const publicResolvers = resolvers.filter(address => PUBLIC_RESOLVERS.has(address))
  return [
    ...(refusing.length > 0 && publicResolvers.length > 0
      ? [
          `Public resolvers (${publicResolvers.join(', ')}) get no answers from ${refusing.join(', ')}: configure your own resolver`,
        ]
      : []),
    ...lists.filter(({ off }) => off !== null).map(({ name, off }) => `${name} is enabled: ${off}`),
  ]
}
