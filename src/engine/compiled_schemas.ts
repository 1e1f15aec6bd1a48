// Validators by `compiledName`. Empty in the sources: the build puts a module in its place that holds those of every
// built-in schema, because compiling them costs a start more than the check itself.
import type { ValidateFunction } from 'ajv/dist/2020.js'

export const compiledSchemas: Readonly<Record<string, () => ValidateFunction>> = {}
