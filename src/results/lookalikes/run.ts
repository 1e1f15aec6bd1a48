// Looks for names that imitate one, checks those that exist like any target, and says what they share with the original. Whoever
// asks says how a target is judged and where lines go: a service counts each result, the command line checks here.

import { EventEmitter, once } from 'node:events'
import { domainToUnicode } from 'node:url'
import { parseTarget, requestFor, type Target, type Vetting } from '../../targets/target.ts'
import { createMemoryOverflow } from '../bulk/overflow.ts'
import { createRunQueue, type Politeness } from '../bulk/politeness.ts'
import { type BulkRecord, type InputLine, isError, type RecordedError, type Result, type Task } from '../bulk/record.ts'
import { type BulkAnswer, runBulk } from '../bulk/run.ts'
import { candidatesFor, first, type Kind } from './candidates.ts'
import { type Existing, newTally, type ScanEnd, type Scanner, type ScanTally } from './scan.ts'
import { inOrder, type RankedName, type SharedTraits, type Site, sharedOf } from './shared.ts'

/** A look-alike that exists. */
export interface Lookalike {
  readonly name: string
  /** As it is shown. */
  readonly unicode: string
  readonly kind: Kind
  readonly addresses: readonly string[]
  readonly mail: boolean | null
  /** Null when it was not judged. */
  readonly result: Result | null
  /** Why it has no result; null when it has one, or when it was not to be judged. */
  readonly error: RecordedError | null
  /** Null without both results. */
  readonly shared: SharedTraits | null
}

export interface LookalikesTally extends ScanTally {
  judged: number
}

export interface LookalikesRequest {
  /** A domain name in canonical form. */
  readonly name: string
  /** Most names to look for, the likeliest first. */
  readonly names: number
  /** Most look-alikes to judge; none when 0. */
  readonly judged: number
  /** Who asks: clients take turns. */
  readonly client: string
  readonly signal: AbortSignal
  /** Called in the order in which they are judged. */
  write(lookalike: Lookalike): Promise<void> | void
  /** Called after each name. */
  progressed?(tally: LookalikesTally): void
}

export interface LookalikesParts {
  readonly scanner: Scanner
  readonly vetting: Vetting
  readonly politeness: Politeness
  /** Concurrent checks. */
  readonly concurrency: number
  readonly monotonic: () => number
  judge(target: Target, over: AbortSignal): Promise<BulkAnswer>
}

export interface Lookalikes {
  readonly tally: LookalikesTally
  readonly ended: ScanEnd
  /** Names, what deserves a look first. */
  readonly ranking: readonly string[]
}

/** Look-alikes that are told of one name at most: a name with more is a word of a language, and the rest are as innocent. */
export const MOST_LOOKALIKES = 5_000
/** Look-alikes that wait for their check; a scan waits when there are more. */
const AHEAD = 256

export async function findLookalikes(parts: LookalikesParts, request: LookalikesRequest): Promise<Lookalikes> {
  const { scanner, vetting, politeness, concurrency, monotonic } = parts
  const { name, signal } = request
  const over = new AbortController()
  const stop = AbortSignal.any([signal, over.signal])
  const tally: LookalikesTally = { ...newTally(), judged: 0 }
  const existing = new Map<string, Existing>()
  const ranking: RankedName[] = []
  const waiting = createChannel<InputLine>(AHEAD)
  const original = request.judged > 0 ? await originalOf() : null

  async function originalOf(): Promise<Site | null> {
    const parsed = parseTarget(requestFor(name), vetting)
    const answer = parsed.ok ? await parts.judge(parsed.target, stop) : null
    return answer?.ok ? { name, result: answer.result } : null
  }

  async function tell(one: Existing, result: Result | null, error: RecordedError | null): Promise<void> {
    const sharedTraits = original === null || result === null ? null : sharedOf(original, { name: one.name, result })
    const lookalike: Lookalike = { ...one, unicode: domainToUnicode(one.name), result, error, shared: sharedTraits }
    ranking.push(lookalike.result === null ? lookalike : { ...lookalike, result: { ...briefOf(lookalike.result) } })
    await request.write(lookalike)
  }

  const scanning = scanner
    .scan({
      candidates: first(candidatesFor(name), request.names),
      client: request.client,
      signal: stop,
      tally,
      asked: () => request.progressed?.(tally),
      async found(one) {
        if (existing.size >= MOST_LOOKALIKES) return
        existing.set(one.name, one)
        if (existing.size > request.judged) return tell(one, null, null)
        await waiting.put({ line: existing.size, text: one.name })
      },
    })
    .finally(waiting.end)

  const judging = runBulk({
    input: () => waiting.all(),
    parse: text => parseTarget(requestFor(text), vetting),
    settled: new Set(),
    queue: createRunQueue(politeness, concurrency, monotonic),
    overflow: createMemoryOverflow<Task>(),
    check: parts.judge,
    async write(record: BulkRecord) {
      const one = existing.get(record.input)
      if (one === undefined) return
      if (isError(record)) return tell(one, null, record.error)
      tally.judged += 1
      await tell(one, record, null)
    },
    stop,
  }).finally(waiting.close)
  const isJudged = judging.then(({ ended }) => {
    if (ended === 'unavailable') over.abort()
    return ended
  })
  const [scanEnd, judgingEnd] = await both(scanning, isJudged, () => over.abort())
  const end = judgingEnd === 'unavailable' ? judgingEnd : scanEnd
  return { tally, ended: end, ranking: inOrder(ranking).map(one => one.name) }
}

/** What the order needs of a result. */
const briefOf = ({ recommendation, verdict, risk_score }: Result): Result => ({ recommendation, verdict, risk_score })

/** A rejection of either ends the other. */
async function both<One, Other>(one: Promise<One>, other: Promise<Other>, stop: () => void): Promise<[One, Other]> {
  try {
    return await Promise.all([one, other])
  } catch (error) {
    stop()
    await Promise.allSettled([one, other])
    throw error
  }
}

/** Items from one side to the other; `put` waits while `ahead` of them wait. */
function createChannel<Item>(ahead: number) {
  const items: Item[] = []
  const events = new EventEmitter().setMaxListeners(0)
  let isEnded = false
  return {
    async put(item: Item): Promise<void> {
      items.push(item)
      events.emit('item')
      while (items.length > ahead && !isEnded) await once(events, 'room')
    },
    /** No more comes. */
    end() {
      isEnded = true
      events.emit('item')
    },
    /** Nothing is taken any more. */
    close() {
      isEnded = true
      items.length = 0
      events.emit('item')
      events.emit('room')
    },
    async *all(): AsyncGenerator<Item> {
      for (;;) {
        const item = items.shift()
        if (item !== undefined) {
          events.emit('room')
          yield item
        } else if (isEnded) return
        else await once(events, 'item')
      }
    },
  }
}
