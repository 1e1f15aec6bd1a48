// One answer, whoever asks for it: reserve quota, get the result from the cache or a check, count it, note it.
import type { Clock } from '../clock.ts'
import type { Analysis } from '../engine/analysis.ts'
import { AnalysisUnavailable } from '../engine/analysis.ts'
import type { CheckResult, Given } from '../engine/engine.ts'
import { singleFlight } from '../single_flight.ts'
import type { ResultFlights } from '../store/backend.ts'
import { type History, isKept, newResultId } from '../store/history.ts'
import type { Usage } from '../store/quota_rule.ts'
import { type CachedResult, cacheKey, finishBody, prepareBody, type ResultCache } from '../store/result_cache.ts'
import type { Key } from '../store/store.ts'
import type { Target, Vetting } from '../targets/target.ts'
import type { Callers } from './callers.ts'
import type { CheckRequest, Gate } from './limits.ts'
import { Problem } from './problem.ts'
import { type Channels, createChannels, type Listener, type SectionWatch } from './progress.ts'
import type { Origin } from './request_state.ts'
import { createTargetReader, type RequestedTarget, requestedTarget } from './target_reader.ts'

interface CheckerOptions {
  readonly signal: AbortSignal
  readonly left_ms?: number
  /** Evidence that need not be gathered. */
  readonly given?: Given
  readonly observe?: (analysis: Analysis) => void
  /** Clients get equal CPU time. */
  readonly client?: string
}

/** The engine as the API uses it. Rejects with `AnalysisUnavailable`, or when `signal` aborts. */
export interface Checker {
  check(target: Target, options: CheckerOptions): Promise<CheckResult>
}

export interface AnswersOptions {
  readonly callers: Pick<Callers, 'reserve' | 'charge'>
  readonly checker: Checker
  readonly cache: ResultCache
  /** Running analyses, shared by all requests for the same target. */
  readonly flights: ResultFlights
  /** Limits uncached checks. */
  readonly gate: Gate
  /** Names the weights in force: a result under another policy is another result. */
  readonly policy: string
  /** Which targets may be checked. */
  readonly vetting: Vetting
  /** Makes the cache keys of URLs unreadable; all instances that share a cache have the same. Of this process by default. */
  readonly url_secret?: () => Buffer
  /** Where answered results and checked targets are noted; null when none are kept. */
  readonly history: Pick<History, 'note' | 'met'> | null
  /** Whether results of URLs are cached; true by default. */
  readonly cache_urls?: boolean
  /** Emits the progress of an analysis; without it a stream holds only the result. */
  readonly watch?: SectionWatch['watch']
  /** Called for each answer that the quota counted, also when the client disconnected. */
  readonly counted?: (key: Key) => void
  readonly clock: Clock
}

/** Who asks, and what happens on the way. */
export interface Asking {
  readonly key: Key
  readonly requested: RequestedTarget
  /** When the request arrived, on the monotonic clock. */
  readonly began: number
  readonly listener: Listener | null
  /** Nobody waits for it: checks of requests come first, and the limits of the key count it apart from them. */
  readonly background?: boolean
  /** Stores the answer before it is counted. When it rejects, nothing is counted, and the answer rejects with the same. */
  kept?(answer: Pick<Answered, 'bytes' | 'origin'>): Promise<void>
  /** Where the result will come from, before a check starts. */
  noted?(origin: 'HIT' | 'MISS'): void | Promise<void>
  /** Called with the quota when it is used up. */
  exceeded?(usage: Usage): void
  /** Runs `work` with a signal that aborts when nobody waits for the answer any more. */
  until<T>(work: (left: AbortSignal) => Promise<T>): Promise<T>
  /** Whether nobody waits any more. */
  gone(): boolean
}

export interface Answered {
  /** The body without the members that differ by request. */
  readonly bytes: Buffer
  readonly origin: Origin
  readonly usage: Usage
}

/** The whole result as an object. `elapsed_ms` is an integer. */
export function resultOf(
  { bytes, origin }: Pick<Answered, 'bytes' | 'origin'>,
  elapsed_ms: number,
): Record<string, unknown> {
  const body = finishBody(bytes, elapsed_ms, origin !== 'MISS', origin === 'STALE')
  return JSON.parse(Buffer.from(body, 'latin1').toString())
}

export interface Answers {
  /** Parses a query string. Throws a `Problem` when it names no valid target. */
  read(query: string): RequestedTarget
  /** Whether the memory of this process has the answer of a query that was read before. */
  holds(query: string): boolean
  /** The same as `read` for a target that is parsed already. */
  named(target: Target): RequestedTarget
  /** Resolves when the answer is counted. Rejects with a `Problem`, a `StoreError` or `AnalysisUnavailable`. */
  answer(asking: Asking): Promise<Answered>
}

export function createAnswers(options: AnswersOptions): Answers {
  const { callers, policy, url_secret, cache_urls = true, counted } = options
  const hostResult = createHostResults(options.cache, target => cacheKey(target, policy, url_secret?.()))
  const keeping = { ...options, hostResult }
  // Shared flights may store their results for others to find.
  const unkept = { ...keeping, cache: noCache, flights: singleFlight<Buffer>() }
  const channels = createChannels()

  const targets = createTargetReader(options.vetting, policy, url_secret)
  const partsFor = ({ url }: Target) => (url === null || cache_urls ? keeping : unkept)

  /** Gives an answer that is there already, and counts it in one step. */
  async function charged(
    charge: NonNullable<Callers['charge']>,
    asking: Asking,
    { bytes }: CachedResult,
  ): Promise<Answered> {
    const { key } = asking
    const noted = asking.noted?.('HIT')
    if (noted instanceof Promise) await noted
    const usage = await charge(key, asking.exceeded)
    counted?.(key)
    options.history?.note(key.account, bytes)
    return { bytes, origin: 'HIT', usage }
  }

  return {
    read: targets.read,
    holds(query) {
      const requested = targets.remembered(query)
      if (requested === undefined || requested.fresh) return false
      return partsFor(requested.target).cache.peek(requested.name) !== null
    },
    named: target => requestedTarget(target, cacheKey(target, policy, url_secret?.())),
    async answer(asking) {
      const { key, began, listener } = asking
      const { target, name, fresh } = asking.requested
      const parts = partsFor(target)
      const found = fresh ? null : parts.cache.get(name)
      const kept = found instanceof Promise ? await found : found
      // An answer that is stored before it is counted is reserved first: a reserved one is counted, also while the store is down.
      if (kept !== null && asking.kept === undefined && callers.charge !== undefined)
        return charged(callers.charge, asking, kept)
      const grant = await callers.reserve(key, asking.exceeded)
      try {
        const flight = flightOf(parts.flights, asking.requested)
        const { background = false } = asking
        const lane = background ? `${key.id} background` : key.id
        const attempted = kept === null && !parts.flights.has(flight) ? parts.gate.attempt(lane, background) : undefined
        if (attempted instanceof Promise) await attempted
        const noted = asking.noted?.(kept ? 'HIT' : 'MISS')
        if (noted instanceof Promise) await noted
        const named = { target, name, flight, key: lane, background, began, listener }
        const { bytes, origin } = kept
          ? { bytes: kept.bytes, origin: 'HIT' as const }
          : await asking.until(left => look(parts, channels, named, left))
        await asking.kept?.({ bytes, origin })
        const usage = await grant.commit()
        counted?.(key)
        options.history?.note(key.account, bytes)
        return { bytes, origin, usage }
      } catch (error) {
        // A client that disconnects pays for the work: requests must not be free by disconnecting.
        if (asking.gone()) {
          await grant.commit()
          counted?.(key)
        }
        throw error
      } finally {
        const released = grant.release()
        if (released instanceof Promise) await released
      }
    },
  }
}

interface Parts extends AnswersOptions {
  readonly hostResult: ReturnType<typeof createHostResults>
}

/** For URLs whose results the operator does not want to be kept. */
const noCache: ResultCache = {
  get: () => null,
  peek: () => null,
  getStale: () => null,
  put: () => {},
  lifetime: () => 0,
  size: 0,
}

type HostResult = NonNullable<Given['host_result']>
type KeptResult = Omit<HostResult, 'signals'> & { readonly signal_details: HostResult['signals'] }

/** Finds the cached result of the front page of a URL's host. Resolves with null when there is none. */
const createHostResults =
  (cache: ResultCache, nameOf: (target: Target) => string) =>
  async (target: Target): Promise<HostResult | null> => {
    const kept = await cache.get(nameOf({ ...target, url: null, visit: true }))
    if (kept === null) return null
    const result = JSON.parse(finishBody(kept.bytes, 0, true)) as KeptResult
    const { verdict, risk_score, threat_types, checked_at, signal_details } = result
    const signals = signal_details.map(({ id, group, points, floor, title }) => ({ id, group, points, floor, title }))
    return { verdict, risk_score, threat_types, signals, checked_at }
  }

interface NamedRequest extends CheckRequest {
  /** Key of the result in the cache. */
  readonly name: string
  /** Key of the analysis, which all requests with that key share. */
  readonly flight: string
  readonly listener: Listener | null
}

/**
 * A fresh analysis joins a running one. Otherwise it has a key of its own: the first of a shared flight looks for a result that
 * another instance has just cached, which a fresh analysis must not get.
 */
const flightOf = (flights: Pick<ResultFlights, 'has'>, { name, fresh }: RequestedTarget): string =>
  fresh && !flights.has(name) ? `${name} fresh` : name

interface Served {
  readonly bytes: Buffer
  readonly origin: Origin
}

/**
 * Analyses the target. While the service itself cannot check, returns the last complete result, unless that says `safe` and
 * a local feed lists the target now.
 */
async function look(options: Parts, channels: Channels, asked: NamedRequest, left: AbortSignal): Promise<Served> {
  try {
    return { bytes: await analyse(options, channels, asked, left), origin: 'MISS' }
  } catch (error) {
    if (!(error instanceof AnalysisUnavailable)) throw error
    const last = await options.cache.getStale(asked.name)
    if (last === null || (error.listed && isSafe(last.bytes))) throw error
    return { bytes: last.bytes, origin: 'STALE' }
  }
}

/** `bytes` are a prepared body: JSON without the members that differ by request. */
const isSafe = (bytes: Buffer): boolean => bytes.includes('"verdict":"safe"')

/** Joins the running analysis of this target or starts one if there is room, and caches its result. */
async function analyse(
  { checker, cache, flights, gate, watch, history, hostResult }: Parts,
  channels: Channels,
  { target, name, flight, key, background = false, began, listener }: NamedRequest,
  left: AbortSignal,
): Promise<Buffer> {
  const channel = channels.subscribe(name, listener)
  const observe = (analysis: Analysis) => watch?.(analysis, channel.emit)
  let isOwn = false
  const begin = async (signal: AbortSignal, put = cache.put) => {
    isOwn = true
    const host_result = target.url === null ? null : await hostResult(target)
    const given = host_result === null ? {} : { host_result }
    const check = (left_ms: number) => checker.check(target, { signal, left_ms, observe, given, client: key })
    const {
      result,
      class: kind,
      provisional = false,
    } = await gate.run({ key, background, target, began }, check, signal)
    const keeps = history !== null && isKept(target) && !provisional
    const bytes = prepareBody(result, keeps ? newResultId() : null)
    await put(name, bytes, kind)
    history?.met(target, Date.parse(String(result['checked_at'])))
    return bytes
  }
  try {
    for (;;) {
      try {
        return await flights.run(flight, begin, left)
      } catch (error) {
        // The key that started it was refused because of its own other requests: this key may have room.
        if (isOwn || !isOfKey(error)) throw error
        await gate.attempt(key, background)
      }
    }
  } finally {
    channel.unsubscribe()
  }
}

/** Codes of refusals that concern one key and not others that request the same target. */
const codesOfKey: readonly string[] = ['rate-limited', 'overloaded', 'target-busy']

const isOfKey = (error: unknown): boolean => error instanceof Problem && codesOfKey.includes(error.code)
