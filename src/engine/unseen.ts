// What a section says of a subject that was not seen: nothing. Null is unknown; an empty list says "looked, none".
import type { Static, TObject, TProperties } from 'typebox'

/** What is known whatever was not seen: all that may not be null, and whatever else the analyzer has. */
type Known<Section> = Partial<Section> & {
  readonly [Name in keyof Section as null extends Section[Name] ? never : Name]: Section[Name]
}

/**
 * A section, or an object within one, whose subject was not seen: what is known of it all the same, and null for every
 * other field of its schema, in the schema's order.
 */
export const unseen = <Properties extends TProperties>(
  { properties }: TObject<Properties>,
  known: Known<Static<TObject<Properties>>>,
): Static<TObject<Properties>> =>
  Object.fromEntries(
    Object.keys(properties).map(name => [name, (known as Readonly<Record<string, unknown>>)[name] ?? null]),
  ) as Static<TObject<Properties>>

/**
 * A value that says "none" (an empty list, 0, false) is known only when all of its subject was seen; else it is null, for
 * what was not seen may hold some.
 */
export const orUnknown = <Value extends boolean | number | readonly unknown[]>(
  value: Value,
  isWhole: boolean,
): Value | null => (isWhole || !saysNone(value) ? value : null)

const saysNone = (value: boolean | number | readonly unknown[]): boolean =>
  Array.isArray(value) ? value.length === 0 : value === 0 || value === false
