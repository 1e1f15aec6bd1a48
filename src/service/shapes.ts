// What the schemas of answers, events and requests share.
import { type Static, type TSchema, Type } from 'typebox'

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]: DeepReadonly<T[Name]> }
    : T

/** The type of the values that a schema describes. */
export type ShapeOf<Schema extends TSchema> = DeepReadonly<Static<Schema>>

/** No other members. */
export const closed = { additionalProperties: false } as const

/** 128 random bits as base64url. */
export const id = (description: string) => Type.String({ pattern: '^[A-Za-z0-9_-]{22}$', description })

export const time = (description: string) => Type.String({ description: `${description} ISO 8601 in UTC, ends in Z.` })

export const count = (description: string) => Type.Integer({ minimum: 0, description })

/** What lists, comparisons and events say of a result. */
export const judgementFields = {
  checked_at: time('When it was checked.'),
  risk_score: Type.Integer({ minimum: 0, maximum: 100 }),
  verdict: Type.String({ description: 'As in the result.' }),
  recommendation: Type.String({ description: 'As in the result.' }),
}
