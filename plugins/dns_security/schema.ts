// The section's schema.
import { labelled, nullable, type Static, type TSchema, Type } from '../../src/engine/plugin.ts'

const closed = { additionalProperties: false }
const record = Type.String({ maxLength: 4096 })
const value = Type.String({ maxLength: 512 })
const seconds = Type.Integer({ minimum: 0, maximum: 4_294_967_295 })
const list = <T extends TSchema>(items: T) => Type.Array(items, { maxItems: 50 })

const status = Type.Enum(['valid', 'invalid', 'missing', 'unknown'])
const policy = nullable(Type.Enum(['none', 'quarantine', 'reject']))
const alignment = nullable(Type.Enum(['relaxed', 'strict']))

export const mx = Type.Object(
  {
    status: Type.Enum(['found', 'null_mx', 'none', 'unknown']),
    total: nullable(Type.Integer({ minimum: 0 }), { description: 'Number of MX records; null if unknown.' }),
    hosts: nullable(
      list(
        Type.Object(
          {
            preference: Type.Integer(),
            exchange: value,
            addresses: nullable(Type.Array(Type.String(), { maxItems: 16 }), {
              description: 'Looked up for the first five hosts; null for the others.',
            }),
          },
          closed,
        ),
      ),
    ),
  },
  closed,
)

const spf = Type.Object(
  {
    status,
    policy: nullable(Type.Enum(['fail', 'softfail', 'neutral', 'pass']), {
      description: 'Result for senders that the record does not list; null without a valid record.',
    }),
    lookups: nullable(Type.Integer({ minimum: 0 }), {
      description: 'DNS lookups if no term matches; 10 are allowed.',
    }),
    void_lookups: nullable(Type.Integer({ minimum: 0 }), {
      description: 'Lookups that return no records; 2 are allowed.',
    }),
    includes: nullable(list(value)),
  },
  closed,
)

const published = Type.Enum(['valid', 'invalid', 'missing', 'unknown'], {
  description: 'The state of this name’s own record, whichever record applies.',
})

export const dmarc = Type.Object(
  {
    status: Type.Enum(['valid', 'invalid', 'missing', 'unknown'], {
      description: 'The state of the policy that applies, also if a parent publishes it.',
    }),
    published,
    found_at: nullable(value, { description: 'The name whose record applies: this one or a parent.' }),
    policy,
    subdomain_policy: policy,
    nonexistent_policy: policy,
    effective_policy: nullable(Type.Enum(['none', 'quarantine', 'reject']), {
      description: 'The policy that applies to this name, with test mode applied.',
    }),
    testing: nullable(Type.Boolean()),
    dkim_alignment: alignment,
    spf_alignment: alignment,
    aggregate_reports: nullable(list(value)),
    failure_reports: nullable(list(value)),
  },
  closed,
)

export const mtaSts = Type.Object(
  {
    status,
    id: nullable(value),
    mode: nullable(Type.Enum(['enforce', 'testing', 'none'])),
    effective_mode: nullable(Type.Enum(['enforce', 'testing', 'none']), {
      description: 'What senders apply: `none` without a valid policy. Null if unknown.',
    }),
    max_age: nullable(Type.Integer({ minimum: 0 }), { description: 'Seconds.' }),
    mx: nullable(list(value)),
  },
  closed,
)

export const schema = Type.Object(
  {
    has_mx: labelled(
      'Has mail servers',
      nullable(Type.Boolean(), { description: 'Has an MX record other than a null MX.' }),
    ),
    spf_record: labelled('SPF record', nullable(record)),
    dmarc_record: labelled(
      'DMARC record',
      nullable(record, { description: 'The record that applies, also if a parent publishes it.' }),
    ),
    valid_config: labelled('Valid configuration', nullable(Type.Boolean())),
    mx: labelled('Mail servers', mx),
    spf: labelled('SPF', spf),
    dmarc: labelled('DMARC', dmarc),
    mta_sts: labelled('MTA-STS', mtaSts),
    tls_rpt: labelled('TLS-RPT', Type.Object({ status, reports: nullable(list(value)) }, closed)),
    bimi: labelled(
      'BIMI',
      Type.Object(
        {
          status,
          published,
          found_at: nullable(value, {
            description: 'The name whose record applies: this one or its organizational domain.',
          }),
          logo: nullable(value),
          authority: nullable(value),
        },
        closed,
      ),
    ),
    dnssec: labelled('DNSSEC', Type.Enum(['signed', 'unsigned', 'bogus', 'unknown'])),
    dnssec_algorithms: labelled(
      'DNSSEC algorithms',
      nullable(list(value), {
        description: 'Algorithms of the keys in the parent zone’s DS records.',
      }),
    ),
    dnssec_keys: labelled(
      'DNSSEC keys',
      nullable(
        list(
          Type.Object(
            {
              role: Type.Enum(['key_signing', 'zone_signing', 'other']),
              algorithm: value,
              bits: nullable(Type.Integer({ minimum: 0 }), {
                description: 'Of the RSA modulus, otherwise of the key.',
              }),
            },
            closed,
          ),
        ),
        { description: 'The keys of a signed zone (DNSKEY), at most 50.' },
      ),
    ),
    zone: nullable(value, { description: 'The closest enclosing zone.' }),
    name_servers: nullable(list(value)),
    soa: labelled(
      'Start of authority',
      nullable(
        Type.Object(
          {
            primary: value,
            contact: nullable(value, { description: 'The e-mail address of the person in charge.' }),
            serial: seconds,
            refresh: seconds,
            retry: seconds,
            expire: seconds,
            negative_ttl: seconds,
          },
          closed,
        ),
        { description: 'The start of authority of the zone; times in seconds.' },
      ),
    ),
    ipv6: labelled(
      'IPv6',
      Type.Object(
        {
          web: nullable(Type.Boolean()),
          mail: nullable(Type.Boolean(), {
            description: 'At least one of the first five mail servers; null without any.',
          }),
          name_servers: nullable(Type.Boolean(), { description: 'At least one of the first four name servers.' }),
        },
        { ...closed, description: 'Which of these have an IPv6 address; null if unknown or if there is none.' },
      ),
    ),
    caa: labelled(
      'CAA',
      nullable(
        Type.Object(
          {
            found_at: nullable(value),
            records: list(Type.Object({ critical: Type.Boolean(), tag: value, value }, closed)),
          },
          closed,
        ),
      ),
    ),
    issues: nullable(
      list(
        Type.Object({ code: Type.String(), severity: Type.Enum(['error', 'warning', 'info']), message: value }, closed),
      ),
      { description: 'Null if no issue was found and a part is unknown.' },
    ),
  },
  closed,
)

export type Section = Static<typeof schema>
