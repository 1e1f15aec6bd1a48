// Finds the entry of the operator's lists that applies to a target. Names take precedence over addresses, and longer
// entries over shorter ones; in a tie the block list wins. Pure.
import { contains, parseAddress } from '../../network/address_block.ts'
import type { ListEntry, ListKind } from './entries.ts'
import type { OperatorListing } from './facts.ts'

/** A target, or a host that redirects lead to. */
export type AskedHost =
  | { readonly kind: 'domain'; readonly domain: string; readonly registrable: string }
  | { readonly kind: 'ip'; readonly ip: string }

export type OperatorLists = ReturnType<typeof createOperatorLists>

export function createOperatorLists(entries: readonly ListEntry[]) {
  const names = new Map<string, ListEntry[]>()
  for (const entry of entries) {
    if (entry.name !== null) names.set(entry.name, [...(names.get(entry.name) ?? []), entry])
  }
  const blocks = entries.flatMap(entry => (entry.block === null ? [] : [{ entry, block: entry.block }]))

  function byName(target: AskedHost, now: number): ListEntry | null {
    if (target.kind === 'ip') return null
    for (const name of upwards(target.domain)) {
      const inForce = (names.get(name) ?? []).filter(entry => isInForce(entry, now) && speaksOf(entry, target))
      const entry = inForce.find(isBlock) ?? inForce[0]
      if (entry) return entry
    }
    return null
  }

  function byAddress(addresses: readonly string[], lists: readonly ListKind[], now: number): ListEntry | null {
    const parsedAddresses = addresses.flatMap(address => parseAddress(address) ?? [])
    const matches = blocks
      .filter(
        ({ entry, block }) =>
          lists.includes(entry.list) && isInForce(entry, now) && parsedAddresses.some(one => contains(block, one)),
      )
      .sort((a, b) => b.block[1] - a.block[1] || Number(isBlock(b.entry)) - Number(isBlock(a.entry)))
    return matches[0]?.entry ?? null
  }

  return {
    /**
     * Null when no valid entry names the host. `addresses` are the known addresses of a domain. Allowed addresses do not apply to
     * names, because anybody can point a name at them.
     */
    find: (target: AskedHost, addresses: readonly string[], now: number) =>
      byName(target, now) ??
      (target.kind === 'ip' ? byAddress([target.ip], ['allow', 'block'], now) : byAddress(addresses, ['block'], now)),
    /** Some entry blocks addresses, so the addresses of a domain are needed. */
    asksAddresses: blocks.some(({ entry }) => isBlock(entry)),
    size: entries.length,
  }
}

/** The entry as evidence. */
export const listingOf = (entry: ListEntry | null): OperatorListing => ({
  list: entry?.list ?? null,
  entry: entry?.entry ?? null,
  reason: entry?.reason ?? null,
  expires_at: entry?.expires_at == null ? null : new Date(entry.expires_at).toISOString(),
})

const isBlock = ({ list }: ListEntry): boolean => list === 'block'

const isInForce = ({ expires_at }: ListEntry, now: number): boolean => expires_at === null || now < expires_at

/** Allowing a platform does not allow its tenants; blocking it blocks them all. */
const speaksOf = ({ list, name }: ListEntry, { domain, registrable }: AskedHost & { kind: 'domain' }): boolean =>
  list === 'block' || name === domain || `www.${name}` === domain || !isAbove(name ?? '', registrable)

/** Names below this one belong to others than the target's owner. */
const isAbove = (name: string, registrable: string): boolean => name !== registrable && registrable.endsWith(`.${name}`)

/** The name and its parents, longest first. */
function upwards(domain: string): string[] {
  const labels = domain.split('.')
  return labels.map((_, at) => labels.slice(at).join('.'))
}
