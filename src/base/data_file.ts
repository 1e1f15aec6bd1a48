// The format of data files: entries that can be added without knowing TypeScript, and their source.
import { type TProperties, type TSchemaOptions, Type } from 'typebox'

/** The schema of a data file. A test validates every file, so that a start need not. */
export const dataFile = <Content extends TProperties>(content: Content) =>
  Type.Object(
    {
      title: Type.String({ minLength: 1 }),
      source: Type.String({ minLength: 1, description: 'Where the entries come from.' }),
      retrieved: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'The day of the last change.' }),
      ...content,
    },
    { additionalProperties: false },
  )

/** Words or names, each once. */
export const TextList = Type.Array(Type.String({ minLength: 1 }), { minItems: 1, uniqueItems: true })

/** A regular expression as text, compiled once at load. The test of data files holds that each takes linear time. */
export const expression = (options: TSchemaOptions = {}) => Type.String({ ...options, minLength: 1, format: 'regex' })
