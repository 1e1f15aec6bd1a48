// The common fields of every header: presence, value, status, and recommendation.
import { nullable, type Static, type TSchema, Type } from '../../src/engine/plugin.ts'

export const HeaderStatus = nullable(
  Type.Enum(['pass', 'warn', 'fail'], { description: 'By effect, not by presence; null if it does not apply.' }),
)
export type HeaderStatus = Static<typeof HeaderStatus>

/** The fields that every header has. */
export const JudgementFields = {
  present: Type.Boolean({ description: 'The response has the header.' }),
  value: nullable(Type.String({ description: 'As sent, cut to 512 characters; several lines are joined by commas.' })),
  status: HeaderStatus,
  recommendation: nullable(Type.String({ description: 'What to change; null if nothing.' })),
}

/** The schema of a header: the fields that all have, and its own. */
export const judgedObject = <Fields extends Readonly<Record<string, TSchema>>>(description: string, fields: Fields) =>
  Type.Object({ ...JudgementFields, ...fields }, { additionalProperties: false, description })

/** The section of a header, and the share of its weight that it earns: 0 to 1, or null if it does not apply. */
export interface HeaderJudgement<Section> {
  readonly section: Section
  readonly share: number | null
}

type Judgements = Readonly<Record<string, HeaderJudgement<unknown>>>

/** The share that each of them earns. */
export const sharesOf = <Given extends Judgements>(judgements: Given) =>
  Object.fromEntries(Object.entries(judgements).map(([name, { share }]) => [name, share])) as {
    [Name in keyof Given]: Given[Name]['share']
  }

/** What the section shows of each of them. */
export const sectionsOf = <Given extends Judgements>(judgements: Given) =>
  Object.fromEntries(Object.entries(judgements).map(([name, { section }]) => [name, section])) as {
    [Name in keyof Given]: Given[Name]['section']
  }
