// One answer, whoever asks for it: get the result from the cache or a check, count it, note it.
import { hash } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import type { NoteWait } from '../../base/scheduler/queue.ts'
import type { Usage } from '../../config/quota_rule.ts'
import type { Analysis } from '../../engine/analysis.ts'
import { AnalysisUnavailable } from '../../engine/analysis.ts'
import type { CheckResult, ReusedEvidence } from '../../engine/engine.ts'
import { type FirstMeeting, historyTarget, isKept, type KeptPicture, newResultId } from '../../store/history.ts'
import { finishedResult, prepareBody } from '../../store/result_body.ts'
import { type CachedResult, cacheKey } from '../../store/result_cache.ts'
import type { Beside } from '../../store/sql/claims.ts'
import type { Recording } from '../../store/sql/quota.ts'
import { keptOf, type Lookup, type Results } from '../../store/sql/results.ts'
import type { Key } from '../../store/store.ts'
import type { Target, Vetting } from '../../targets/target.ts'
import type { Callers } from './callers.ts'
import type { Begin, CheckGate, CheckRequest } from './limits.ts'
import { type Channels, createChannels, type ProgressListener, type SectionWatch } from './progress.ts'
import type { Origin, Waits } from './request_state.ts'
import { createTargetReader, type RequestedTarget, requestedTarget } from './target_reader.ts'
import type { CheckTurns, Lead } from './turns.ts'

/** What answers need of the results that are kept. */
export type AnswerResults = Pick<Results, 'get' | 'peek' | 'getStale' | 'put' | 'note'> & {
  /** Null when no other process has results. */
  lookup(...of: Parameters<Results['lookup']>): Lookup | null
}

interface CheckerOptions {
  readonly signal: AbortSignal
  readonly left_ms?: number
  /** Evidence that need not be gathered. */
  readonly given?: ReusedEvidence
  readonly observe?: (analysis: Analysis) => void
  /** Clients get equal CPU time. */
  readonly client?: string
  readonly waited?: NoteWait
}

/** The engine as the API uses it. Rejects with `AnalysisUnavailable`, or when `signal` aborts. */
export interface Checker {
  check(target: Target, options: CheckerOptions): Promise<CheckResult>
}

export interface AnswersOptions {
  readonly callers: Pick<Callers, 'requireRoom' | 'charge'>
  readonly checker: Checker
  readonly results: AnswerResults
  /** Running analyses: all requests for the same target share one, and each waits for its turn. */
  readonly turns: Pick<CheckTurns<ServedResult>, 'run' | 'has'>
  /** Limits the checks of this process. */
  readonly gate: CheckGate
  /** Names the weights in force: a result under another policy is another result. */
  readonly policy: string
  /** Which targets may be checked. */
  readonly vetting: Vetting
  /** Makes the cache keys of URLs unreadable; all instances that share a cache have the same. Of this process by default. */
  readonly url_secret?: () => Buffer
  /** Whether results are kept for the accounts that saw them. */
  readonly keeps_history?: boolean
  /** The octets of a picture that a check has just taken, by its SHA-256 in hex; there are none when absent. */
  readonly picture?: ((sha256: string) => Buffer | null) | undefined
  /** How many answers one with a rendered page counts as; one by default. */
  readonly render_price?: number
  /** Whether results of URLs are cached; true by default. */
  readonly cache_urls?: boolean
  /** Emits the progress of an analysis; without it a stream holds only the result. */
  readonly watch?: SectionWatch['watch']
  /** Called for each answer that the quota counted, also when the client disconnected. */
  readonly onCount?: (key: Key) => void
  readonly clock: Clock
}

/** A request for an answer, and its callbacks. */
export interface Asking {
  readonly key: Key
  readonly requested: RequestedTarget
  /** When the request arrived, on the monotonic clock. */
  readonly began: number
  readonly listener: ProgressListener | null
  /** Nobody waits for it: checks of requests come first, and the limits of the key count it apart from them. */
  readonly background?: boolean
  /** Stores the answer in the transaction that counts it. When it rejects, nothing is counted, and the answer rejects with the same. */
  record?(answer: Pick<CheckAnswer, 'bytes' | 'origin'>): Promise<Recording>
  /** Where the result will come from, before a check starts. */
  noted?(origin: 'HIT' | 'MISS'): void | Promise<void>
  /** Called with the quota when it is used up. */
  exceeded?(usage: Usage): void
  /** Runs `work` with a signal that aborts when nobody waits for the answer any more. */
  until<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>
  /** Whether nobody waits any more. */
  isAbandoned(): boolean
}

export interface CheckAnswer {
  /** The body without the members that differ by request. */
  readonly bytes: Buffer
  readonly origin: Origin
  /** What the check waited for. */
  readonly waits?: Waits | undefined
  /** Null when `record` had stored it before: then it was counted then. */
  readonly usage: Usage | null
}

/** The whole result as an object. `elapsed_ms` is an integer. */
export const resultOf = (
  { bytes, origin }: Pick<CheckAnswer, 'bytes' | 'origin'>,
  elapsedMs: number,
): Record<string, unknown> => finishedResult(bytes, elapsedMs, origin !== 'MISS', origin === 'STALE')

export type Answers = ReturnType<typeof createAnswers>

export function createAnswers(options: AnswersOptions) {
  const { callers, policy, url_secret, cache_urls = true, render_price = 1, onCount } = options
  const hostResult = createHostResults(options.results, target => cacheKey(target, policy, url_secret?.()))
  const keeping = { ...options, hostResult }
  const unkept = { ...keeping, results: noResults }
  const channels = createChannels()

  const targets = createTargetReader(options.vetting, policy, url_secret)
  const priceOf = ({ requested: { target } }: Asking): number => {
    if (target.test !== undefined) return 0
    return target.render ? render_price : 1
  }
  const partsFor = ({ url }: Target) => (url === null || cache_urls ? keeping : unkept)

  /** Counts an answer. */
  async function charge(asking: Asking, answer: Pick<CheckAnswer, 'bytes' | 'origin'>): Promise<Usage | null> {
    const { key } = asking
    const usage = await callers.charge(key, asking.exceeded, await asking.record?.(answer), priceOf(asking))
    if (usage !== null && priceOf(asking) > 0) onCount?.(key)
    return usage
  }

  async function answerCached(asking: Asking, { bytes }: CachedResult): Promise<CheckAnswer> {
    await asking.noted?.('HIT')
    const usage = await charge(asking, { bytes, origin: 'HIT' })
    options.results.note(asking.key.account, bytes)
    return { bytes, origin: 'HIT', usage }
  }

  async function runCheck(parts: AnswerParts, asking: Asking): Promise<CheckAnswer> {
    const { key, began, listener, background = false } = asking
    const { target, name, fresh } = asking.requested
    // No work for an answer that cannot be counted.
    if (priceOf(asking) > 0) callers.requireRoom(key, asking.exceeded)
    let isCharged = false
    try {
      const lane = background ? `${key.id} background` : key.id
      const cachedResult = parts.turns.has(flightOf(name))
        ? null
        : await keptWithoutRoom(parts, asking.requested, lane, background)
      if (cachedResult !== null) {
        isCharged = true
        return await answerCached(asking, cachedResult)
      }
      await asking.noted?.('MISS')
      const namedRequest = { target, name, fresh, key: lane, account: key.account, background, began, listener }
      const { bytes, origin, waits } = await asking.until(abandonment =>
        look(parts, channels, namedRequest, abandonment),
      )
      isCharged = true
      const usage = await charge(asking, { bytes, origin })
      options.results.note(key.account, bytes)
      return { bytes, origin, waits, usage }
    } catch (error) {
      // A client that disconnects pays for the work: requests must not be free by disconnecting. A charge that failed may have been
      // counted, and is never sent again.
      if (!isCharged && asking.isAbandoned()) {
        await callers.charge(key, asking.exceeded, undefined, priceOf(asking))
        onCount?.(key)
      }
      throw error
    }
  }

  return {
    /** Parses a query string. Throws a `Problem` when it names no valid target. */
    read: targets.read,
    /** The same as `read` for a target that is parsed already. */
    requestOf: (target: Target) => requestedTarget(target, cacheKey(target, policy, url_secret?.())),
    /** Resolves when the answer is counted. Rejects with a `Problem`, a `StoreError` or `AnalysisUnavailable`. */
    async answer(asking: Asking) {
      const { target, name, fresh } = asking.requested
      const parts = partsFor(target)
      // The claim of a check reads what the store keeps; a stream says where its result comes from before the check starts.
      const get = asking.listener === null ? parts.results.peek : parts.results.get
      const cachedResult = fresh ? null : await get(name)
      return cachedResult === null ? runCheck(parts, asking) : answerCached(asking, cachedResult)
    },
  }
}

interface AnswerParts extends AnswersOptions {
  readonly hostResult: ReturnType<typeof createHostResults>
}

/** For URLs whose results the operator does not want to be kept. */
const noResults: AnswerResults = {
  get: () => null,
  peek: () => null,
  lookup: () => null,
  getStale: async () => null,
  put: async () => {},
  note: () => {},
}

/** Null when this process has room for a check. Throws a `Problem` when it has none and there is no result that needs none. */
async function keptWithoutRoom(
  { gate, results }: AnswerParts,
  { name, fresh }: RequestedTarget,
  lane: string,
  background: boolean,
): Promise<CachedResult | null> {
  try {
    gate.attempt(lane, background)
    return null
  } catch (refusal) {
    const cachedResult = fresh ? null : await results.get(name)
    if (cachedResult === null) throw refusal
    return cachedResult
  }
}

type HostResult = NonNullable<ReusedEvidence['host_result']>
type HostMembers = Omit<HostResult, 'signals'> & { readonly signal_details: HostResult['signals'] }

/** Finds the cached result of the front page of a URL's host. Resolves with null when there is none. */
const createHostResults =
  (results: AnswerResults, nameOf: (target: Target) => string) =>
  async (target: Target): Promise<HostResult | null> => {
    const cachedResult = await results.get(nameOf({ ...target, url: null, visit: true }))
    if (cachedResult === null) return null
    const result = finishedResult(cachedResult.bytes, 0, true) as unknown as HostMembers
    const { verdict, risk_score, threat_types, checked_at, signal_details } = result
    const signals = signal_details.map(({ id, group, points, floor, title }) => ({ id, group, points, floor, title }))
    return { verdict, risk_score, threat_types, signals, checked_at }
  }

interface NamedRequest extends CheckRequest {
  readonly target: Target
  /** Key of the result in the cache. */
  readonly name: string
  /** Whether a result that is there already must not be served. */
  readonly fresh: boolean
  readonly account: string
  readonly listener: ProgressListener | null
}

/** Names of links are private, and other processes read the flight. */
const flightOf = (name: string): string => hash('sha256', name, 'base64url')

/** A result, before it is counted. */
export interface ServedResult {
  readonly bytes: Buffer
  readonly origin: Origin
  readonly waits?: Waits
}

/**
 * Analyses the target. While the service itself cannot check, returns the last complete result, unless that says `safe` and
 * a local feed lists the target now.
 */
async function look(
  options: AnswerParts,
  channels: Channels,
  request: NamedRequest,
  abandonment: AbortSignal,
): Promise<ServedResult> {
  try {
    return await analyse(options, channels, request, abandonment)
  } catch (error) {
    if (!(error instanceof AnalysisUnavailable)) throw error
    const last = await options.results.getStale(request.name)
    if (last === null || (error.listed && finishedResult(last.bytes, 0, true)['verdict'] === 'safe')) throw error
    return { bytes: last.bytes, origin: 'STALE' }
  }
}

/** Joins the running analysis of this target or starts one when it is its turn, and keeps its result. */
async function analyse(
  parts: AnswerParts,
  channels: Channels,
  request: NamedRequest,
  abandonment: AbortSignal,
): Promise<ServedResult> {
  const { results, turns, gate } = parts
  const { target, name, fresh, key, background = false, began, listener } = request
  const channel = channels.subscribe(name, listener)
  const lookup = results.lookup(name, historyTarget(target), fresh)
  const read = async (row: Beside) => servedAs('HIT', (await lookup?.result(row)) ?? null)
  try {
    return await turns.run(
      {
        flight: flightOf(name),
        target: target.registrable ?? target.ip ?? '',
        key,
        background,
        fresh,
        signal: abandonment,
        wait_ms: gate.patienceOf(began),
        readStored: async () => servedAs('MISS', await results.get(name)),
        beside: lookup && { query: lookup.query, read },
      },
      async (signal, lead) => {
        const firstMeeting = lead.beside === null ? null : (lookup?.met(lead.beside) ?? null)
        const waits: Waits = { target: lead.waited_ms }
        const bytes = await check(parts, { ...request, met: firstMeeting, waits, emit: channel.emit }, lead, signal)
        return { bytes, origin: 'MISS', waits }
      },
    )
  } finally {
    channel.unsubscribe()
  }
}

const servedAs = (origin: Origin, cachedResult: CachedResult | null): ServedResult | null =>
  cachedResult && { bytes: cachedResult.bytes, origin }

/** What is known before a check starts, as its evidence tells it. */
function givenOf(hostResult: HostResult | null, firstMeeting: FirstMeeting | null): ReusedEvidence {
  const evidence = hostResult === null ? {} : { host_result: hostResult }
  if (firstMeeting === null) return evidence
  const timeOf = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`
  const firstSeen = { at: firstMeeting.at === null ? null : timeOf(firstMeeting.at), since: timeOf(firstMeeting.since) }
  return Object.assign(evidence, { first_seen: firstSeen })
}

/** The pictures that a result names, as far as they are still there. */
function picturesOf(
  result: Readonly<Record<string, unknown>>,
  picture: NonNullable<AnswersOptions['picture']>,
): KeptPicture[] {
  const rendered = result['rendered'] as { readonly screenshots?: readonly PictureFacts[] } | null | undefined
  return (rendered?.screenshots ?? []).flatMap(({ kind, media_type, sha256 }) => {
    const body = picture(sha256)
    return body === null ? [] : { kind, media_type, body }
  })
}

interface PictureFacts extends Pick<KeptPicture, 'kind' | 'media_type'> {
  readonly sha256: string
}

interface Analysing extends NamedRequest {
  /** When the target was first checked here, if that was read with the claim. */
  readonly met: FirstMeeting | null
  readonly waits: Waits
  readonly emit: ProgressListener
}

/** Runs a check when this process has room, and keeps its result. */
async function check(parts: AnswerParts, request: Analysing, lead: Lead, signal: AbortSignal): Promise<Buffer> {
  const { checker, results, gate, watch, keeps_history = false, hostResult, picture } = parts
  const { target, name, key, account, background = false, began, met: before, waits, emit } = request
  const ofHost = target.url === null ? null : await hostResult(target)
  const reuse = givenOf(ofHost, before)
  const observe = (analysis: Analysis) => watch?.(analysis, emit)
  const noteWait: NoteWait = (resource, ms) => {
    waits[resource] = (waits[resource] ?? 0) + ms
  }
  const run = ({ left_ms, waited_ms }: Begin) => {
    noteWait('slot', waited_ms)
    return checker.check(target, { signal, left_ms, observe, given: reuse, waited: noteWait, client: key })
  }
  const { result, class: kind, provisional = false } = await gate.run({ key, background, began }, run, signal)
  const keeps = keeps_history && isKept(target) && !provisional
  const bytes = prepareBody(result, keeps ? newResultId() : null)
  const entry = keeps ? keptOf(result) : null
  const meeting = { target: historyTarget(target), at: Date.parse(String(result['checked_at'])) }
  const pictures = entry === null || picture === undefined ? [] : picturesOf(result, picture)
  await results.put(name, bytes, kind, { kept: entry, pictures, met: meeting, account, claim: lead.ending })
  lead.stored()
  return bytes
}
