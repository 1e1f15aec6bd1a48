// A check as JSON: all its evidence, so that it can be analyzed again without a network, with an identical result.
import { isDeepStrictEqual } from 'node:util'
import { Type } from 'typebox'
import type { Clock } from '../base/clock.ts'
import { faultLine } from '../base/fault.ts'
import { nullable } from '../base/nullable.ts'
import { builtInEvidence } from '../evidence/evidence.ts'
import { isReason, NotApplicable, Unavailable } from '../evidence/facts.ts'
import { parseTarget, requestOf, type Target, unvetted } from '../targets/target.ts'
import type { Analysis, GatherOutcome } from './analysis.ts'
import type { Hooks } from './hooks.ts'
import { fillDefaults } from './json_schema.ts'
import type { Extension } from './plugin.ts'
import type { MissingSource } from './scoring/missing.ts'

const FORMAT = 1

const orNull = nullable(Type.String())

const TargetUrlSchema = Type.Object({
  href: Type.String(),
  scheme: Type.Enum(['http', 'https']),
  port: Type.Integer(),
  path: Type.String(),
  query: orNull,
})

const outcomeFields = {
  status: Type.Enum(['gathered', 'unavailable', 'not_applicable', 'failed']),
  reason: Type.Optional(Type.String()),
}

const BuiltInSchema = Type.Object({ ...outcomeFields, value: Type.Optional(Type.Object({})) })

/** Derived from the list of evidence kinds. Extensions may add kinds of any shape. */
export const RecordingSchema = Type.Object({
  target: Type.Object({
    kind: Type.Enum(['domain', 'ip']),
    domain: orNull,
    ip: orNull,
    registrable: orNull,
    registered: orNull,
    // Absent in older recordings.
    url: Type.Optional(nullable(TargetUrlSchema)),
    visit: Type.Optional(Type.Boolean()),
  }),
  checked_at: Type.String(),
  evidence: Type.Object(Object.fromEntries(builtInEvidence.map(name => [name, Type.Optional(BuiltInSchema)])), {
    additionalProperties: Type.Object(outcomeFields),
  }),
  // Absent in older recordings.
  missing: Type.Optional(
    Type.Array(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        kind: Type.Enum(['feed', 'list', 'database']),
        own: Type.Boolean(),
      }),
    ),
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
  /** Every kind of evidence requested, with its outcome. */
  readonly evidence: Readonly<Record<string, GatherOutcome>>
  /** Expected sources that were missing. */
  readonly missing?: readonly MissingSource[]
  /** Milliseconds, as in the result. */
  readonly durations: { readonly check: number; readonly sections: Readonly<Record<string, number>> }
}

/** Records a finished analysis. */
export function record({ target, now, evidence, outcomes, missing }: Analysis, processTimeMs: number): Recording {
  return {
    format: FORMAT,
    target,
    checked_at: now.toISOString(),
    evidence: Object.fromEntries([...evidence].sort(([a], [b]) => (a < b ? -1 : 1))),
    ...(missing.length > 0 && { missing }),
    durations: {
      check: processTimeMs,
      sections: Object.fromEntries([...outcomes].map(([name, { duration_ms }]) => [name, duration_ms])),
    },
  }
}

/** Parses a recording. Throws an `Error` that describes the fault. */
export function parseRecording(text: string): Recording {
  const recording = JSON.parse(text) as Partial<Recording> | null
  if (recording?.format !== FORMAT) throw new Error(`Invalid recording: \`format\` must be ${FORMAT}`)
  const [fault] = fillDefaults(RecordingSchema, recording, '').faults
  if (fault) throw new Error(`Invalid recording: ${faultLine(fault)}`)
  const { checked_at } = recording as Recording
  const { url, visit, ...host } = (recording as Recording).target as Partial<Target>
  const target = { ...host, url: url ?? null, visit: visit ?? true } as Target
  if (!isCanonical(target)) throw new Error('Invalid recording: `target` is not a domain name or an IP address')
  if (Number.isNaN(Date.parse(checked_at))) throw new Error('Invalid recording: `checked_at` is not a time')
  for (const [name, gatherOutcome] of Object.entries((recording as Recording).evidence)) {
    const missing = missingField(gatherOutcome)
    if (missing !== null) throw new Error(`Invalid recording: evidence.${name}: "${missing}" is missing`)
  }
  return { ...(recording as Recording), target }
}

/** The field that a replay needs: without a value, the evidence would be gathered again. */
function missingField(gatherOutcome: GatherOutcome): string | null {
  if (gatherOutcome.status === 'gathered') return (gatherOutcome.value ?? null) === null ? 'value' : null
  return isReason(gatherOutcome.reason) ? null : 'reason'
}

/** Private addresses are accepted, because the recording service may have allowed them. */
function isCanonical(recordedTarget: Target): boolean {
  const parsed = parseTarget(requestOf(recordedTarget), unvetted)
  if (!parsed.ok) return false
  // The registrable part of a name depends on the PSL at the time of the check, so it is not compared.
  const { registrable, registered, ...target } = parsed.target
  const { registrable: _, registered: __, ...rest } = recordedTarget
  const isWhole = [recordedTarget.registrable, recordedTarget.registered].every(
    name => (name === null) === (recordedTarget.domain === null),
  )
  return isWhole && isDeepStrictEqual(rest, target)
}

/**
 * Replaces all gatherers with the evidence of a recording and restores its times. Apply it before the gatherers, so that
 * they do not gather evidence missing from the recording.
 */
export function replay(recording: Recording): Replay {
  const extension: Extension = {
    name: 'replay',
    description: 'Takes all evidence from a recording.',
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
  const { missing = [] } = recording
  const clock = { now: () => Date.parse(recording.checked_at), monotonic: () => performance.now() }
  return { extension, clock, missing: () => missing }
}

interface Replay {
  readonly extension: Extension
  readonly clock: Clock
  /** The sources that were missing then, whatever is missing here. */
  readonly missing: () => readonly MissingSource[]
}

type GatherHook = ReturnType<Hooks['gather']['for']>

const notRecorded: GatherOutcome = { status: 'unavailable', reason: 'not_recorded' }

function settle(gatherOutcome: GatherOutcome): unknown {
  switch (gatherOutcome.status) {
    case 'gathered':
      return gatherOutcome.value
    case 'not_applicable':
      throw new NotApplicable(gatherOutcome.reason)
    case 'unavailable':
      throw new Unavailable(gatherOutcome.reason)
    default:
      throw new Error(gatherOutcome.reason)
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
