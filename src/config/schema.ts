// The configuration's shape: every key, its default, its bounds and its reason.
import { type Static, Type } from 'typebox'
import { GREENCHECK } from '../evidence/green_hosting.ts'
import { limits } from '../network/limits.ts'
import { DatasetSettings, Downloads } from './dataset_schema.ts'

const closed = { additionalProperties: false } as const
const section = { ...closed, default: {} } as const

/** Longer than any result is of use; far beyond it no clock can tell when one ends. */
const year_seconds = 31_536_000

const Plan = Type.Object(
  {
    quota: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Answered requests per period.' }),
    period: Type.Enum(['month', 'day'], { description: 'Calendar periods in UTC.' }),
  },
  closed,
)

const PluginSetting = Type.Union([
  Type.Boolean({ description: '`false` switches the plugin off, and with it the network cost only it has.' }),
  Type.Object(
    {
      options: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      weights: Type.Optional(Type.Record(Type.String(), Type.Number(), { description: 'Points by signal id.' })),
    },
    closed,
  ),
])

/** Network limits may be lowered here; the defaults are the ceilings. */
const Limits = Type.Object(
  Object.fromEntries(
    Object.entries(limits).map(([name, most]) => [name, Type.Integer({ minimum: 1, maximum: most, default: most })]),
  ) as Record<keyof typeof limits, ReturnType<typeof Type.Integer>>,
  section,
)

const UnsafeLimits = Type.Object(
  Object.fromEntries(
    Object.keys(limits).map(name => [name, Type.Optional(Type.Integer({ minimum: 1 }))]),
  ) as unknown as Record<keyof typeof limits, ReturnType<typeof Type.Integer>>,
  {
    ...section,
    required: [],
    description: 'Raises limits above their ceilings, at the operator’s risk; warned at every start.',
  },
)

export const ConfigSchema = Type.Object(
  {
    server: Type.Object(
      {
        host: Type.String({
          default: '127.0.0.1',
          description: 'Address to listen on; put a TLS proxy in front before you widen it.',
        }),
        port: Type.Integer({ minimum: 0, maximum: 65535, default: 8080, description: '0 takes any free port.' }),
        trusted_proxies: Type.Array(Type.String(), {
          default: [],
          description: 'Addresses and CIDRs of proxies whose X-Forwarded-For is believed; nobody’s when empty.',
        }),
        failed_keys_per_minute: Type.Integer({
          minimum: 1,
          default: 20,
          description: 'Invalid keys from one address (IPv6: one /64) that are told so; more get 429.',
        }),
        drain_delay_ms: Type.Integer({
          minimum: 0,
          maximum: 60_000,
          default: 500,
          description:
            'How long `/readyz` says no before nothing new is accepted: longer than a balancer takes to notice.',
        }),
      },
      section,
    ),
    data: Type.String({
      default: './data',
      minLength: 1,
      description: 'Directory of the embedded store, or of what an instance keeps while Redis is out.',
    }),
    store: Type.Union([Type.String({ pattern: '^rediss?://[!-~]{1,500}$' }), Type.Null()], {
      default: null,
      description:
        'URL of a Redis or Valkey (`redis://`, with TLS `rediss://`) that several instances share; the embedded store when null. ASSAY_STORE beats it, for a URL with a password.',
    }),
    check: Type.Object(
      {
        deadline_ms: Type.Integer({
          minimum: 500,
          maximum: 9_000,
          default: 8_000,
          description: 'Client libraries give up at 10 000.',
        }),
        concurrency: Type.Integer({
          minimum: 1,
          maximum: 10_000,
          default: 256,
          description: 'Uncached checks at once.',
        }),
        per_key: Type.Integer({ minimum: 1, default: 20, description: 'Uncached checks at once for one key.' }),
        per_key_per_second: Type.Integer({
          minimum: 1,
          default: 50,
          description: 'Uncached checks that one key may begin in a second; cached answers are not limited by it.',
        }),
        per_domain: Type.Integer({
          minimum: 1,
          default: 2,
          description: 'Checks at once of one registrable domain or address, for the sake of its owner.',
        }),
        per_domain_per_second: Type.Integer({ minimum: 1, default: 5, description: 'The same in a second.' }),
      },
      section,
    ),
    network: Type.Object(
      {
        resolvers: Type.Array(Type.String(), {
          default: [],
          description: '`["127.0.0.1:5353"]`; the system’s when empty.',
        }),
        unsafe_allow: Type.Array(Type.String(), {
          default: [],
          description: 'CIDRs that may be dialled although they are not public.',
        }),
        contact: Type.Union([Type.String({ pattern: '^https?://[!-~]{1,200}$' }), Type.Null()], {
          default: null,
          description: 'URL in the User-Agent, for owners of checked sites.',
        }),
        limits: Limits,
        unsafe_limits: UnsafeLimits,
      },
      section,
    ),
    datasets: DatasetSettings,
    downloads: Downloads,
    blocklists: Type.Object(
      {
        enabled: Type.Record(Type.String(), Type.Boolean(), {
          default: {},
          description: 'By list id: switches it on or off against its default; see src/evidence/listings/.',
        }),
        zones: Type.Record(Type.String(), Type.String(), {
          default: {},
          description: 'By list id: another zone of the same list, such as one with your key in it or your own mirror.',
        }),
        explain: Type.Boolean({ default: false, description: 'Asks listing lists for their reasons too.' }),
      },
      section,
    ),
    green_hosting: Type.Object(
      {
        enabled: Type.Boolean({
          default: true,
          description: 'Asks the Green Web Foundation; it sees every name that is checked.',
        }),
        endpoint: Type.String({ pattern: '^https://[!-~]{1,200}$', default: GREENCHECK }),
        timeout_ms: Type.Integer({
          minimum: 100,
          maximum: 8_000,
          default: 1_500,
          description: 'For one question: no check waits long for a fact that costs no points.',
        }),
      },
      section,
    ),
    keys: Type.Object(
      {
        prefix: Type.String({ pattern: '^[a-z][a-z0-9]{0,15}$', default: 'assay' }),
        requests_per_second: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
          default: null,
          description: 'Requests of one key in a second, cached answers included; null for no limit.',
        }),
        rotation_hours: Type.Number({
          minimum: 0,
          maximum: 876_000,
          default: 24,
          description: 'How long a rotated key stays valid.',
        }),
      },
      section,
    ),
    plans: Type.Record(Type.String({ pattern: '^[a-z][a-z0-9_-]{0,31}$' }), Plan, {
      additionalProperties: false,
      default: { startup: { quota: 10_000, period: 'month' }, business: { quota: 50_000, period: 'month' } },
    }),
    cache: Type.Object(
      {
        complete_seconds: Type.Number({ minimum: 0, maximum: year_seconds, default: 3_600 }),
        incomplete_seconds: Type.Number({ minimum: 0, maximum: year_seconds, default: 60 }),
        not_found_seconds: Type.Number({ minimum: 0, maximum: year_seconds, default: 300 }),
        max_bytes: Type.Integer({
          minimum: 0,
          default: 64 * 1024 * 1024,
          description: 'In the memory of each instance.',
        }),
        shared_max_bytes: Type.Integer({
          minimum: 0,
          default: 256 * 1024 * 1024,
          description: 'In Redis, for all instances together.',
        }),
      },
      section,
    ),
    plugins: Type.Record(Type.String(), PluginSetting, { default: {} }),
    load: Type.Array(
      Type.Union([
        Type.String({ minLength: 1 }),
        Type.Object(
          {
            module: Type.String({ minLength: 1 }),
            integrity: Type.Optional(
              Type.String({
                pattern: '^sha512-[A-Za-z0-9+/]{86}==$',
                description: 'Of that file alone, as in a package-lock.json; modules it imports are not looked at.',
              }),
            ),
            isolated: Type.Optional(
              Type.Boolean({
                description:
                  'In a process of its own, which has a second for each answer, 256 MiB (Linux) and no network; analyzers only. In the service’s process when absent.',
              }),
            ),
          },
          closed,
        ),
      ]),
      {
        default: [],
        description:
          'Plugin modules: paths relative to this file, or package names. Those that are not isolated run with the service’s rights, in its process.',
      },
    ),
    scoring: Type.Object(
      {
        groups: Type.Record(Type.String(), Type.Number({ minimum: -100, maximum: 100 }), {
          default: {},
          description: 'Ceilings by group, merged over the defaults.',
        }),
      },
      section,
    ),
    metrics: Type.Object(
      {
        expose: Type.Enum(['off', 'loopback', 'port'], {
          default: 'loopback',
          description:
            'Who reads `/metrics`: nobody; this machine, on the port of the service; or whoever reaches a port of its own.',
        }),
        host: Type.String({ default: '127.0.0.1' }),
        port: Type.Integer({ minimum: 0, maximum: 65535, default: 9464 }),
      },
      section,
    ),
    log: Type.Object(
      { level: Type.Enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'], { default: 'info' }) },
      section,
    ),
  },
  closed,
)

export type Config = Static<typeof ConfigSchema>
