// The plugin contract: everything a plugin may import from this project.
import type { Static, TObject, TProperties, TSchema } from 'typebox'
import type { Evidence, EvidenceName } from '../evidence/evidence.ts'
import type { Target, TargetKind } from '../targets/target.ts'
import type { ConditionalSignal } from './conditions.ts'
import type { Hooks } from './hooks.ts'
import type { Presentation } from './presentation/presentation.ts'
import type { Composite } from './scoring/composites.ts'
import type { SignalFound } from './scoring/signal.ts'

export { type Static, type TSchema, Type } from 'typebox'
export { dataFile, expression, TextList } from '../base/data_file.ts'
export { labelled, labelsOf, titled, words } from '../base/labels.ts'
export { nullable } from '../base/nullable.ts'
export { printable, printableOrNull, truncate } from '../base/printable.ts'
export { isCanonical, isInHead } from '../evidence/document/facts.ts'
export { type WayOn, waysOn } from '../evidence/document/handover.ts'
export { findRefresh, type Refresh } from '../evidence/document/refresh.ts'
export { findUndrawn, UNDRAWN, type Undrawn } from '../evidence/document/undrawn.ts'
export { unheard } from '../evidence/entrances/facts.ts'
export type * from '../evidence/evidence.ts'
export {
  type Blame,
  blameOf,
  isOurFailure,
  mainReason,
  missedReason,
  NotApplicable,
  notFetched,
  PAGE_WITHHELD,
  Unavailable,
} from '../evidence/facts.ts'
export { createLookup, type Lookup, type LookupOptions } from '../evidence/lookup.ts'
export { matchesStsPattern } from '../evidence/mail_records/facts.ts'
export { answeredRequests, REQUEST_PURPOSES } from '../evidence/page/facts.ts'
export { ServedFields, type ServedSection, servedFields, withServed } from '../evidence/served/facts.ts'
export { forbidsServers, hasExpired, hasWeakKey, isNotYetValid, isWeaklySigned } from '../evidence/tls/facts.ts'
export {
  type Brand,
  type BrandWord,
  inLabel,
  isDistinctive,
  isInNames,
  type WordKind,
} from '../knowledge/brands/brand.ts'
export { brands } from '../knowledge/brands/brands.ts'
export { ConfiguredBrands, configuredBrands } from '../knowledge/brands/configured_brands.ts'
export { indexOwners, type OwnersOf } from '../knowledge/brands/owners.ts'
export { type CookiePrefix, cookiePrefixes, readSetCookie, type SetCookieField } from '../network/set_cookie.ts'
export { type HostIdentity, identify, isTenant } from '../targets/identity.ts'
export { isAbusedSuffix } from '../targets/suffixes.ts'
export type { Target, TargetKind, TargetUrl } from '../targets/target.ts'
export { type ConditionalSignal, type Raised, raise, type Signals } from './conditions.ts'
export type { Hooks } from './hooks.ts'
export { findOwner, type NameEvidence, type ProvenOwner } from './ownership/owner.ts'
export type * from './presentation/presentation.ts'
export {
  counted,
  countryName,
  dateTime,
  day,
  foremost,
  keyKind,
  languageName,
  NONE,
  quote,
  quoteOr,
  series,
  share,
  size,
  span,
  spanFrom,
  standIn,
  tlsVersion,
} from './presentation/words.ts'
export type { Composite, Condition } from './scoring/composites.ts'
export type { Scored } from './scoring/scored.ts'
export type { Severity } from './scoring/severity.ts'
export type { SignalDefinition, SignalFound } from './scoring/signal.ts'
export { isThreatType, type ThreatType } from './scoring/threats.ts'
export { type ThirdParty, thirdParty } from './third_party.ts'

/**
 * What an analyzer returns. With a section, `unknown` is the reason why a part of the section is null because it could
 * not be seen. If omitted, the reason of missing optional evidence applies, if any; null states that nothing is
 * missing. `blameOf` maps a reason to the party at fault, which determines how long the result is cached. Without a
 * section, the finding says why: nothing to look at, or it could not be looked at.
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
  /** The time of the check; analyzers have no other clock. */
  readonly now: Date
  /** For each wanted kind of evidence that is missing: its status and reason. */
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
  /** snake_case; also the name of the section's field, the folder and the configuration key. */
  readonly name: string
  readonly description: string
  readonly targets: readonly TargetKind[]
  /** Required evidence: if it is missing, the section has its status and reason. */
  readonly needs: readonly Need[]
  /** Optional evidence: null when it is missing. */
  readonly wants?: readonly Want[]
  /** The section's JSON Schema; must not allow additional properties. */
  readonly schema: Section
  /** The options' JSON Schema: an object without additional properties, every property with a default. */
  readonly options?: Options
  /** By ID. The engine does not evaluate conditions: `analyze` returns what `raise` finds. */
  readonly signals: Readonly<Record<Id, ConditionalSignal<never>>>
  /** What its signals mean beside others, by ID: as `scoring.composites` in the configuration. */
  readonly composites?: Readonly<Record<string, Composite>>
  /** How people see the section. Without it, they see its fields by the schema, under its name. */
  readonly presentation?: Presentation<Static<Section>>
  /** Further names of the same section in the result. */
  readonly aliases?: readonly string[]
  /** Shipped, but disabled until configured, because it needs a key or sends the target to a third party. */
  readonly optional?: boolean
  analyze(
    evidence: Needed<Need, Want>,
    context: AnalysisContext<Static<Options>>,
  ): Finding<Static<Section>, NoInfer<Id>>
}

/** Changes the pipeline: a gatherer for a new source, a score adjustment, an observer. Most plugins do not need one. */
export interface Extension<Options extends TSchema = TSchema> {
  readonly name: string
  readonly description: string
  /** As for an analyzer. A property with `writeOnly` is a secret and is never shown. */
  readonly options?: Options
  /**
   * The kinds of evidence it adds, with the JSON Schema of each or as a list; it must register a gatherer for each. Evidence
   * that its schema does not allow counts as failed. Overriding a built-in kind needs no entry.
   */
  readonly provides?: readonly EvidenceName[] | Readonly<Partial<Record<EvidenceName, TSchema>>>
  /**
   * The hosts that its gatherers may reach: names, `*.` before a name for all names below it, addresses, `target` for the
   * target's own hosts, `*` for all, and the host of the URL in an option. None by default.
   */
  readonly hosts?: readonly (string | { readonly option: string })[]
  /** The fields it adds to the result in `compose`, with their schemas. */
  readonly fields?: Readonly<Record<string, TSchema>>
  /** Registers functions on the hooks and opens nothing. Called once for validation, then once per engine. */
  apply(hooks: Hooks, options: Static<Options>): void
}

export type Plugin = Analyzer | Extension

/** Returns its argument, so that the type of an extension's options is inferred. */
export const extension = <Options extends TSchema>(definition: Extension<Options>): Extension<Options> => definition

/** Returns its argument, so that the compiler checks section, evidence, options and signal IDs against each other. */
export function analyzer<
  Section extends TSchema,
  Need extends EvidenceName,
  Id extends string,
  Want extends EvidenceName = never,
  Options extends TSchema = TSchema,
>(definition: Analyzer<Section, Need, Want, Id, Options>): Analyzer<Section, Need, Want, Id, Options> {
  return definition
}

/** The fields that are known regardless: all that must not be null, and any others the analyzer has. */
type KnownSection<Section> = Partial<Section> & {
  readonly [Name in keyof Section as null extends Section[Name] ? never : Name]: Section[Name]
}

/**
 * A section, or an object in one, about something that was not seen: the known fields, and null for every other field, in the
 * schema's order.
 */
export const unseen = <Properties extends TProperties>(
  { properties }: TObject<Properties>,
  knownFields: KnownSection<Static<TObject<Properties>>>,
): Static<TObject<Properties>> =>
  Object.fromEntries(
    Object.keys(properties).map(name => [name, (knownFields as Readonly<Record<string, unknown>>)[name] ?? null]),
  ) as Static<TObject<Properties>>

/**
 * An empty list, 0 or false is known only if the whole subject was seen; otherwise null, because the unseen part may
 * hold some.
 */
export const orUnknown = <Value extends boolean | number | readonly unknown[]>(
  value: Value,
  isWhole: boolean,
): Value | null => (isWhole || !saysNone(value) ? value : null)

const saysNone = (value: boolean | number | readonly unknown[]): boolean =>
  Array.isArray(value) ? value.length === 0 : value === 0 || value === false
