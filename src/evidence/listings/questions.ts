// What is asked of which list, within what one check may ask.

import { dialableAddresses, type WithAddresses } from '../addresses/dialable.ts'
import { NotApplicable } from '../facts.ts'
import type { GatherContext } from '../gatherer.ts'
import type { BlockList } from './block_list.ts'
import { unmapped } from './query_name.ts'

export interface Question {
  readonly list: BlockList
  readonly kind: 'ip' | 'domain'
  /** What the list is asked about; null when it could not be learned. */
  readonly subject: string | null
  /** The same as results name it; the target's own when the subject could not be learned. */
  readonly asked: string
}

/** Addresses of a target that are looked up; more are most often one network's. */
const ADDRESSES = 3
/** Questions a check puts to all lists together, out of the 60 it may ask: every list its first, then second addresses. */
const QUESTIONS = 16

export interface Questions {
  readonly names: readonly Question[]
  /** Known once the target's addresses are. Never rejects. */
  readonly addresses: Promise<readonly Question[]>
}

export function questionsFor(lists: readonly BlockList[], context: WithAddresses): Questions {
  const names = nameQuestions(lists, context)
  const ofAddresses = lists.filter(list => context.target.kind === 'ip' || !ofSites(list))
  const addresses = subjects(context).then(known =>
    addressQuestions(ofAddresses, context, known, QUESTIONS - names.length),
  )
  return { names, addresses }
}

function nameQuestions(lists: readonly BlockList[], { target }: GatherContext): Question[] {
  if (target.kind === 'ip') return []
  const subjectFor = ({ asks }: BlockList) =>
    asks.includes('host') ? target.domain : asks.includes('registrable') ? target.registrable : null
  return lists.flatMap(list => {
    const subject = subjectFor(list)
    return subject === null ? [] : [{ list, kind: 'domain' as const, subject, asked: subject }]
  })
}

const asksAddresses = ({ asks }: BlockList): boolean => asks.includes('ipv4') || asks.includes('ipv6')

/** Lists of sites know addresses that stand in links; an address behind a name is many other sites' too. */
const ofSites = ({ asks }: BlockList): boolean => asks.includes('host') || asks.includes('registrable')

/** A list has its first address whatever the room, so that it is never passed over in silence. */
function addressQuestions(
  lists: readonly BlockList[],
  { target }: GatherContext,
  addresses: readonly string[] | null,
  room: number,
): Question[] {
  if (addresses === null) {
    const asked = target.domain ?? target.ip
    return lists.filter(list => asksAddresses(list)).map(list => ({ list, kind: 'ip', subject: null, asked }))
  }
  const perList = lists.map(list =>
    addresses
      .filter(address => list.asks.includes(address.includes(':') ? 'ipv6' : 'ipv4'))
      .slice(0, ADDRESSES)
      .map((subject, turn) => ({ list, kind: 'ip' as const, subject, asked: subject, turn })),
  )
  const kept = new Set(
    perList
      .flat()
      .sort((one, other) => one.turn - other.turn)
      .filter(({ turn }, at) => turn === 0 || at < room),
  )
  return perList
    .flat()
    .filter(question => kept.has(question))
    .map(({ turn: _, ...question }) => question)
}

/** Vetted addresses, IPv4 first since most lists know no other; null when it stays unknown whether there are any. */
async function subjects(context: WithAddresses): Promise<readonly string[] | null> {
  try {
    const known = [...new Set((await dialableAddresses(context)).map(unmapped))]
    return [...known.filter(address => !address.includes(':')), ...known.filter(address => address.includes(':'))]
  } catch (error) {
    if (error instanceof NotApplicable) return []
    return null
  }
}
