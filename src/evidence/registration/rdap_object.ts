// What the objects of RDAP have in common (RFC 9083 section 4): members, events, entities and their cards. Pure; never throws.

import { shortName } from './answer_values.ts'
import { parseMoment } from './dates.ts'
import { asList, asRecord, asText } from './json_value.ts'

export type Json = Readonly<Record<string, unknown>>

/** Members of a list that are looked at: far more than any registry lists. */
export const MEMBERS = 100

export const records = (object: Json, member: string): readonly Json[] =>
  asList(object[member], MEMBERS)
    .map(asRecord)
    .filter(item => item !== null)

/** Of the object's own events (section 4.5), never of its entities'; milliseconds since the Unix epoch. */
export const momentsOf = (object: Json, action: string): readonly number[] =>
  records(object, 'events')
    .filter(({ eventAction }) => asText(eventAction)?.trim().toLowerCase() === action)
    .flatMap(({ eventDate }) => parseMoment(asText(eventDate) ?? '') ?? [])

/** Whom the object names in a role (section 10.2.4), its entities' entities behind them where `depth` is more than 1. */
export function entitiesOf(object: Json, role: string, depth = 1): readonly Json[] {
  if (depth === 0) return []
  const all = records(object, 'entities')
  const own = all.filter(({ roles }) => asList(roles, MEMBERS).some(one => asText(one)?.toLowerCase() === role))
  return [...own, ...all.flatMap(entity => entitiesOf(entity, role, depth - 1))]
}

/** The formatted name, else the organization, of an entity's jCard (RFC 7095 section 3). */
export const nameOf = (entity: Json): string | null =>
  shortName(cardText(entity, 'fn')) ?? shortName(cardText(entity, 'org'))

/** A property's first value; empty when there is none. */
export function cardText({ vcardArray }: Json, wanted: string): string {
  const [, list] = asList(vcardArray, 2)
  const properties = asList(list, MEMBERS).map(property => asList(property, 4))
  const value = properties.find(([name]) => asText(name)?.toLowerCase() === wanted)?.[3]
  return asText(value) ?? asText(asList(value, 1)[0]) ?? ''
}
