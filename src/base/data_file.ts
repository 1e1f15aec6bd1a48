// The format of data files: entries that anybody can add to without knowing TypeScript, and where they come from.
import { type TProperties, Type } from 'typebox'

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
