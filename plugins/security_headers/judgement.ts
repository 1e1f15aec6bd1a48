// What is said of every header: whether it is there, what it says, what that is worth, and what to do about it.
import { type Static, type TSchema, Type } from '../../src/engine/plugin.ts'

export const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

export const Status = nullable(
  Type.Enum(['pass', 'warn', 'fail'], { description: 'By what it does, not by being there; null: does not apply.' }),
)
export type Status = Static<typeof Status>

/** The fields every header has. */
export const Judged = {
  present: Type.Boolean(),
  value: nullable(Type.String({ description: 'As sent, cut to 512 characters; several lines joined by commas.' })),
  status: Status,
  recommendation: nullable(Type.String({ description: 'What to do; null when there is nothing to do.' })),
}

export const judgedObject = <Fields extends Readonly<Record<string, TSchema>>>(fields: Fields) =>
  Type.Object({ ...Judged, ...fields }, { additionalProperties: false })

/** A header's part of the section, and the share of its weight that it earns: 0 to 1, or null where it does not apply. */
export interface Judgement<Section> {
  readonly section: Section
  readonly share: number | null
}

type Judgements = Readonly<Record<string, Judgement<unknown>>>

export const sharesOf = <Given extends Judgements>(given: Given) =>
  Object.fromEntries(Object.entries(given).map(([name, { share }]) => [name, share])) as {
    [Name in keyof Given]: Given[Name]['share']
  }

export const sectionsOf = <Given extends Judgements>(given: Given) =>
  Object.fromEntries(Object.entries(given).map(([name, { section }]) => [name, section])) as {
    [Name in keyof Given]: Given[Name]['section']
  }
