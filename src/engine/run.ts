// The run of one check: its clock, its network and its evidence, and the end that closes them.
import { type Clock, systemClock } from '../base/clock.ts'
import { CPU_OVER, CpuQueue } from '../base/cpu_queue.ts'
import { faultLine } from '../base/fault.ts'
import { type Instruments, PROVED_INSTRUMENTS } from '../base/health/standing.ts'
import type { NoteWait } from '../base/scheduler/queue.ts'
import { withTimeout } from '../base/timeout.ts'
import type { Evidence, EvidenceName, GatherContext, Gatherers } from '../evidence/evidence.ts'
import { asDeclined, NOT_ANALYSED, NotApplicable, Unavailable } from '../evidence/facts.ts'
import type { CheckNetwork, CheckScope } from '../network/network.ts'
import type { Target } from '../targets/target.ts'
import type { Analysis, Defect, GatherOutcome, Outcome } from './analysis.ts'
import { addressesOf, isAnswered, suspectOf } from './coverage_guard.ts'
import { BrokenPlugin } from './explained.ts'
import { deepFreeze } from './freeze.ts'
import type { Hooks } from './hooks.ts'
import { schemaFault } from './json_schema.ts'
import type { Extension } from './plugin.ts'
import type { Registry } from './registry.ts'
import type { MissingSource } from './scoring/missing.ts'

export interface RunOptions {
  readonly registry: Registry
  /** Opens the check's network access. */
  readonly open: (scope: CheckScope) => CheckNetwork
  /** Milliseconds from start to answer, whatever is still missing then. */
  readonly deadline_ms: number
  readonly clock?: Clock
  /** The instruments that the check depends on; assumed proved when absent. */
  readonly instruments?: Instruments
  /** Expected sources that cannot be used now and that a check of the target would have used; none when absent. */
  readonly missing?: (target: Target) => readonly MissingSource[]
  /** Evidence that the caller already has; it is not gathered. */
  readonly given?: Partial<Evidence>
  /** Shares the CPU between the checks of all engines that have the same queue; each its own by default. */
  readonly cpu?: Pick<CpuQueue, 'open'>
  /** Who asks: clients get equal CPU time. */
  readonly client?: string
  /** Notes how long the check waited for each resource. */
  readonly waited?: NoteWait | undefined
}

/** Milliseconds of the deadline reserved for scoring and writing the answer. */
const CLOSING_MS = 250
/** The part of it for scoring and writing alone, when proofs of instruments take long. */
const ANSWER_MS = 50

/** Starts a run. It ends by itself at the deadline or when `signal` aborts. */
export function begin(hooks: Hooks, options: RunOptions, target: Target, signal?: AbortSignal) {
  const { open, deadline_ms, registry, clock = systemClock, instruments = PROVED_INSTRUMENTS, given = {} } = options
  const { cpu = new CpuQueue(), client = '', waited } = options
  const began = clock.monotonic()
  const budget = Math.max(0, deadline_ms - CLOSING_MS)
  const limit = createTimeLimit(budget, signal)
  const share = cpu.open(client)
  const lastStep = setTimeout(share.finish, Math.max(0, deadline_ms - ANSWER_MS))
  void limit.ended.then(reason => reason === 'cancelled' && share.end())
  const bounds = { signal: limit.signal, deadline: began + budget }
  const defects: Defect[] = []
  const now = new Date(clock.now())
  const proofs: Promise<void>[] = []
  // A resolver that was down may work again: a successful check must not be refused because of an earlier outage.
  if (instruments.resolver().state === 'down') proofs.push(instruments.suspect('resolver', []))
  const onSettled = (name: string, gatherOutcome: GatherOutcome) => {
    const suspect = suspectOf(name, gatherOutcome)
    const addresses = suspect === null ? [] : addressesOf({ target, evidence: probe.evidence })
    // Without an address to connect to, the way out cannot have failed.
    const isBlameless = suspect === 'way_out' && addresses.length === 0
    if (suspect !== null && !isBlameless) proofs.push(instruments.suspect(suspect, addresses))
  }
  const network = open({ ...bounds, proving: proof => void proofs.push(proof) })
  const base = { target, now, ...bounds, network, cpu: share, client, waited }
  const probe = createProbe(hooks, base, {
    endOfRun: limit.ended,
    defects,
    onSettled,
    given,
    complaints: registry.evidence,
  })
  const analysis: Analysis = {
    target,
    now,
    outcomes: pendingOutcomes(registry),
    defects,
    gather: probe.gather,
    cpu: share,
    evidence: probe.evidence,
    unread: new Set(),
    missing: options.missing?.(target) ?? [],
    elapsed: () => clock.monotonic() - began,
    left: () => deadline_ms - (clock.monotonic() - began),
  }
  /** Resolves when the instruments that this check made suspect are proved, or when its time is over. */
  const finishProofs = async () => {
    const wait = (proving: Promise<unknown>) => withTimeout(proving, Math.max(0, analysis.left() - ANSWER_MS))
    if (proofs.length > 0) await wait(Promise.all(proofs))
    // All queries were answered: a proof that started before the resolver worked again does not count.
    if (instruments.resolver().state === 'down' && isAnswered(probe.evidence))
      await wait(instruments.suspect('resolver', []))
  }
  /** Ends everything in progress and closes all that was opened. */
  const end = () => {
    clearTimeout(lastStep)
    share.end()
    waited?.('cpu', share.waited_ms)
    limit.end()
  }
  return { analysis, proved: finishProofs, end }
}

/** Outcomes in registration order, so that the result's bytes do not depend on timing. */
function pendingOutcomes({ analyzers }: Registry): Map<string, Outcome> {
  const none: Outcome = { status: 'failed', reason: 'no_outcome', section: null, signals: [], duration_ms: 0 }
  return new Map(analyzers.filter(({ enabled }) => enabled).map(({ analyzer }) => [analyzer.name, none]))
}

type EndReason = 'deadline' | 'cancelled'

/**
 * Ends after `after_ms`, when `signal` aborts, or on request; `ended` resolves with the reason in the first two cases.
 */
function createTimeLimit(afterMs: number, signal?: AbortSignal) {
  const controller = new AbortController()
  let settle: (reason: EndReason) => void = () => {}
  const endOfRun = new Promise<EndReason>(resolve => {
    settle = resolve
  })
  const stop = (reason: EndReason) => {
    settle(reason)
    controller.abort(reason)
  }
  const cancel = () => stop('cancelled')
  const timer = setTimeout(stop, afterMs, 'deadline')
  if (signal?.aborted) cancel()
  signal?.addEventListener('abort', cancel, { once: true })
  const end = () => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', cancel)
    // Has a reason because the default reason is an error with a stack, which is slower to create than a DNS query.
    controller.abort('over')
  }
  return { signal: controller.signal, ended: endOfRun, end }
}

export interface ProbeOptions {
  /** Settles when the check's time is over. */
  readonly endOfRun: Promise<'deadline' | 'cancelled'>
  readonly defects: Defect[]
  /** Called with the outcome of each kind of evidence. */
  readonly onSettled: (name: string, gatherOutcome: GatherOutcome) => void
  readonly given: Partial<Evidence>
  /** Validators by kind of evidence. */
  readonly complaints: Registry['evidence']
}

/** `base` is the gatherers' context without access to other evidence. */
export function createProbe(
  hooks: Hooks,
  base: Omit<GatherContext, 'gather' | 'shared' | 'rest'>,
  { endOfRun, defects, onSettled, given, complaints }: ProbeOptions,
) {
  const gatherings = new Map<string, Promise<GatherOutcome>>()
  const evidence = new Map<string, GatherOutcome>()
  /** Kinds that the result should not wait for. */
  const dispensable = new Set<string>()
  let restIsIn = () => {}
  const rest = new Promise<void>(resolve => {
    restIsIn = resolve
  })
  const noteRest = () => {
    const isIn = [...gatherings.keys()].every(name => evidence.has(name) || dispensable.has(name))
    if (dispensable.size > 0 && isIn) restIsIn()
  }
  const context: GatherContext = {
    shared: new Map(),
    ...base,
    gather: async name => unwrap(await gather(name)) as Evidence[typeof name],
    rest(name) {
      dispensable.add(name)
      // The analyzers request their evidence one after another, in one turn of the event loop.
      setImmediate(noteRest)
      return rest
    },
  }

  async function run(name: string): Promise<GatherOutcome> {
    try {
      const value = given[name as EvidenceName] ?? (await hooks.gather.for(name).promise(context))
      // Evidence is never null: for analyzers, null means missing.
      if (value === undefined || value === null) throw new Error(`no gatherer returned "${name}"`)
      const complaint = complaints[name]?.(value) ?? null
      if (complaint !== null)
        throw new BrokenPlugin(
          'invalid_evidence',
          `its schema does not allow it: ${faultLine(schemaFault(name, complaint))}`,
        )
      return { status: 'gathered', value: deepFreeze(value) }
    } catch (error) {
      const declined = asDeclined(error === CPU_OVER ? new Unavailable(NOT_ANALYSED) : error)
      if (declined) return declined
      defects.push({ plugin: name, stage: 'gather', error })
      return { status: 'failed', reason: error instanceof BrokenPlugin ? error.reason : 'gatherer_failed' }
    }
  }

  /** Never rejects. Evidence that has not arrived by the deadline is unavailable. */
  function gather<Name extends EvidenceName>(name: Name): Promise<GatherOutcome<Evidence[Name]>> {
    let promise = gatherings.get(name)
    if (!promise) {
      const late = endOfRun.then((reason): GatherOutcome => ({ status: 'unavailable', reason }))
      promise = Promise.race([run(name), late]).then(outcome => {
        evidence.set(name, outcome)
        noteRest()
        onSettled(name, outcome)
        return outcome
      })
      gatherings.set(name, promise)
    }
    return promise as Promise<GatherOutcome<Evidence[Name]>>
  }

  return { gather, evidence }
}

function unwrap(gatherOutcome: GatherOutcome): unknown {
  if (gatherOutcome.status === 'gathered') return gatherOutcome.value
  throw gatherOutcome.status === 'not_applicable'
    ? new NotApplicable(gatherOutcome.reason)
    : new Unavailable(gatherOutcome.reason)
}

export const gatherersExtension = (gatherers: Gatherers): Extension => ({
  name: 'gatherers',
  description: 'Gathers the evidence about a target: DNS, mail, TLS, the page, its location.',
  apply(hooks) {
    for (const [name, gather] of Object.entries(gatherers)) {
      hooks.gather.for(name).tapPromise('gatherers', gather)
    }
  },
})
