// A check kept as JSON: all evidence it saw, so that it can be analysed again without a network, to the same bytes.
import { Type } from 'typebox'
import type { Clock } from '../clock.ts'
import { isReason, NotApplicable, Unavailable } from '../evidence/facts.ts'
import { nullable } from '../nullable.ts'
import { parseTarget, type Target, unvetted } from '../targets/target.ts'
import type { Analysis, Gathered } from './analysis.ts'
import { faultLine } from './fault.ts'
import type { Hooks } from './hooks.ts'
import { fillDefaults } from './json_schema.ts'
import type { Extension } from './plugin.ts'

const FORMAT = 1

const orNull = nullable(Type.String())

/** What evidence is by itself, only its analyzers know. */
export const RecordingSchema = Type.Object({
  target: Type.Object({
    kind: Type.Enum(['domain', 'ip']),
    domain: orNull,
    ip: orNull,
    registrable: orNull,
    registered: orNull,
  }),
  checked_at: Type.String(),
  evidence: Type.Record(
    Type.String(),
    Type.Object({
      status: Type.Enum(['gathered', 'unavailable', 'not_applicable', 'failed']),
      reason: Type.Optional(Type.String()),
    }),
  ),
  durations: Type.Object({
    check: Type.Number({ minimum: 0 }),
    sections: Type.Record(Type.String(), Type.Number({ minimum: 0 })),
  }),
})

export interface Recording {
  readonly format: typeof FORMAT
  readonly target: Target
  /** ISO 8601 with milliseconds. */
  readonly checked_at: string
  /** Every kind that was asked for, with how it went. */
  readonly evidence: Readonly<Record<string, Gathered>>
  /** Milliseconds, as they stood in the result. */
  readonly durations: { readonly check: number; readonly sections: Readonly<Record<string, number>> }
}

/** What an ended analysis saw. */
export function record({ target, now, evidence, outcomes }: Analysis, process_time_ms: number): Recording {
  return {
    format: FORMAT,
    target,
    checked_at: now.toISOString(),
    evidence: Object.fromEntries([...evidence].sort(([a], [b]) => (a < b ? -1 : 1))),
    durations: {
      check: process_time_ms,
      sections: Object.fromEntries([...outcomes].map(([name, { duration_ms }]) => [name, duration_ms])),
    },
  }
}

/** Reads a recording's text. Throws an `Error` that says what is wrong with it. */
export function parseRecording(text: string): Recording {
  const recording = JSON.parse(text) as Partial<Recording> | null
  if (recording?.format !== FORMAT) throw new Error(`not a recording of format ${FORMAT}`)
  const [fault] = fillDefaults(RecordingSchema, recording, '').faults
  if (fault) throw new Error(`not a sound recording: ${faultLine(fault)}`)
  const { target, checked_at } = recording as Recording
  if (!isCanonical(target)) throw new Error('not a sound recording: target: names nothing that can be checked')
  if (Number.isNaN(Date.parse(checked_at))) throw new Error('not a sound recording: checked_at: is no time')
  for (const [name, gathered] of Object.entries((recording as Recording).evidence)) {
    const lack = lackOf(gathered)
    if (lack !== null) throw new Error(`not a sound recording: evidence.${name}: has no ${lack}`)
  }
  return recording as Recording
}

/** What replays it could not be told; without a value it would be gathered anew. */
function lackOf(gathered: Gathered): string | null {
  if (gathered.status === 'gathered') return (gathered.value ?? null) === null ? 'value' : null
  return isReason(gathered.reason) ? null : 'reason'
}

/** Where private addresses were allowed they may be recorded. */
function isCanonical({ kind, domain, ip, registrable, registered }: Target): boolean {
  const parsed = parseTarget({ domain, ip }, unvetted)
  if (!parsed.ok) return false
  const { target } = parsed
  // Which part of a name is registered changes with the PSL, and is as it was then.
  const isWhole = [registrable, registered].every(name => (name === null) === (domain === null))
  return isWhole && target.kind === kind && target.domain === domain && target.ip === ip
}

/**
 * The evidence of a recording, in place of any gatherer's, and times as they were. Applied before the gatherers, it
 * also keeps them from what the recording does not hold.
 */
export function replay(recording: Recording): { extension: Extension; clock: Clock } {
  const extension: Extension = {
    name: 'replay',
    description: 'Answers every question for evidence from a recording.',
    apply(hooks) {
      const answer = (name: string, hook: GatherHook): GatherHook => {
        hook.tapPromise({ name: 'replay', stage: -1 }, async () => settle(recording.evidence[name] ?? notRecorded))
        return hook
      }
      for (const name of Object.keys(recording.evidence)) answer(name, hooks.gather.for(name))
      hooks.gather.intercept({ factory: answer })
      hooks.compose.tap('replay', result => restoreDurations(result, recording))
    },
  }
  return { extension, clock: { now: () => Date.parse(recording.checked_at), monotonic: () => performance.now() } }
}

type GatherHook = ReturnType<Hooks['gather']['for']>

const notRecorded: Gathered = { status: 'unavailable', reason: 'not_recorded' }

function settle(gathered: Gathered): unknown {
  switch (gathered.status) {
    case 'gathered':
      return gathered.value
    case 'not_applicable':
      throw new NotApplicable(gathered.reason)
    case 'unavailable':
      throw new Unavailable(gathered.reason)
    default:
      throw new Error(gathered.reason)
  }
}

function restoreDurations(result: Record<string, unknown>, { durations }: Recording): Record<string, unknown> {
  const coverage = result['coverage'] as { sections: Record<string, { duration_ms: number }> }
  const sections = Object.fromEntries(
    Object.entries(coverage.sections).map(([name, one]) => [
      name,
      { ...one, duration_ms: durations.sections[name] ?? one.duration_ms },
    ]),
  )
  return { ...result, coverage: { ...coverage, sections } }
}
