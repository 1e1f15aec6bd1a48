// Which lists are asked: the tables, the operator's choice, and what the operator should know about it.
import { addressLists } from './address_lists.ts'
import type { BlockList } from './block_list.ts'
import { nameLists } from './name_lists.ts'

/** All that are known. Dead ones (SORBS, NiX Spam, AHBL, ...) stay out: a dead list may start to list the world. */
export const knownLists: readonly BlockList[] = [...nameLists, ...addressLists]

export interface ListChoice {
  /** By id: switches a list on or off, against its default. */
  readonly enabled?: Readonly<Record<string, boolean>>
  /** By id: another zone for the same list, such as one with a customer's key in it or a mirror of one's own. */
  readonly zones?: Readonly<Record<string, string>>
  /** Lists of the operator's own. */
  readonly own?: readonly BlockList[]
}

/** The lists to ask. Throws a `TypeError` that names every id nobody knows. */
export function chooseLists({ enabled = {}, zones = {}, own = [] }: ListChoice = {}): readonly BlockList[] {
  const all = [...knownLists, ...own]
  const ids = new Set(all.map(({ id }) => id))
  const strange = [...Object.keys(enabled), ...Object.keys(zones)].filter(id => !ids.has(id))
  if (strange.length > 0) throw new TypeError(`no such list: ${strange.join(', ')}; known are ${[...ids].join(', ')}`)
  return all
    .filter(({ id, off }) => enabled[id] ?? off === null)
    .map(list => ({ ...list, zone: zones[list.id] ?? list.zone }))
}

/** Resolvers that many share: lists that count their users refuse them, or answer for all of them at once. */
const publicResolvers: ReadonlySet<string> = new Set([
  ...['8.8.8.8', '8.8.4.4', '2001:4860:4860::8888', '2001:4860:4860::8844'],
  ...['1.1.1.1', '1.0.0.1', '1.1.1.2', '1.0.0.2', '1.1.1.3', '1.0.0.3', '2606:4700:4700::1111', '2606:4700:4700::1001'],
  ...['9.9.9.9', '149.112.112.112', '9.9.9.10', '149.112.112.10', '2620:fe::fe', '2620:fe::9'],
  ...['208.67.222.222', '208.67.220.220', '2620:119:35::35', '2620:119:53::53'],
  ...['94.140.14.14', '94.140.15.15', '76.76.2.0', '76.76.10.0', '185.228.168.9', '185.228.169.9'],
  ...['4.2.2.1', '4.2.2.2', '64.6.64.6', '64.6.65.6', '77.88.8.8', '77.88.8.1', '223.5.5.5', '114.114.114.114'],
])

/** What an operator should read once at the start. `resolvers` are the addresses in use, without ports. */
export function listNotices(lists: readonly BlockList[], resolvers: readonly string[]): string[] {
  const refusing = lists.filter(list => list.refuses_public_resolvers).map(({ name }) => name)
  const shared = resolvers.filter(address => publicResolvers.has(address))
  return [
    ...(refusing.length > 0 && shared.length > 0
      ? [`${refusing.join(', ')} will not answer through public resolvers (${shared.join(', ')}): name your own`]
      : []),
    ...lists.filter(({ off }) => off !== null).map(({ name, off }) => `${name} is asked: ${off}`),
  ]
}
