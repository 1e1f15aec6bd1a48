// The schema of `datasets` in the configuration: known datasets by ID, and the operator's own.
import { Type } from 'typebox'

const closed = { additionalProperties: false } as const
const optional = <Schema extends Type.TSchema>(schema: Schema) => Type.Optional(schema)

const Members = Type.Object(
  {
    enabled: optional(Type.Boolean()),
    name: optional(Type.String({ minLength: 1, maxLength: 80 })),
    use: optional(
      Type.Enum([
        'feed',
        'popularity',
        'hsts_preload',
        'city',
        'asn',
        'rdap_bootstrap',
        'rdap_bootstrap_ipv4',
        'rdap_bootstrap_ipv6',
      ]),
    ),
    url: optional(
      Type.String({
        pattern: '^https://[!-~]{1,2000}$',
        description: '`{year}` and `{month}` are replaced by the current ones.',
      }),
    ),
    path: optional(Type.String({ minLength: 1, description: 'Relative to the configuration file.' })),
    format: optional(Type.Enum(['names', 'hosts', 'adblock', 'csv', 'tsv', 'json_lines', 'urls', 'netset'])),
    column: optional(
      Type.Union([Type.String({ minLength: 1 }), Type.Integer({ minimum: 0, maximum: 255 })], {
        description: 'For csv and tsv: its heading, or its number from 0.',
      }),
    ),
    field: optional(Type.String({ minLength: 1, description: 'For json_lines: `a.b` is b inside a.' })),
    about: optional(Type.Enum(['names', 'addresses', 'both'])),
    category: optional(
      Type.Enum([
        'spam',
        'phishing',
        'malware',
        'botnet',
        'attack',
        'proxy',
        'abused_legit',
        'policy',
        'tor',
        'disposable',
      ]),
    ),
    strength: optional(
      Type.Enum(['strong', 'moderate', 'weak', 'none'], {
        description: 'Weight of a listing as proof; `none` is not a hit.',
      }),
    ),
    refresh_hours: optional(Type.Number({ minimum: 0.25, maximum: 8_760 })),
    stale_hours: optional(
      Type.Number({
        minimum: 1,
        maximum: 87_600,
        description: 'Age at which the answers of a feed become unknown instead of clean.',
      }),
    ),
    max_bytes: optional(Type.Integer({ minimum: 1, maximum: 1024 * 1024 * 1024 })),
    min_entries: optional(Type.Integer({ minimum: 1, description: 'A file with fewer entries is rejected.' })),
    terms: optional(Type.String({ maxLength: 500 })),
  },
  closed,
)

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
      description: 'For one file: the default suffices for 64 MiB at 2 Mbit/s.',
    }),
  },
  { ...closed, default: {} },
)
