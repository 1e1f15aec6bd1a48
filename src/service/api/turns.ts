// Turns of uncached checks: callers of one flight share a run, in this process and with others, and a run starts when its key and its
// target have room. What the processes agree on is in the claims of the store; this file claims, waits, renews and ends.
import { randomUUID } from 'node:crypto'
import type { Expression, RawBuilder } from 'kysely'
import type { QueueFigures } from '../../base/scheduler/queue.ts'
import { singleFlight } from '../../base/single_flight.ts'
import {
  type Beside,
  type ClaimAdvance,
  type ClaimAnswer,
  type ClaimState,
  type Claims,
  RENEWAL_MS,
  type Step,
} from '../../store/sql/claims.ts'
import { rateLimited } from './limits.ts'
import { overloadProblem, Problem } from './problem.ts'

/** Longest wait for a target, in milliseconds: the rest of the deadline must leave room for a whole check. */
export const WAIT_MS = 3_000
/** Most claims that wait or follow in this process: each takes some 10 KiB. */
const WAITING_MAX = 2_000

export interface TurnRequest<T> {
  /** What is checked; callers with the same share a run. Hashed, because the names of links are private. */
  readonly flight: string
  /** The registrable domain or address, whose owner bears so many checks. */
  readonly target: string
  /** What the limits of a key count under. */
  readonly key: string
  /** Nobody waits for it: all others come first. */
  readonly background?: boolean
  /** Joins a run in progress, but takes no result of one that ended before. */
  readonly fresh?: boolean
  readonly signal: AbortSignal
  /** Milliseconds to wait for a slot at the target, if less than the general limit. */
  readonly wait_ms: number
  /** Reads the result that another process has stored; null when there is none. */
  readStored(): Promise<T | null>
  /**
   * Read with the claim, in the same round trip: a kept result, which is answered without a run when `found` is 1 and `read` accepts
   * the row, and what else `work` needs to know.
   */
  readonly beside?: { readonly query: Expression<Beside>; read(row: Beside): Promise<T | null> } | null
}

export interface Lead {
  /** Call when the result is where `readStored` of others reads it: others go on at once, and the slot is free. */
  stored(): void
  /**
   * An expression that ends the claim when the statement that stores the result commits, which spares a round trip; `stored` is
   * called after that. Null when the claims are in another database.
   */
  ending(): RawBuilder<unknown> | null
  /** The row that was read with the claim. */
  readonly beside: Beside | null
  /** Milliseconds until it was the turn, with the round trips of the claim. */
  readonly waited_ms: number
}

export type LeadWork<T> = (signal: AbortSignal, lead: Lead) => Promise<T>

export interface CheckTurns<T> {
  /**
   * Resolves with the value of `work`, of a running one of the same flight, or of `readStored`. When the caller's signal aborts, only this
   * caller is rejected; when no caller is left, the run's own signal aborts. Rejects with a `Problem` (`rate-limited`, `overloaded`,
   * `target-busy`) when there is no room, and with a StoreError when the store is away.
   */
  run(request: TurnRequest<T>, work: LeadWork<T>): Promise<T>
  /** Whether this process has a run of the flight, which costs nothing to join. */
  has(flight: string): boolean
  /** Runs of this process, including those that wait. */
  readonly size: number
  /** Claims of this process that run, wait for their target and were refused there. */
  figures(): QueueFigures
  /** Ends what is left to end. */
  close(): Promise<void>
}

export interface TurnsOptions {
  readonly claims: Claims
  readonly monotonic: () => number
  readonly wait_ms?: number
}

type ClaimOutcome = ClaimState | 'lost' | 'late'

/** A claim whose change this process waits for: an own one, or one that it follows. */
interface ClaimWatch {
  /** Where an own claim waits; null for one that is followed. */
  readonly target: string | null
  tell(state: ClaimOutcome): void
  fail(error: unknown): void
}

interface PendingClaim {
  readonly answer: ClaimAnswer
  /** What becomes of the claim that waits, or of the one to follow. */
  readonly outcome: Promise<ClaimOutcome> | null
}

/** The turns of this process, on the claims that it shares with others. */
export class ClaimedTurns<T> implements CheckTurns<T> {
  readonly #claims: Claims
  readonly #monotonic: () => number
  readonly #longest_ms: number
  readonly #local = singleFlight<T>()
  readonly #running = new Set<string>()
  readonly #watches = new Map<string, ClaimWatch>()
  /** When a target is asked again. */
  readonly #again = new Map<string, NodeJS.Timeout>()
  /** Flights that nobody waits for yet. */
  readonly #quiet = new Set<string>()
  /** Changes that arrive before the reply to the claim they concern. */
  readonly #early = new Map<string, ClaimState>()
  readonly #unanswered = new Set<Promise<unknown>>()
  #asking = 0
  #beat: NodeJS.Timeout | undefined
  #poll: NodeJS.Timeout | undefined
  #isRenewing = false
  readonly #counts = { started: 0, refused: 0, waited_ms: 0 }

  constructor({ claims, monotonic, wait_ms = WAIT_MS }: TurnsOptions) {
    this.#claims = claims
    this.#monotonic = monotonic
    this.#longest_ms = wait_ms
    claims.listen((id, state) => this.#hear(id, state))
  }

  async run(request: TurnRequest<T>, work: LeadWork<T>): Promise<T> {
    const { flight, background = false, wait_ms, signal } = request
    const until = this.#monotonic() + Math.min(wait_ms, this.#longest_ms)
    for (;;) {
      let isOwn = false
      if (!background && this.#quiet.has(flight)) this.#hasten(request).catch(() => {})
      const begin = (signal: AbortSignal) => {
        isOwn = true
        if (background) this.#quiet.add(flight)
        return this.#fly(request, until, signal, work).finally(() => this.#quiet.delete(flight))
      }
      try {
        return await this.#local.run(flight, begin, signal)
      } catch (error) {
        // The key that started it was refused because of its own other requests: this key may have room.
        if (isOwn || !isOfKey(error)) throw error
      }
    }
  }

  has(flight: string): boolean {
    return this.#local.has(flight)
  }

  get size(): number {
    return this.#local.size
  }

  figures(): QueueFigures {
    const waiting = [...this.#watches.values()].filter(({ target }) => target !== null).length
    return { running: this.#running.size, waiting, ...this.#counts }
  }

  async close(): Promise<void> {
    await Promise.all(this.#unanswered)
    clearInterval(this.#beat)
    clearTimeout(this.#poll)
    for (const timer of this.#again.values()) clearTimeout(timer)
  }

  #hear(id: string, state: ClaimState): void {
    if (this.#asking > 0) this.#early.set(id, state)
    this.#watches.get(id)?.tell(state)
  }

  #keepAlive(): void {
    const isBusy = this.#running.size + this.#watches.size > 0
    if (isBusy) this.#beat ??= setInterval(() => void this.#renew(), RENEWAL_MS)
    else {
      clearInterval(this.#beat)
      this.#beat = undefined
    }
    if (this.#watches.size > 0) this.#poll ??= setTimeout(() => void this.#look(), this.#claims.poll_ms)
  }

  async #look(): Promise<void> {
    if (!this.#claims.hears && this.#watches.size > 0) await this.#refresh([]).catch(() => {})
    this.#poll = undefined
    this.#keepAlive()
  }

  async #refresh(own: readonly string[]): Promise<void> {
    const watches = [...this.#watches]
    const states = await this.#claims.renew(
      own,
      watches.map(([id]) => id),
    )
    const present = ([id, watch]: readonly [string, ClaimWatch]) => this.#watches.get(id) === watch
    for (const [id, watch] of watches.filter(present)) watch.tell(states.get(id) ?? 'lost')
  }

  async #renew(): Promise<void> {
    if (this.#isRenewing) return
    this.#isRenewing = true
    const watches = [...this.#watches]
    try {
      await this.#refresh([...this.#running, ...watches.filter(([, { target }]) => target !== null).map(([id]) => id)])
    } catch (error) {
      for (const [id, watch] of watches) if (this.#watches.get(id) === watch) watch.fail(error)
    }
    this.#isRenewing = false
  }

  /** Resolves when the claim has changed: an own one no longer waits, or one that is followed has ended. */
  #changed(id: string, target: string | null, signal: AbortSignal, waitMs: number): Promise<ClaimOutcome> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const isOwn = target !== null
      const settle = (end: () => void) => {
        this.#watches.delete(id)
        clearTimeout(timer)
        signal.removeEventListener('abort', cancel)
        this.#keepAlive()
        end()
      }
      const cancel = () => settle(() => reject(signal.reason))
      const timer = isOwn ? setTimeout(() => settle(() => resolve('late')), Math.max(0, waitMs)) : undefined
      const watch: ClaimWatch = {
        target,
        tell(state) {
          if (state !== 'waiting' && (isOwn || state !== 'running')) settle(() => resolve(state))
        },
        fail: error => settle(() => reject(error)),
      }
      signal.addEventListener('abort', cancel, { once: true })
      this.#watches.set(id, watch)
      this.#keepAlive()
      const earlyState = this.#early.get(id)
      if (earlyState !== undefined) watch.tell(earlyState)
    })
  }

  #waitsAt(target: string): boolean {
    return [...this.#watches.values()].some(watch => watch.target === target)
  }

  /** Asks for a target again after some time: slots become free by time alone, or when a process dies. */
  #schedule(target: string, ms: number): void {
    clearTimeout(this.#again.get(target))
    this.#again.delete(target)
    if (!this.#waitsAt(target)) return
    const ask = () => {
      this.#again.delete(target)
      if (this.#waitsAt(target)) this.#advance({ target }).catch(() => this.#schedule(target, RENEWAL_MS))
    }
    this.#again.set(target, setTimeout(ask, ms))
  }

  #learn(target: string, { changes, wait_ms }: ClaimAdvance): void {
    for (const [id, state] of changes) this.#hear(id, state)
    this.#schedule(target, wait_ms)
  }

  async #advance(step: Step): Promise<ClaimAdvance> {
    const claimAdvance = await this.#claims.advance(step)
    this.#learn(step.target, claimAdvance)
    return claimAdvance
  }

  /** Ends a claim without waiting for the reply: one that is lost ends by itself. */
  #end(target: string, id: string, state: 'kept' | 'ended'): void {
    const ending = this.#advance({ target, end: { id, state } }).catch(() => {})
    this.#unanswered.add(ending)
    void ending.then(() => this.#unanswered.delete(ending))
  }

  async #ask(
    id: string,
    { flight, target, key }: TurnRequest<T>,
    fresh: boolean,
    until: number,
    signal: AbortSignal,
    beside: Expression<Beside> | null,
  ): Promise<PendingClaim> {
    this.#asking += 1
    try {
      const background = this.#quiet.has(flight)
      const answer = await this.#claims.claim({ id, flight, target, key, background, fresh, beside })
      const { leader, state } = answer
      const isWaiting = state === 'waiting'
      const outcome =
        leader === null && !isWaiting
          ? null
          : this.#changed(leader ?? id, isWaiting ? target : null, signal, until - this.#monotonic())
      outcome?.catch(() => {})
      if (answer.beside?.found !== 1) this.#learn(target, answer)
      return { answer, outcome }
    } finally {
      this.#asking -= 1
      if (this.#asking === 0) this.#early.clear()
    }
  }

  async #fly(request: TurnRequest<T>, until: number, signal: AbortSignal, work: LeadWork<T>): Promise<T> {
    const { target, fresh: wantsFresh = false } = request
    let beside = request.beside?.query ?? null
    const began = this.#monotonic()
    for (let fresh = wantsFresh; ; ) {
      signal.throwIfAborted()
      if (this.#watches.size >= WAITING_MAX) throw overloadProblem()
      const id = randomUUID()
      const { answer, outcome } = await this.#ask(id, request, fresh, until, signal, beside)
      if (answer.beside?.found === 1) {
        const result = (await request.beside?.read(answer.beside)) ?? null
        if (result !== null) return result
        beside = null
      } else if (answer.leader !== null) {
        const claimOutcome = await outcome
        const isThere = claimOutcome === 'kept' || (claimOutcome === 'lost' && !wantsFresh)
        const result = isThere ? await request.readStored() : null
        if (result !== null) return result
        // What another keeps meanwhile is found by the next claim. What was kept and is not there has to be made anew.
        if (claimOutcome === 'kept') fresh = true
      } else if (await this.#isTurn(id, request, answer, outcome)) {
        return this.#lead(id, target, signal, work, { beside: answer.beside, waited_ms: this.#monotonic() - began })
      }
    }
  }

  #busy(seconds: number): Problem {
    this.#counts.refused += 1
    return new Problem('target-busy', undefined, { 'Retry-After': `${seconds}` })
  }

  /** False when the claim was lost. Rejects when it is refused. */
  async #isTurn(
    id: string,
    { flight, target, key }: TurnRequest<T>,
    { state, retry_after }: ClaimAnswer,
    outcome: PendingClaim['outcome'],
  ): Promise<boolean> {
    if (state === null) throw rateLimited(1)
    if (state === 'overloaded') throw overloadProblem()
    if (outcome === null) {
      if (state === 'running') return true
      throw this.#busy(retry_after)
    }
    try {
      const became = await outcome
      if (became === 'busy') throw this.#busy(retry_after)
      if (became !== 'late') return became === 'running'
      const last = await this.#advance({ target, withdraw: { id, key, background: this.#quiet.has(flight) } })
      if (last.state === 'running') return true
      throw this.#busy(last.retry_after)
    } catch (error) {
      if (!(error instanceof Problem)) this.#end(target, id, 'ended')
      throw error
    }
  }

  async #lead(
    id: string,
    target: string,
    signal: AbortSignal,
    work: LeadWork<T>,
    claim: Pick<Lead, 'beside' | 'waited_ms'>,
  ): Promise<T> {
    let [isOpen, endsItself] = [true, false]
    this.#running.add(id)
    this.#counts.started += 1
    this.#counts.waited_ms += claim.waited_ms
    this.#keepAlive()
    const finish = (state: 'kept' | 'ended') => {
      if (!isOpen) return
      isOpen = false
      this.#running.delete(id)
      this.#keepAlive()
      if (state === 'ended' || !endsItself) this.#end(target, id, state)
    }
    const ending = () => {
      const expression = this.#claims.ending(target, id)
      endsItself = expression !== null
      return expression
    }
    try {
      signal.throwIfAborted()
      return await work(signal, { stored: () => finish('kept'), ending, ...claim })
    } finally {
      finish('ended')
    }
  }

  /** Someone waits for a flight that began in the background: its claim no longer comes last. */
  async #hasten({ flight, target, key }: TurnRequest<T>): Promise<void> {
    this.#quiet.delete(flight)
    const id = randomUUID()
    const { state } = await this.#claims.claim({ id, flight, target, key, background: false, fresh: true })
    if (state !== null) this.#end(target, id, 'ended')
  }
}

/** Codes of refusals that concern one key and not others that request the same target. */
const codesOfKey: readonly string[] = ['rate-limited', 'overloaded', 'target-busy']

const isOfKey = (error: unknown): boolean => error instanceof Problem && codesOfKey.includes(error.code)
