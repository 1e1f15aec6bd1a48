// Lists in the lab, and the context of a check that queries them.
import { gatherAddresses } from '../../src/evidence/addresses/gather.ts'
import type { GatherContext } from '../../src/evidence/evidence.ts'
import type { BlockList } from '../../src/evidence/listings/block_list.ts'
import type { Listing, Listings } from '../../src/evidence/listings/facts.ts'
import createListingsGatherer, { type ListingsOptions } from '../../src/evidence/listings/gather.ts'
import { knownLists } from '../../src/evidence/listings/known_lists.ts'
import type { Target } from '../../src/targets/target.ts'
import { inLab, type LabOptions } from './lab_check.ts'

export function knownList(id: string): BlockList {
  const list = knownLists.find(known => known.id === id)
  if (!list) throw new Error(`no list ${id}`)
  return list
}

/** A known list under `<id>.test`. */
export const mirrored = (id: string): BlockList => ({ ...knownList(id), zone: `${id.replaceAll('_', '-')}.test` })

export const allHealthy: ListingsOptions['health'] = { isHealthy: () => true, flag: () => {} }

export function gatherListings(
  lab: LabOptions,
  target: Target,
  options: Partial<ListingsOptions> & Pick<ListingsOptions, 'lists'>,
) {
  const gather = createListingsGatherer({ blocklists: { health: allHealthy, ...options } })
  return inLab(lab, target, context => {
    const others = (async () => gatherAddresses(context)) as unknown as GatherContext['gather']
    return gather({ ...context, gather: others })
  })
}

/** `id asked: status`, with the reason or the codes. */
export const summary = ({ lists }: Listings): string[] => lists.map(line)

const line = ({ id, asked, status, reason, codes }: Listing): string =>
  [`${id} ${asked}: ${status}`, ...(reason ? [reason] : []), ...codes.map(({ code }) => code)].join(' ')
