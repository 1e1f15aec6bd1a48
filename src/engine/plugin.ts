// The plugin contract: all that a plugin may import of this project.
import type { Static, TSchema } from 'typebox'
import type { Evidence, EvidenceName } from '../evidence/evidence.ts'
import type { SignalDefinition, SignalFound } from '../scoring/signal.ts'
import type { Target, TargetKind } from '../targets/target.ts'
import type { Hooks } from './hooks.ts'

export { type Static, type TSchema, Type } from 'typebox'
export type { Brand } from '../brands/brand.ts'
export { brands } from '../brands/brands.ts'
export type * from '../evidence/evidence.ts'
export {
  type Blame,
  blameOf,
  isOurFailure,
  mainReason,
  missedReason,
  NotApplicable,
  Unavailable,
} from '../evidence/facts.ts'
export { ServedFields, type ServedSection, servedFields, withServed } from '../evidence/served/facts.ts'
export { nullable } from '../nullable.ts'
export { printable, printableOrNull, truncate } from '../printable.ts'
export type { Scored } from '../scoring/scored.ts'
export type { Severity } from '../scoring/severity.ts'
export type { SignalDefinition, SignalFound } from '../scoring/signal.ts'
export { isThreatType, type ThreatType } from '../scoring/threats.ts'
export { readSetCookie, type SetCookieField } from '../set_cookie.ts'
export { isTenant } from '../targets/platforms.ts'
export type { Target, TargetKind } from '../targets/target.ts'
export { createLookup, type Lookup, type LookupOptions } from '../upstreams/lookup.ts'
export type { Hooks } from './hooks.ts'
export { orUnknown, unseen } from './unseen.ts'

/**
 * What an analyzer answers. With a section: `unknown` is the reason why a part of it is null because it could not be
 * seen; left out, the reason is that of wanted evidence that is missing, if any; null says that nothing is missing all
 * the same. `blameOf` tells whose fault a reason is, which decides how long the result is kept. Without a section it
 * says why: there is nothing to look at, or we could not look.
 */
export type Finding<Section, Id extends string> =
  | {
      readonly section: Section
      readonly signals: readonly SignalFound<Id>[]
      readonly unknown?: string | null
    }
  | { readonly notApplicable: string; readonly signals?: readonly SignalFound<Id>[] }
  | { readonly unavailable: string; readonly signals?: readonly SignalFound<Id>[] }

export type Needed<Need extends EvidenceName, Want extends EvidenceName> = Readonly<Pick<Evidence, Need>> & {
  readonly [Name in Want]: Evidence[Name] | null
}

export interface AnalysisContext<Options> {
  readonly target: Target
  readonly options: Options
  /** The moment of the check; analyzers have no other clock. */
  readonly now: Date
  /** By name of the evidence it wants and does not have: how that went, and why. */
  readonly missing: Readonly<Partial<Record<EvidenceName, Missing>>>
}

export interface Missing {
  readonly status: 'unavailable' | 'not_applicable' | 'failed'
  readonly reason: string
}

/** One section of the result: a pure, synchronous function of the evidence it declares. */
export interface Analyzer<
  Section extends TSchema = TSchema,
  Need extends EvidenceName = EvidenceName,
  Want extends EvidenceName = EvidenceName,
  Id extends string = string,
  Options extends TSchema = TSchema,
> {
  /** snake_case; also the section's field, the folder and the config key. */
  readonly name: string
  readonly description: string
  readonly targets: readonly TargetKind[]
  /** Without these it cannot speak: their failure is the section's. */
  readonly needs: readonly Need[]
  /** Null when they could not be had. */
  readonly wants?: readonly Want[]
  /** The section's JSON Schema, closed. */
  readonly schema: Section
  /** The options' JSON Schema: an object, closed, every property with a default. */
  readonly options?: Options
  readonly signals: Readonly<Record<Id, SignalDefinition>>
  /** Other names of the same section in the result. */
  readonly aliases?: readonly string[]
  /** Shipped, and off until the configuration names it: what it reads needs a key, or tells a third party the target. */
  readonly optional?: boolean
  analyze(
    evidence: Needed<Need, Want>,
    context: AnalysisContext<Static<Options>>,
  ): Finding<Static<Section>, NoInfer<Id>>
}

/** Reaches into the pipeline: a gatherer for a new source, a score adjustment, an observer. Ordinary plugins need none. */
export interface Extension<Options extends TSchema = TSchema> {
  readonly name: string
  readonly description: string
  /** As an analyzer's; a property with `writeOnly` is a secret and is never shown. */
  readonly options?: Options
  /** Kinds of evidence it adds; it must register a gatherer for each. Pre-empting a built-in kind needs no entry here. */
  readonly provides?: readonly EvidenceName[]
  /** Fields it adds to the result in `compose`, with their schemas. */
  readonly fields?: Readonly<Record<string, TSchema>>
  /** Registers functions on the hooks, and opens nothing: it is called once to be checked, then once for each engine. */
  apply(hooks: Hooks, options: Static<Options>): void
}

export type Plugin = Analyzer | Extension

/** Identity, for inference of an extension's options. */
export const extension = <Options extends TSchema>(definition: Extension<Options>): Extension<Options> => definition

/** Identity, for inference: the compiler checks section, evidence, options and signal ids against each other. */
export function analyzer<
  Section extends TSchema,
  Need extends EvidenceName,
  Id extends string,
  Want extends EvidenceName = never,
  Options extends TSchema = TSchema,
>(definition: Analyzer<Section, Need, Want, Id, Options>): Analyzer<Section, Need, Want, Id, Options> {
  return definition
}
