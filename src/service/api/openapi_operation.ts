// What the descriptions of operations in the OpenAPI document share.
import { type TSchema, Type } from 'typebox'

export const id = (description: string) => Type.String({ pattern: '^[A-Za-z0-9_-]{22}$', description })
export const time = (description: string) => Type.String({ description: `${description} ISO 8601 in UTC, ends in Z.` })

export const judged = {
  checked_at: time('When it was checked.'),
  risk_score: Type.Integer({ minimum: 0, maximum: 100 }),
  verdict: Type.String({ description: 'As in the result.' }),
  recommendation: Type.String({ description: 'As in the result.' }),
}

export const closed = { additionalProperties: false } as const

export const inPath = (name: string, description: string) => ({
  ...{ name, in: 'path', required: true, description, schema: { type: 'string' } },
})
export const inQuery = (name: string, description: string, schema: object = { type: 'string' }, required = false) => ({
  ...{ name, in: 'query', required, description, schema },
})

/** In place of the name of a schema: lines of JSON. */
export const LINES = 'lines'

export interface Described {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly parameters: readonly object[]
  /** The JSON of the request. */
  readonly body?: TSchema
  readonly answers: { readonly status: 200 | 201 | 202; readonly schema: string; readonly description: string }
}

export type Operations = Readonly<Record<string, Readonly<Record<string, Described>>>>
