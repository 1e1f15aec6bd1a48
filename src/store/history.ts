// The history of results: the stored parts of each, the accounts that may see it, and the queue that writes it outside
// of requests.
import { randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { deflateRaw } from 'node:zlib'
import { createCache } from '../cache/cache.ts'
import type { Target } from '../targets/target.ts'
import { finishBody } from './result_cache.ts'
import type { MaybeAsync } from './store.ts'

/** The summary of a result in a list. */
export interface Summary {
  /** As in a log line: a name, an address, or both. */
  readonly target: string
  readonly domain: string | null
  readonly ip: string | null
  /** ISO 8601 in UTC, as in the result. */
  readonly checked_at: string
  readonly risk_score: number
  readonly verdict: string
  readonly recommendation: string
  /** Whether everything applicable was seen. */
  readonly complete: boolean
}

export interface Entry extends Summary {
  readonly result_id: string
  /** False when the result itself was removed to make room; the entry stays until it is too old. */
  readonly kept: boolean
}

/** One account's answer with a result. */
export interface Sighting {
  readonly account: string
  readonly id: string
  readonly summary: Summary
  /** The result, compressed. */
  readonly body: Buffer
}

export interface ListQuery {
  readonly account: string
  /** All targets when null. */
  readonly target: string | null
  /** Entries checked before this time, in milliseconds. */
  readonly before: number
  /** Also those of this very time that come after this result: many may be checked in the same second. */
  readonly after?: string | null
  readonly limit: number
}

/** A link that shows one result to anyone who has it. Only the hash of its token is stored. */
export interface Share {
  readonly id: string
  readonly result_id: string
  readonly created: number
}

/** Links of one account that are kept at once, so that no account fills the store or makes its list too long to read. */
export const MOST_SHARES = 1_000

/** A check of a name or an address, which may be one of a URL of that host. */
export interface Meeting {
  /** As `historyTarget` names it. */
  readonly target: string
  /** The time of the check, in milliseconds. */
  readonly at: number
}

/** What the record of met targets says about one of them. Times in milliseconds. */
export interface FirstMeeting {
  /** Null when no check of the target is on record. */
  readonly at: number | null
  /** Every target checked at or after this time is on record; earlier ones may have been forgotten. */
  readonly since: number
}

/** Names a share without revealing its token. `token_hash` is a SHA-256 as base64url. */
export const shareId = (token_hash: string): string => token_hash.slice(0, 12)

/** All methods may reject: a history that cannot be read must not look empty. */
export interface HistoryStore {
  /** Writes the new ones, and removes results that are too old or exceed the size limit. */
  write(sightings: readonly Sighting[]): Promise<void>
  /** The compressed result if this account saw it and it is still kept. */
  read(account: string, id: string): MaybeAsync<Buffer | null>
  /** Latest first. */
  list(query: ListQuery): MaybeAsync<readonly Entry[]>
  /** Puts targets on record, and removes those that were not met for too long, or for longest beyond the limit. */
  meet(meetings: readonly Meeting[]): Promise<void>
  /** When a name or address was first checked here, whoever asked. */
  firstSeen(target: string): MaybeAsync<FirstMeeting>
  /** Null when this account has no such result, `limit` when it has `MOST_SHARES` already. */
  share(account: string, result_id: string, token_hash: string): MaybeAsync<Share | 'limit' | null>
  shares(account: string, result_id: string): MaybeAsync<readonly Share[]>
  /** Whether the account had this share. */
  unshare(account: string, share: string): MaybeAsync<boolean>
  /** The account and the result behind a link. */
  shared(token_hash: string): MaybeAsync<{ readonly account: string; readonly result_id: string } | null>
  close(): Promise<void>
}

export interface HistoryLimits {
  /** How long results and entries are kept. */
  readonly life_ms: number
  /** Most bytes of compressed results. */
  readonly octets: number
  /** How long a target stays on record after its last check. */
  readonly met_ms: number
  /** Most targets on record. */
  readonly targets: number
}

/** Limits apply to writes. */
export const NO_LIMITS: HistoryLimits = {
  life_ms: Number.POSITIVE_INFINITY,
  octets: Number.POSITIVE_INFINITY,
  met_ms: Number.POSITIVE_INFINITY,
  targets: Number.POSITIVE_INFINITY,
}

/** Targets on record: some 50 MB in the embedded store and 100 MB in Redis. The record then reaches back less far, and says so. */
export const MET_TARGETS = 500_000

export interface History {
  readonly store: HistoryStore
  /** Queues an answer to an account. Takes no time on the path of the request, never throws. */
  note(account: string, bytes: Buffer): void
  /** Queues the check of a target, also of a URL, at `at` in milliseconds. Takes no time, never throws. */
  met(target: Named, at: number): void
  /** As of the store, with the checks that are still queued. Rejects when the store fails. */
  firstSeen(target: Named): Promise<FirstMeeting>
  /** Sightings that were dropped because the store is slower than the answers. */
  readonly dropped: number
  /** Resolves when everything queued before is written or has failed. Never rejects. */
  written(): Promise<void>
  close(): Promise<void>
}

/** 128 random bits. */
const ID_OCTETS = 16

/** Never begins with a hyphen, which would make it an option on a command line. */
export function newResultId(): string {
  for (;;) {
    const id = randomBytes(ID_OCTETS).toString('base64url')
    if (!id.startsWith('-')) return id
  }
}

export const isResultId = (text: string): boolean => /^[A-Za-z0-9_-]{22}$/.test(text)

/**
 * Links carry tokens, so their results are not kept beyond the cache. Checks that did not visit the site, or visited it at
 * an address of the client's choice, are not comparable with the others.
 */
export const isKept = ({ kind, ip, url, visit }: Target): boolean =>
  url === null && visit && (kind === 'ip' || ip === null)

type Named = Pick<Summary, 'domain' | 'ip'>

/** The name of a target in the history; for a URL, its host. */
export const historyTarget = ({ domain, ip }: Named): string => domain ?? ip ?? ''

const ID_START = '{"result_id":"'

/** The id at the start of a prepared body; null when the result is not kept. */
function resultIdOf(bytes: Buffer): string | null {
  const start = bytes.toString('latin1', 0, ID_START.length + 22)
  const id = start.slice(ID_START.length)
  return start.startsWith(ID_START) && isResultId(id) ? id : null
}

/** Milliseconds that sightings are collected before they are written together. */
const COLLECT_MS = 250
/** Bytes of results that wait to be written: some 500. Beyond that the store is too slow, and answers matter more. */
const WAITING_OCTETS = 16 * 1024 * 1024
/** Sightings or meetings of one transaction. */
const BATCH = 64
/** Targets that wait to be put on record. Beyond that the store is too slow, and a target may be reported as new once more. */
const WAITING_TARGETS = 10_000

const deflate = promisify(deflateRaw)

interface Noted {
  readonly account: string
  readonly id: string
  readonly bytes: Buffer
}

export interface HistoryOptions {
  readonly store: HistoryStore
  /** Called when sightings were lost. `reason` holds no target. */
  readonly failed: (reason: string) => void
}

export function createHistory({ store, failed }: HistoryOptions): History {
  const seen = createCache<true>('sightings')
  let waiting: Noted[] = []
  /** First checks by target. */
  const met = new Map<string, number>()
  let octets = 0
  let dropped = 0
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  function note(account: string, bytes: Buffer): void {
    const id = resultIdOf(bytes)
    if (id === null) return
    const name = `${account} ${id}`
    if (seen.get(name) !== undefined) return
    if (octets + bytes.length > WAITING_OCTETS) {
      dropped += 1
      return
    }
    seen.set(name, true)
    waiting.push({ account, id, bytes })
    octets += bytes.length
    collect()
  }

  function meet(target: Named, at: number): void {
    const name = historyTarget(target)
    if (met.has(name) || met.size >= WAITING_TARGETS) return
    met.set(name, at)
    collect()
  }

  function collect(): void {
    timer ??= setTimeout(flush, COLLECT_MS).unref()
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    writing = writing.then(putOnRecord).then(writeWaiting)
    return writing
  }

  async function putOnRecord(): Promise<void> {
    while (met.size > 0) {
      const batch = [...met].slice(0, BATCH).map(([target, at]) => ({ target, at }))
      try {
        await store.meet(batch)
      } catch (error) {
        failed(reasonOf(error))
      }
      for (const { target } of batch) met.delete(target)
    }
  }

  async function writeWaiting(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH)
      waiting = waiting.slice(BATCH)
      try {
        await store.write(await Promise.all(batch.map(sightingOf)))
      } catch (error) {
        dropped += batch.length
        for (const { account, id } of batch) seen.delete(`${account} ${id}`)
        failed(reasonOf(error))
      }
      octets -= batch.reduce((sum, { bytes }) => sum + bytes.length, 0)
    }
  }

  return {
    store,
    note,
    met: meet,
    async firstSeen(target) {
      const name = historyTarget(target)
      const queued = met.get(name)
      const { at, since } = await store.firstSeen(name)
      return { at: queued === undefined ? at : Math.min(at ?? queued, queued), since }
    },
    get dropped() {
      return dropped
    },
    written: flush,
    async close() {
      await flush()
      await store.close()
    },
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

async function sightingOf({ account, id, bytes }: Noted): Promise<Sighting> {
  const text = finishBody(bytes, 0, true)
  const result = JSON.parse(Buffer.from(text, 'latin1').toString()) as Omit<Summary, 'target' | 'complete'> & {
    readonly coverage: { readonly complete: boolean }
  }
  const { domain, ip, checked_at, risk_score, verdict, recommendation, coverage } = result
  const summary = { domain, ip, checked_at, risk_score, verdict, recommendation, complete: coverage.complete }
  const body = await deflate(Buffer.from(text, 'latin1'))
  return { account, id, body, summary: { target: historyTarget(summary), ...summary } }
}
