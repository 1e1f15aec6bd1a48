// The plugin contract: all that a plugin may import of this project.
import type { Static, TSchema } from 'typebox'
import type { Evidence, EvidenceName } from '../evidence/evidence.ts'
import type { SignalDefinition, SignalFound } from '../scoring/signal.ts'
import type { Target, TargetKind } from '../target/target.ts'
import type { Hooks } from './hooks.ts'

export { type Static, type TSchema, Type } from 'typebox'
export { isOurFailure, NotApplicable, Unavailable } from '../evidence/decline.ts'
export type * from '../evidence/evidence.ts'
export type { GatherContext, Gatherer } from '../evidence/gatherer.ts'
export { createLookup, type Lookup, type LookupOptions } from '../evidence/lookup.ts'
export { ServedFields, type ServedSection, servedFields, withServed } from '../evidence/served/fields.ts'
export type { SignalDefinition, SignalFound } from '../scoring/signal.ts'
export { isTenant } from '../target/platforms.ts'
export type { Target, TargetKind } from '../target/target.ts'
export type { Hooks } from './hooks.ts'

/**
 * What an analyzer answers. A section completes, also when part of it is null because that part could not be looked at:
 * then `unknown` names the reason. Where it leaves that open, wanted evidence that could not be had is named; null says that
 * the section is whole without. `lasting` names what is unknown beside all that and stays so for hours, as a source among several
 * that is silent does: the result is incomplete, and yet kept as long as others. Without a section it says why: there is nothing to
 * look at, or we could not look.
 */
export type Finding<Section, Id extends string> =
  | {
      readonly section: Section
      readonly signals: readonly SignalFound<Id>[]
      readonly unknown?: string | null
      readonly lasting?: string
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
  /** Fields it adds to the result in `compose`, with their schemas. */
  readonly fields?: Readonly<Record<string, TSchema>>
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
