import { type TSchema, type TSchemaOptions, Type } from 'typebox'

/** A JSON Schema that also accepts null. */
export const nullable = <Schema extends TSchema>(schema: Schema, options: TSchemaOptions = {}) =>
  Type.Union([schema, Type.Null()], options)
