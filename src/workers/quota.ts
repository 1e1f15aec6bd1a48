// Exact quotas over all workers: the owner of the store reserves and counts every answer. What the requests of one round ask
// for an account goes in one message.
import type { Allowance, Usage } from '../store/quota_rule.ts'
import {
  type Charged,
  createGrant,
  type Grant,
  type LocalQuota,
  type QuotaStore,
  type Refusal,
  refusal,
  StoreError,
} from '../store/store.ts'
import type { Link } from './link.ts'

const SERVICE = 'quota'

interface Reserved {
  /** How many of the wanted answers are reserved. */
  readonly granted: number
  readonly usage: Usage
}

interface Counted {
  /** How many of the answers are counted; the usage after them. */
  readonly counted: number
  readonly usage: Usage | null
}

/** For the owner: serves one worker. `drop` gives back everything that a worker which is gone had reserved. */
export function serveQuota(quota: LocalQuota) {
  /** The reserved answers of this worker by account. */
  const held = new Map<string, Grant[]>()

  /** Takes this many reservations of an account. */
  function take(account: string, count: number): Grant[] {
    const grants = held.get(account) ?? []
    const taken = grants.splice(0, count)
    if (grants.length === 0) held.delete(account)
    return taken
  }

  const methods = {
    usage: (account: string, allowance: Allowance) => quota.usage(account, allowance),
    async reserve(account: string, allowance: Allowance, want: number): Promise<Reserved> {
      const asked = Array.from({ length: want }, () => quota.reserve(account, allowance))
      const answers = await Promise.all(asked)
      const grants = answers.filter(answer => answer.allowed)
      if (grants.length > 0) held.set(account, [...(held.get(account) ?? []), ...grants])
      const refused = answers.find(answer => !answer.allowed)
      return { granted: grants.length, usage: refused?.usage ?? (await quota.usage(account, allowance)) }
    },
    charge: quota.chargeMany,
    async count(account: string, count: number): Promise<Counted> {
      const counts = await Promise.allSettled(take(account, count).map(grant => grant.commit()))
      const usages = counts.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []))
      const failed = counts.find(one => one.status === 'rejected')
      if (usages.length === 0) throw failed?.reason ?? notReserved()
      return { counted: usages.length, usage: usages.at(-1) ?? null }
    },
    release(account: string, count: number): void {
      for (const grant of take(account, count)) void grant.release()
    },
  }
  return {
    methods: { [SERVICE]: methods },
    drop() {
      for (const grants of held.values()) for (const grant of grants) void grant.release()
      held.clear()
    },
  }
}

const notReserved = () => new StoreError('quota_store_error', 'the answer was not reserved')

/** What requests ask together for one account. */
interface Group<Answer> {
  size: number
  readonly answer: Promise<Answer>
}

/**
 * Questions of one account that may be under way at once. More would cost both processes a message each; what comes meanwhile
 * goes with the next.
 */
const UNDER_WAY = 1

interface Line<Answer> {
  under_way: number
  /** The group that is not sent yet. */
  next: Group<Answer> | null
  /** Sends it as soon as the others allow. */
  waiting: (() => void) | null
}

/** For a worker. */
export function createLinkedQuota(link: Link): QuotaStore {
  const reserve = createLines<Reserved>(link)
  const count = createLines<Counted>(link)
  const charge = createLines<Charged>(link)

  async function commit(account: string): Promise<Usage> {
    const { group, place } = count(account, size => link.call(SERVICE, 'count', account, size))
    const { counted, usage } = await group.answer
    if (usage === null || place >= counted) throw notReserved()
    return before(usage, counted - 1 - place)
  }

  async function reserveOne(account: string, allowance: Allowance): Promise<Grant | Refusal> {
    const name = nameOf(account, allowance)
    const { group, place } = reserve(name, size => link.call(SERVICE, 'reserve', account, allowance, size))
    const { granted, usage } = await group.answer
    if (place >= granted) return refusal(usage)
    return createGrant({
      commit: () => commit(account),
      release: () => link.tell(SERVICE, 'release', account, 1),
    })
  }

  async function chargeOne(account: string, allowance: Allowance): Promise<Usage | Refusal> {
    const name = nameOf(account, allowance)
    const { group, place } = charge(name, size => link.call(SERVICE, 'charge', account, allowance, size))
    const { granted, usage } = await group.answer
    return place < granted ? before(usage, granted - 1 - place) : refusal(usage)
  }

  return {
    reserve: reserveOne,
    charge: chargeOne,
    usage: (account, allowance) => link.call(SERVICE, 'usage', account, allowance) as Promise<Usage>,
  }
}

const nameOf = (account: string, { quota, period }: Allowance): string => `${account} ${quota} ${period}`

/** Puts a request into the next group of its line; `ask` asks for a whole group. */
function createLines<Answer>(link: Link) {
  const lines = new Map<string, Line<Answer>>()

  function open(name: string, line: Line<Answer>, ask: (size: number) => Promise<unknown>): Group<Answer> {
    const answer = new Promise<Answer>((resolve, reject) => {
      const send = () => {
        line.next = null
        line.under_way += 1
        ask(group.size)
          .then(value => resolve(value as Answer), reject)
          .finally(() => {
            line.under_way -= 1
            line.waiting?.()
            if (line.under_way === 0 && line.next === null) lines.delete(name)
          })
      }
      line.waiting = () => {
        line.waiting = null
        link.beforeSending(send)
      }
    })
    const group: Group<Answer> = { size: 0, answer }
    line.next = group
    if (line.under_way < UNDER_WAY) line.waiting?.()
    return group
  }

  return (name: string, ask: (size: number) => Promise<unknown>) => {
    const line = lines.get(name) ?? { under_way: 0, next: null, waiting: null }
    lines.set(name, line)
    const group = line.next ?? open(name, line, ask)
    group.size += 1
    return { group, place: group.size - 1 }
  }
}

/** The usage when this many answers fewer were counted. */
const before = ({ limit, used, remaining, reset }: Usage, count: number): Usage =>
  count === 0
    ? { limit, used, remaining, reset }
    : { limit, reset, used: used - count, remaining: Math.max(0, limit - (used - count)) }
