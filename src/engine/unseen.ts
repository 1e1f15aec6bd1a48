// The values of a section whose subject was not seen. Null means unknown; an empty list means "looked, none found".
import type { Static, TObject, TProperties } from 'typebox'

/** The fields that are known regardless: all that must not be null, and any others the analyzer has. */
type Known<Section> = Partial<Section> & {
  readonly [Name in keyof Section as null extends Section[Name] ? never : Name]: Section[Name]
}

/**
 * A section, or an object in one, whose subject was not seen: the known fields, and null for every other field, in the
 * schema's order.
 */
export const unseen = <Properties extends TProperties>(
  { properties }: TObject<Properties>,
  known: Known<Static<TObject<Properties>>>,
): Static<TObject<Properties>> =>
  Object.fromEntries(
    Object.keys(properties).map(name => [name, (known as Readonly<Record<string, unknown>>)[name] ?? null]),
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
