// Validators by `compiledName`. Empty in the source: the build replaces this module with one that holds the validators
// of every built-in schema, because compiling them takes longer than a check.
import type { ValidateFunction } from 'ajv/dist/2020.js'

export const compiledSchemas: Readonly<Record<string, () => ValidateFunction>> = {}
