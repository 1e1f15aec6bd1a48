// The section's schema.
import { labelled, nullable, type Static, type TSchema, Type } from '../../src/engine/plugin.ts'

const CLOSED = { additionalProperties: false }
const record = Type.String({ maxLength: 4096 })
const value = Type.String({ maxLength: 512 })
const seconds = (description: string) => Type.Integer({ minimum: 0, maximum: 4_294_967_295, description })
const list = <T extends TSchema>(items: T, options: object = {}) => Type.Array(items, { maxItems: 50, ...options })

const text = (description: string) => Type.String({ maxLength: 512, description })
const status = (description: string) => Type.Enum(['valid', 'invalid', 'missing', 'unknown'], { description })
const policy = (description: string) => nullable(Type.Enum(['none', 'quarantine', 'reject'], { description }))
const alignment = (description: string) => nullable(Type.Enum(['relaxed', 'strict'], { description }))

export const mx = Type.Object(
  {
    status: Type.Enum(['found', 'null_mx', 'none', 'unknown'], {
      description: '`null_mx`: the name says that it receives no mail (RFC 7505).',
    }),
    total: nullable(Type.Integer({ minimum: 0 }), { description: 'Number of MX records; null if unknown.' }),
    hosts: nullable(
      list(
        Type.Object(
          {
            preference: Type.Integer({ description: 'Lower ones are tried first.' }),
            exchange: text('Host name of the mail server.'),
            addresses: nullable(Type.Array(Type.String(), { maxItems: 16 }), {
              description: 'Looked up for the first five hosts; null for the others.',
            }),
          },
          CLOSED,
        ),
      ),
      { description: 'At most 50, by preference; null if unknown.' },
    ),
  },
  CLOSED,
)

const spf = Type.Object(
  {
    status: status('The state of the SPF record.'),
    policy: nullable(Type.Enum(['fail', 'softfail', 'neutral', 'pass']), {
      description: 'Result for senders that the record does not list; null without a valid record.',
    }),
    lookups: nullable(Type.Integer({ minimum: 0 }), {
      description: 'DNS lookups if no term matches; 10 are allowed.',
    }),
    void_lookups: nullable(Type.Integer({ minimum: 0 }), {
      description: 'Lookups that return no records; 2 are allowed.',
    }),
    costs: nullable(
      list(
        Type.Object(
          {
            term: text('A term of the record, as written.'),
            lookups: Type.Integer({
              minimum: 1,
              description: 'Its own lookup and the lookups of the records that it leads to.',
            }),
          },
          CLOSED,
        ),
      ),
      { description: 'Which terms need the lookups; null without a record.' },
    ),
    includes: nullable(list(value), { description: 'Names that the record includes; null without a valid record.' }),
  },
  CLOSED,
)

const dkim = Type.Object(
  {
    status: Type.Enum(['valid', 'invalid', 'missing', 'unlisted', 'unknown'], {
      description:
        '`valid`: a well-known selector has a usable key. `unlisted`: there are selectors, but none of the well-known ones.',
    }),
    keys: nullable(
      list(
        Type.Object(
          {
            selector: text('The selector.'),
            status: Type.Enum(['valid', 'invalid', 'revoked', 'dangling', 'unknown'], {
              description: '`dangling`: an alias that leads to no key.',
            }),
            type: nullable(
              Type.Enum(['rsa', 'ed25519'], { description: 'Kind of the public key; null if it cannot be read.' }),
            ),
            bits: nullable(Type.Integer({ minimum: 0, description: 'Of the RSA modulus, otherwise of the key.' })),
            testing: nullable(Type.Boolean({ description: '`t=y`: receivers treat signed mail as unsigned.' })),
            alias: nullable(text('The name that has the key, where the selector is an alias.')),
          },
          CLOSED,
        ),
      ),
      { description: 'The well-known selectors that exist; null if unknown.' },
    ),
  },
  CLOSED,
)

const published = status('The state of this name’s own record, whichever record applies.')

export const dmarc = Type.Object(
  {
    status: status('The state of the policy that applies, also if a parent publishes it.'),
    published,
    found_at: nullable(value, { description: 'The name whose record applies: this one or a parent.' }),
    policy: policy('`p`: what receivers do with mail that fails.'),
    subdomain_policy: policy('`sp`: the same for names below; null if not stated.'),
    nonexistent_policy: policy('`np`: the same for names below that do not exist; null if not stated.'),
    effective_policy: nullable(Type.Enum(['none', 'quarantine', 'reject']), {
      description: 'The policy that applies to this name, with test mode applied.',
    }),
    testing: nullable(Type.Boolean({ description: '`t=y`: the policy is applied one level less strictly.' })),
    dkim_alignment: alignment('How exactly the domain of a DKIM signature must match the domain of the sender.'),
    spf_alignment: alignment('How exactly the domain that SPF authorises must match the domain of the sender.'),
    aggregate_reports: nullable(list(value), { description: '`rua`: where summaries are sent.' }),
    failure_reports: nullable(list(value), { description: '`ruf`: where reports of single mails are sent.' }),
  },
  CLOSED,
)

export const mtaSts = Type.Object(
  {
    status: status('The state of record and policy together (RFC 8461).'),
    id: nullable(text('The version of the policy, from the record.')),
    mode: nullable(Type.Enum(['enforce', 'testing', 'none'], { description: 'The mode that the policy states.' })),
    effective_mode: nullable(Type.Enum(['enforce', 'testing', 'none']), {
      description: 'What senders apply: `none` without a valid policy. Null if unknown.',
    }),
    max_age: nullable(Type.Integer({ minimum: 0 }), { description: 'Seconds.' }),
    mx: nullable(list(value), { description: 'Patterns of the mail servers that the policy allows.' }),
  },
  CLOSED,
)

export const schema = Type.Object(
  {
    has_mx: labelled(
      'Has mail servers',
      nullable(Type.Boolean(), { description: 'Has an MX record other than a null MX.' }),
    ),
    spf_record: labelled(
      'SPF record',
      nullable(record, { description: 'The SPF record, the first of several; null without one, or if unknown.' }),
    ),
    dmarc_record: labelled(
      'DMARC record',
      nullable(record, { description: 'The record that applies, also if a parent publishes it.' }),
    ),
    valid_config: labelled(
      'Valid configuration',
      nullable(Type.Boolean(), {
        description:
          'SPF and DMARC are valid, and mail servers can receive mail, as far as the name needs them; null if unknown.',
      }),
    ),
    mx: labelled('Mail servers', { ...mx, description: 'The MX records.' }),
    spf: labelled('SPF', { ...spf, description: 'Which servers may send mail in this name (RFC 7208).' }),
    dkim: labelled('DKIM', { ...dkim, description: 'The keys that sign mail of this name (RFC 6376).' }),
    dmarc: labelled('DMARC', {
      ...dmarc,
      description: 'What receivers do with mail that only claims to be from this name.',
    }),
    mta_sts: labelled('MTA-STS', { ...mtaSts, description: 'Whether other servers must encrypt mail to this name.' }),
    tls_rpt: labelled(
      'TLS-RPT',
      Type.Object(
        {
          status: status('The state of the TLS-RPT record (RFC 8460).'),
          reports: nullable(list(value), { description: 'Where reports of failed TLS are sent.' }),
        },
        { ...CLOSED, description: 'Reports about TLS between mail servers.' },
      ),
    ),
    bimi: labelled(
      'BIMI',
      Type.Object(
        {
          status: status('The state of the record that applies.'),
          published,
          found_at: nullable(value, {
            description: 'The name whose record applies: this one or its organizational domain.',
          }),
          logo: nullable(text('`l`: URL of the logo.')),
          authority: nullable(text('`a`: URL of the certificate of the mark.')),
        },
        { ...CLOSED, description: 'The logo that mail programs may show beside mail of this name.' },
      ),
    ),
    dnssec: labelled(
      'DNSSEC',
      Type.Enum(['signed', 'unsigned', 'bogus', 'unknown'], {
        description: '`bogus`: signed, but answers do not validate.',
      }),
    ),
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
              role: Type.Enum(['key_signing', 'zone_signing', 'other'], { description: 'By the flags of the key.' }),
              algorithm: text('Name of the algorithm.'),
              bits: nullable(Type.Integer({ minimum: 0 }), {
                description: 'Of the RSA modulus, otherwise of the key.',
              }),
            },
            CLOSED,
          ),
        ),
        { description: 'The keys of a signed zone (DNSKEY), at most 50.' },
      ),
    ),
    dnssec_signatures: labelled(
      'DNSSEC signatures',
      nullable(
        Type.Object(
          {
            valid_from: Type.String({ description: 'When it began to be valid.' }),
            expires_at: Type.String({ description: 'Zones are signed again well before.' }),
          },
          CLOSED,
        ),
        { description: 'The SOA or DNSKEY signature of a signed zone that expires first; null if unknown.' },
      ),
    ),
    zone: nullable(value, { description: 'The closest enclosing zone.' }),
    name_servers: nullable(list(value), {
      description: 'Host names of the name servers of the zone; null if unknown.',
    }),
    soa: labelled(
      'Start of authority',
      nullable(
        Type.Object(
          {
            primary: text('Host name of the primary name server.'),
            contact: nullable(value, { description: 'The e-mail address of the person in charge.' }),
            serial: seconds('Version of the zone.'),
            refresh: seconds('After which secondary servers look for a new version.'),
            retry: seconds('After which they try again.'),
            expire: seconds('After which they no longer answer.'),
            negative_ttl: seconds('How long resolvers cache that a record does not exist.'),
          },
          CLOSED,
        ),
        { description: 'The start of authority of the zone; times in seconds.' },
      ),
    ),
    https_records: labelled(
      'HTTPS records',
      nullable(
        list(
          Type.Object(
            {
              priority: Type.Integer({ description: '0 for an alias; otherwise lower ones are tried first.' }),
              target: nullable(text('The host that serves the site; null for the name itself.')),
              protocols: list(text('As in ALPN: `h2`, `h3`.'), {
                description: 'In addition to HTTP/1.1, unless it is ruled out.',
              }),
              port: nullable(Type.Integer({ description: 'Null for 443.' })),
              ech: Type.Boolean({ description: 'Browsers hide the name in the handshake (Encrypted Client Hello).' }),
              addresses: list(text('An address.'), { description: 'Hints, so that browsers can connect at once.' }),
            },
            CLOSED,
          ),
        ),
        { description: 'How browsers connect to the site (RFC 9460), by priority, at most 50; null if unknown.' },
      ),
    ),
    ipv6: labelled(
      'IPv6',
      Type.Object(
        {
          web: nullable(Type.Boolean(), { description: 'The name itself.' }),
          mail: nullable(Type.Boolean(), {
            description: 'At least one of the first five mail servers; null without any.',
          }),
          name_servers: nullable(Type.Boolean(), { description: 'At least one of the first four name servers.' }),
        },
        {
          ...CLOSED,
          description: 'Which of these have an IPv6 address; null if unknown or if there are no such servers.',
        },
      ),
    ),
    caa: labelled(
      'CAA',
      nullable(
        Type.Object(
          {
            found_at: nullable(text('The name that has the records: this one or a parent; null without records.')),
            records: list(
              Type.Object(
                {
                  critical: Type.Boolean({ description: 'Authorities that do not know the tag must not issue.' }),
                  tag: text('`issue`, `issuewild`, `iodef`, ...'),
                  value: text('As published, such as the name of an authority.'),
                },
                CLOSED,
              ),
              { description: 'The records, at most 50.' },
            ),
          },
          { ...CLOSED, description: 'Which authorities may issue certificates (RFC 8659); null if unknown.' },
        ),
      ),
    ),
    issues: nullable(
      list(
        Type.Object(
          {
            code: Type.String({ description: 'Stable identifier of the issue.' }),
            severity: Type.Enum(['error', 'warning', 'info'], { description: 'How serious it is.' }),
            message: text('The issue as a sentence.'),
          },
          CLOSED,
        ),
      ),
      { description: 'Null if no issue was found and a part is unknown.' },
    ),
  },
  CLOSED,
)

export type Section = Static<typeof schema>
