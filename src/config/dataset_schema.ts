// The schema of `datasets` in the configuration: known datasets by ID, and the operator's own.
import { Type } from 'typebox'
import { datasetMembers } from '../knowledge/datasets/dataset.ts'

const closed = { additionalProperties: false } as const

const Members = Type.Object({ enabled: Type.Optional(Type.Boolean()), ...datasetMembers }, closed)

export const DatasetSettings = Type.Record(
  Type.String({ pattern: '^[a-z][a-z0-9_]{0,63}$' }),
  Type.Union([Type.Null(), Type.Boolean(), Type.String({ minLength: 1 }), Members]),
  {
    additionalProperties: false,
    default: {},
    description:
      'By id: true or false enables or disables a known dataset (`npx assay datasets` lists them), a string is its https URL or path, an object changes it or adds your own.',
  },
)

export const Downloads = Type.Object(
  {
    enabled: Type.Boolean({
      default: true,
      description: 'Whether the service downloads datasets; otherwise it uses only the copies on disk.',
    }),
    timeout_seconds: Type.Number({
      minimum: 1,
      maximum: 3_600,
      default: 300,
      description: 'For one file: the default is enough for 64 MiB at 2 Mbit/s.',
    }),
  },
  { ...closed, default: {} },
)
