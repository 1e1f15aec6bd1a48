// The section's shape.
import { type Static, type TSchema, Type } from '../../src/engine/plugin.ts'

const nullable = <T extends TSchema>(schema: T, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description })
const closed = { additionalProperties: false }
const record = Type.String({ maxLength: 4096 })
const value = Type.String({ maxLength: 512 })
const list = <T extends TSchema>(items: T) => Type.Array(items, { maxItems: 50 })

const status = Type.Enum(['valid', 'invalid', 'missing', 'unknown'])
const policy = nullable(Type.Enum(['none', 'quarantine', 'reject']))
const alignment = nullable(Type.Enum(['relaxed', 'strict']))

const mx = Type.Object(
  {
    status: Type.Enum(['found', 'null_mx', 'none', 'unknown']),
    total: nullable(Type.Integer({ minimum: 0 }), 'MX records there are; null when unknown.'),
    hosts: list(
      Type.Object(
        {
          preference: Type.Integer(),
          exchange: value,
          addresses: Type.Array(Type.String(), { maxItems: 16, description: 'Looked up for the first five hosts.' }),
        },
        closed,
      ),
    ),
  },
  closed,
)

const spf = Type.Object(
  {
    status,
    policy: nullable(
      Type.Enum(['fail', 'softfail', 'neutral', 'pass']),
      'What a sender nobody listed gets; null when there is no valid record.',
    ),
    lookups: nullable(Type.Integer({ minimum: 0 }), 'Terms that cost a DNS lookup when none matches; 10 are allowed.'),
    void_lookups: nullable(Type.Integer({ minimum: 0 }), 'Of these, those that find nothing; 2 are allowed.'),
    includes: list(value),
  },
  closed,
)

const dmarc = Type.Object(
  {
    status,
    found_at: nullable(value, 'The name whose record applies: this one, or one above it.'),
    policy,
    subdomain_policy: policy,
    nonexistent_policy: policy,
    effective_policy: nullable(
      Type.Enum(['none', 'quarantine', 'reject']),
      'What applies to this name, test mode included.',
    ),
    testing: nullable(Type.Boolean()),
    dkim_alignment: alignment,
    spf_alignment: alignment,
    aggregate_reports: list(value),
    failure_reports: list(value),
  },
  closed,
)

const mtaSts = Type.Object(
  {
    status,
    id: nullable(value),
    mode: nullable(Type.Enum(['enforce', 'testing', 'none'])),
    max_age: nullable(Type.Integer({ minimum: 0 }), 'Seconds.'),
    mx: list(value),
  },
  closed,
)

export const schema = Type.Object(
  {
    has_mx: nullable(Type.Boolean(), 'Names a mail server; a null MX does not.'),
    spf_record: nullable(record),
    dmarc_record: nullable(record, 'The record that applies, wherever it was found.'),
    valid_config: nullable(Type.Boolean()),
    mx,
    spf,
    dmarc,
    mta_sts: mtaSts,
    tls_rpt: Type.Object({ status, reports: list(value) }, closed),
    bimi: Type.Object({ status, logo: nullable(value), authority: nullable(value) }, closed),
    dnssec: Type.Enum(['signed', 'unsigned', 'bogus', 'unknown']),
    zone: nullable(value, 'The closest enclosing zone.'),
    name_servers: nullable(list(value)),
    caa: nullable(
      Type.Object(
        {
          found_at: nullable(value),
          records: list(Type.Object({ critical: Type.Boolean(), tag: value, value }, closed)),
        },
        closed,
      ),
    ),
    issues: list(
      Type.Object({ code: Type.String(), severity: Type.Enum(['error', 'warning', 'info']), message: value }, closed),
    ),
  },
  closed,
)

export type Section = Static<typeof schema>
