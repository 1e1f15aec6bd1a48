// The configuration schema: every key with its default, its bounds and its reason.
import { type Static, Type } from 'typebox'
import { nullable } from '../base/nullable.ts'
import { CompositeSchema } from '../engine/composites_of.ts'
import { SEVERITIES } from '../engine/scoring/severity.ts'
import { GREENCHECK } from '../evidence/green_hosting/gather.ts'
import { ConfiguredBrands } from '../knowledge/brands/configured_brands.ts'
import { limits } from '../network/limits.ts'
import { DEFAULT_URL_PORTS } from '../targets/url.ts'
import { DatasetSettings, Downloads } from './dataset_schema.ts'
import { periodKinds } from './quota_rule.ts'

const closed = { additionalProperties: false } as const
const section = { ...closed, default: {} } as const

/** Who may read what is exchanged (Traffic Light Protocol 2.0). */
export const TLP_LEVELS = ['clear', 'green', 'amber', 'amber+strict', 'red'] as const
export type Tlp = (typeof TLP_LEVELS)[number]

/** More than any machine has cores for. */
export const WORKERS_MAX = 256

/** Also `redis://`, so that its refusal can name what replaced it. */
const StoreUrl = Type.String({ pattern: '^[a-z+]+://[!-~]{1,1000}$' })

/** Longer than any result is useful; far beyond it, clocks cannot represent the end. */
const yearSeconds = 31_536_000

const lifeOf = (seconds: number, description: string) =>
  Type.Number({ minimum: 0, maximum: yearSeconds, default: seconds, description })

const Plan = Type.Object(
  {
    quota: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Answered requests per period.' }),
    period: Type.Enum([...periodKinds], {
      description:
        '`month` and `day` are calendar periods in UTC; the others are rolling windows of 30 days and 24 hours.',
    }),
  },
  closed,
)

const PluginSetting = Type.Union([
  Type.Boolean({ description: '`false` disables the plugin and the network requests that only it needs.' }),
  Type.Object(
    {
      options: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      weights: Type.Optional(Type.Record(Type.String(), Type.Number(), { description: 'Points by signal id.' })),
      severities: Type.Optional(
        Type.Record(Type.String(), Type.Enum([...SEVERITIES]), {
          description: 'Severity by signal id: with a high or critical signal, even a safe target needs a review.',
        }),
      ),
    },
    closed,
  ),
])

/** Network limits can only be lowered here; the defaults are the ceilings. */
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
    description: 'Raises limits above their ceilings, at the operator’s risk; logged as a warning at every start.',
  },
)

const AtOnce = { minimum: 1, maximum: 1_000 } as const
const PerSecond = Type.Integer({ minimum: 1, maximum: 100_000 })

const OwnList = Type.Array(
  Type.Union([
    Type.String({ minLength: 1 }),
    Type.Object(
      {
        entry: Type.String({ minLength: 1 }),
        reason: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Shown in the result.' })),
        expires: Type.Optional(
          Type.String({ description: 'A date, or a time (RFC 3339), from which it no longer counts.' }),
        ),
      },
      closed,
    ),
    Type.Object(
      { file: Type.String({ minLength: 1, description: 'One entry per line; read again when it changes.' }) },
      closed,
    ),
  ]),
  {
    default: [],
    description:
      'Domain names, which cover the names below them, addresses and CIDR ranges. Blocked targets are malicious; allowed targets never score above 30.',
  },
)

export const ConfigSchema = Type.Object(
  {
    server: Type.Object(
      {
        host: Type.String({
          default: '127.0.0.1',
          minLength: 1,
          description: 'Address to listen on. Put a TLS proxy in front before you use another one.',
        }),
        port: Type.Integer({ minimum: 0, maximum: 65535, default: 8080, description: '0 takes any free port.' }),
        workers: Type.Union([Type.Integer({ minimum: 1, maximum: WORKERS_MAX }), Type.Literal('auto')], {
          default: 1,
          description:
            'Processes that serve the port together, with one store: `auto` for one per core. 1 serves from a single process.',
        }),
        public_url: nullable(Type.String({ pattern: '^https?://[!-~]{1,200}$' }), {
          default: null,
          description:
            'URL at which clients reach this service, for `servers` in /openapi.json; null: the origin of the request.',
        }),
        trusted_proxies: Type.Array(Type.String(), {
          default: [],
          description: 'Addresses and CIDRs of proxies whose X-Forwarded-For is trusted; none when empty.',
        }),
        cors_origins: Type.Array(Type.String(), {
          default: [],
          description:
            'Origins whose pages may call the API from a browser: `["https://app.example.com"]`; `["*"]` for all. A key in a page is public.',
        }),
        failed_keys_per_minute: Type.Integer({
          minimum: 1,
          default: 20,
          description: 'Invalid keys that one address (IPv6: one /64) may send in a minute; more get 429.',
        }),
        loading_ms: Type.Integer({
          minimum: 0,
          // A worker that is not ready after two minutes is given up.
          maximum: 60_000,
          // Many times what the default datasets take without their indexes on a busy machine; orchestrators wait as long for a start.
          default: 30_000,
          description:
            'How long the start waits until the datasets on disk are read. Then the service listens, and results without a dataset that is still missing are incomplete.',
        }),
        drain_delay_ms: Type.Integer({
          minimum: 0,
          maximum: 60_000,
          // HAProxy looks every two seconds and needs three failures, of which it retries the requests of the last.
          default: 5_000,
          description:
            'How long `/readyz` fails before new connections are refused: longer than load balancers need to notice. A service that runs in a terminal ends without it.',
        }),
      },
      section,
    ),
    data: Type.String({
      default: './data',
      minLength: 1,
      description: 'Directory of the embedded store and of the datasets.',
    }),
    store: nullable(StoreUrl, {
      default: null,
      description:
        'URL of a PostgreSQL database (`postgres://user:password@host:5432/assay`) that several instances share; a file in `data` when null. ASSAY_STORE overrides it, for a URL with a password.',
    }),
    check: Type.Object(
      {
        deadline_ms: Type.Integer({
          minimum: 500,
          maximum: 9_000,
          default: 8_000,
          description: 'Milliseconds for a whole check. Client libraries time out at 10 000.',
        }),
        concurrency: Type.Integer({
          minimum: 1,
          maximum: 10_000,
          default: 256,
          description: 'Concurrent uncached checks.',
        }),
        per_key: Type.Integer({
          minimum: 1,
          default: 20,
          description: 'Concurrent uncached checks of one key, including waiting ones.',
        }),
        per_key_per_second: Type.Integer({
          minimum: 1,
          default: 50,
          description: 'Uncached checks per second of one key, including refused ones; cached results are not limited.',
        }),
        per_domain: Type.Integer({
          minimum: 1,
          default: 2,
          description: 'Concurrent checks of one registrable domain or address, to protect its owner.',
        }),
        per_domain_per_second: Type.Integer({
          minimum: 1,
          default: 5,
          description: 'Checks per second of one registrable domain or address.',
        }),
        test_targets: nullable(Type.String({ pattern: '^[a-z0-9-]{1,63}(\\.[a-z0-9-]{1,63})+$', maxLength: 200 }), {
          default: null,
          description:
            'Domain of the test targets, such as `assay.test`: its names `safe.`, `review.`, `block.` and `unavailable.` have fixed answers that cost no quota. Anyone can use them, so set none on a service that decides about real targets.',
        }),
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
          description: 'CIDRs that checks may connect to although they are not public.',
        }),
        deny: Type.Array(Type.String(), {
          default: [],
          description:
            'Addresses, CIDRs and domain names (with their subdomains) that no check contacts, whatever else allows them: your own ranges that look public, the prefix of your NAT64. Your resolvers and your store are not affected.',
        }),
        url_ports: Type.Array(Type.Integer({ minimum: 1, maximum: 65_535 }), {
          default: [...DEFAULT_URL_PORTS],
          minItems: 1,
          maxItems: 64,
          uniqueItems: true,
          description: 'Ports that a checked URL may have.',
        }),
        egress_controls: Type.Array(Type.String({ pattern: '^[A-Za-z0-9.:\\[\\]-]{1,260}$' }), {
          default: [],
          maxItems: 16,
          description:
            'Hosts, `host` or `host:port` (443 by default), that test the outbound path when no connection succeeded recently, in addition to the hosts that this installation uses anyway.',
        }),
        contact: nullable(Type.String({ pattern: '^https?://[!-~]{1,200}$' }), {
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
    lists: Type.Object({ allow: OwnList, block: OwnList }, section),
    brands: ConfiguredBrands,
    blocklists: Type.Object(
      {
        enabled: Type.Record(Type.String(), Type.Boolean(), {
          default: {},
          description: 'By list id: enables or disables a blocklist; see src/evidence/listings/.',
        }),
        zones: Type.Record(Type.String(), Type.String(), {
          default: {},
          description: 'By list id: another zone of the same list, such as one with your key or your own mirror.',
        }),
        daily: Type.Record(Type.String(), nullable(Type.Integer({ minimum: 0 }), {}), {
          default: {},
          description:
            'By list id: queries per UTC day that your contract with the list allows; null for no limit. The known lists have the limit of their free use.',
        }),
        explain: Type.Boolean({ default: false, description: 'Also queries why a target is listed.' }),
      },
      section,
    ),
    registries: Type.Object(
      {
        // Few registries publish what they allow. Eight at once are 100 queries a second where one takes 80 ms.
        at_once: Type.Integer({
          ...AtOnce,
          default: 8,
          description: 'Concurrent queries to one registry, of all processes that share a store.',
        }),
        per_second: nullable(PerSecond, {
          default: null,
          description: 'Queries per second to one registry, of all processes that share a store; null for no limit.',
        }),
        timeout_ms: Type.Integer({
          minimum: 100,
          maximum: 8_000,
          default: 3_000,
          description:
            'For the lookup of one target, with its wait for a slot. Bulk runs use most of `check.deadline_ms`.',
        }),
        hosts: Type.Record(
          Type.String({ pattern: '^[a-z0-9.-]{1,253}$' }),
          Type.Object(
            { at_once: Type.Optional(Type.Integer(AtOnce)), per_second: Type.Optional(nullable(PerSecond)) },
            closed,
          ),
          {
            default: {},
            additionalProperties: false,
            description: 'By host of an RDAP or WHOIS service: other limits than those above.',
          },
        ),
      },
      section,
    ),
    green_hosting: Type.Object(
      {
        enabled: Type.Boolean({
          default: true,
          description: 'Queries the Green Web Foundation, which then sees every checked name.',
        }),
        endpoint: Type.String({ pattern: '^https://[!-~]{1,200}$', default: GREENCHECK }),
        timeout_ms: Type.Integer({
          minimum: 100,
          maximum: 8_000,
          default: 1_500,
          description: 'For one request: no check waits long for a fact without points.',
        }),
      },
      section,
    ),
    rendering: Type.Object(
      {
        browser: nullable(Type.String({ minLength: 1, maxLength: 1_000 }), {
          default: null,
          description: 'Path of Chromium, such as `/usr/bin/chromium`; null: no page is rendered.',
        }),
        when: Type.Enum(['needed', 'always', 'asked'], {
          default: 'needed',
          description:
            'Which pages are rendered without `render=true`: pages that a script writes, if no threat feed lists the target; all; none.',
        }),
        price: Type.Integer({
          minimum: 1,
          maximum: 100,
          default: 1,
          description: 'How many checks of the quota a request with `render=true` costs.',
        }),
        at_once: Type.Integer({
          minimum: 1,
          maximum: 16,
          default: 2,
          description: 'Pages that the browser of a process renders at the same time.',
        }),
        limit_ms: Type.Integer({
          minimum: 1_500,
          maximum: 8_000,
          default: 3_000,
          description: 'Milliseconds for one page, within the deadline of the check.',
        }),
        heap_mb: Type.Integer({
          minimum: 64,
          maximum: 4_096,
          default: 256,
          description: 'MiB of JavaScript memory, and of WebAssembly memory, of one page.',
        }),
        sandbox: Type.Boolean({
          default: true,
          description:
            'Chromium’s own sandbox. Without it, a defect of Chromium gives a page the rights of this service; only for containers that forbid user namespaces and hold nothing else.',
        }),
      },
      section,
    ),
    keys: Type.Object(
      {
        prefix: Type.String({ pattern: '^[a-z][a-z0-9]{0,15}$', default: 'assay' }),
        requests_per_second: nullable(Type.Integer({ minimum: 1 }), {
          default: null,
          description: 'Requests per second of one key, including cached results; null for no limit.',
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
      minProperties: 1,
      default: { startup: { quota: 10_000, period: 'month' }, business: { quota: 50_000, period: 'month' } },
    }),
    cache: Type.Object(
      {
        urls: Type.Boolean({
          default: true,
          description: 'Cache results of URLs. They contain the URL; their keys do not.',
        }),
        complete_seconds: lifeOf(3_600, 'How long a complete result is cached.'),
        not_found_seconds: lifeOf(300, 'The same for a name that does not exist.'),
        withheld_seconds: lifeOf(
          600,
          'The same for a result in which the target or a third party withholds a part: a block page, a challenge, a silent blocklist.',
        ),
        incomplete_seconds: lifeOf(60, 'The same for a result in which a part is missing because of this service.'),
        max_bytes: Type.Integer({
          minimum: 0,
          default: 64 * 1024 * 1024,
          description: 'In the memory of each process.',
        }),
        shared_max_bytes: Type.Integer({
          minimum: 0,
          default: 256 * 1024 * 1024,
          description: 'In the store, compressed: results that are not in the history.',
        }),
      },
      section,
    ),
    history: Type.Object(
      {
        days: Type.Number({
          minimum: 0,
          maximum: 3_650,
          default: 30,
          description: 'How long results are kept for the accounts that saw them; 0 keeps none.',
        }),
        first_seen_days: Type.Number({
          minimum: 0,
          maximum: 3_650,
          default: 365,
          description:
            'How long the name or address of a target is remembered after its last check, at least as long as its results; see `first_seen_at`.',
        }),
        max_bytes: Type.Integer({
          minimum: 0,
          default: 512 * 1024 * 1024,
          description:
            'Bytes of kept results, compressed, with the facts for the search: some 40 000 results. Beyond that, the oldest results are removed; their lines in the history stay.',
        }),
        search: Type.Enum(['account', 'installation'], {
          default: 'account',
          description: 'Results that an account can search and read: its own, or all results kept since this was set.',
        }),
      },
      section,
    ),
    watch: Type.Object(
      {
        per_account: Type.Integer({
          minimum: 0,
          maximum: 10_000,
          default: 100,
          description: 'Watches of one account; 0 disables watches.',
        }),
        least_minutes: Type.Integer({
          minimum: 1,
          maximum: 44_640,
          default: 60,
          description: 'Shortest interval between two checks of a watch. Each check counts against the quota.',
        }),
        allow_private: Type.Array(Type.String(), {
          default: [],
          description:
            'Addresses and CIDRs that webhooks may be sent to although they are not public, also over http. `network.unsafe_allow` has no effect on webhooks.',
        }),
        mail: Type.Object(
          {
            host: nullable(Type.String({ pattern: '^[A-Za-z0-9._:-]{1,253}$' }), {
              default: null,
              description:
                'Mail submission server for the e-mail of watches; null: no mail is sent. It is contacted directly, also on a private address.',
            }),
            port: Type.Integer({
              minimum: 1,
              maximum: 65_535,
              default: 587,
              description: 'Often 587, or 465 with `implicit`.',
            }),
            tls: Type.Enum(['starttls', 'implicit', 'none'], {
              default: 'starttls',
              description:
                '`starttls` sends nothing to a server without STARTTLS, `implicit` encrypts from the first octet (port 465), `none` never does, for a server on this machine. Certificates must be valid.',
            }),
            user: nullable(Type.String({ maxLength: 256 }), { default: null, description: 'None when null.' }),
            password: nullable(Type.String({ maxLength: 1_024 }), {
              default: null,
              description: 'Take it from the environment with `$env`.',
            }),
            from: nullable(Type.String({ pattern: '^[A-Za-z0-9._+-]{1,64}@[A-Za-z0-9.-]{1,185}$' }), {
              default: null,
              description: 'The sender’s address.',
            }),
            recipient_domains: Type.Array(Type.String(), {
              default: [],
              description:
                'Domains that watches may send mail to; subdomains must be listed too. Empty: no mail is sent.',
            }),
          },
          section,
        ),
      },
      section,
    ),
    lookalikes: Type.Object(
      {
        names: Type.Integer({
          minimum: 0,
          maximum: 60_000,
          default: 10_000,
          description:
            'Maximum names that one search for look-alikes looks up in DNS, the likeliest first; 0 disables these searches.',
        }),
        at_once: Type.Integer({
          minimum: 1,
          maximum: 256,
          default: 32,
          description: 'Concurrent queries of all searches of a process.',
        }),
        per_second: Type.Integer({
          minimum: 1,
          maximum: 5_000,
          default: 100,
          description: 'Names per second that all searches of a process look up: choose what your resolver can handle.',
        }),
        watch_hours: Type.Integer({
          minimum: 0,
          maximum: 744,
          default: 24,
          description: 'Hours between two searches of a watch for new look-alikes; 0 searches at each of its checks.',
        }),
      },
      section,
    ),
    jobs: Type.Object(
      {
        per_account: Type.Integer({
          minimum: 0,
          maximum: 1_000,
          default: 10,
          description: 'Unfinished jobs of one account; 0 disables jobs, and every batch is answered at once.',
        }),
        days: Type.Number({
          exclusiveMinimum: 0,
          maximum: 365,
          default: 7,
          description: 'How long a job and its results are kept after its end, for clients that come back late.',
        }),
        max_bytes: Type.Integer({
          minimum: 1024 * 1024,
          default: 512 * 1024 * 1024,
          description:
            'Bytes of targets and results of all jobs, compressed: some 100 000 results. Beyond that, the jobs that ended first are removed; if all are unfinished, new jobs are refused.',
        }),
      },
      section,
    ),
    exchange: Type.Object(
      {
        tlp: nullable(Type.Enum([...TLP_LEVELS]), {
          default: 'amber',
          description:
            'Marking of results in STIX and MISP (Traffic Light Protocol 2.0); null for none. The terms of many lists forbid publishing their entries.',
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
                description:
                  'Hash of that file only, as in a package-lock.json; modules that it imports are not checked.',
              }),
            ),
            isolated: Type.Optional(
              Type.Boolean({
                description:
                  'Runs the module in a separate process with one second for each call, 256 MiB (Linux), access to its own files and packages only, and no network: its gatherers use the network of the check. Its extensions can only gather. Not a boundary for malicious code. By default it runs in the service’s process.',
              }),
            ),
          },
          closed,
        ),
      ]),
      {
        default: [],
        description:
          'Plugin modules: paths relative to this file, or package names. Plugins that are not isolated run in the service’s process with its rights.',
      },
    ),
    scoring: Type.Object(
      {
        groups: Type.Record(Type.String(), Type.Number({ minimum: -100, maximum: 100 }), {
          default: {},
          description: 'Ceilings by group, merged over the defaults.',
        }),
        composites: Type.Record(
          Type.String({ pattern: '^[a-z][a-z0-9_]{0,63}$' }),
          Type.Union([Type.Literal(false), CompositeSchema]),
          {
            default: {},
            description:
              'Signals that mean more together, by id, merged over the defaults (docs/scoring.md); `false` switches one off.',
          },
        ),
      },
      section,
    ),
    metrics: Type.Object(
      {
        expose: Type.Enum(['off', 'port', 'service'], {
          default: 'port',
          description:
            'Where `/metrics` is served: nowhere, on a port of its own, or on the service’s port for this machine only. In the last case a proxy on this machine that adds no forwarding header must not forward it.',
        }),
        host: Type.String({
          default: '127.0.0.1',
          minLength: 1,
          description: 'Address that `metrics.port` listens on.',
        }),
        port: nullable(Type.Integer({ minimum: 0, maximum: 65535 }), {
          default: null,
          description:
            '0 takes any free port; null takes the service’s port plus 1000 (minus 1000 above 65535). The start fails when a port named here is taken; if the port of null is taken, the service starts without it and logs that.',
        }),
        by_key: Type.Boolean({
          default: false,
          description:
            'Whether answers are also counted by key, as `assay_key_answers_total`. The label is the beginning of the key’s ID. The first 1000 keys of each process are distinguished, the others count together.',
        }),
      },
      section,
    ),
    telemetry: Type.Object(
      {
        traces: Type.Object(
          {
            endpoint: nullable(Type.String({ pattern: '^https?://[!-~]{1,500}$' }), {
              default: null,
              description:
                'Where OpenTelemetry traces are sent by OTLP over HTTP, such as `http://127.0.0.1:4318/v1/traces`; none when null. It is contacted directly, also on a private address.',
            }),
            headers: Type.Record(Type.String({ pattern: '^[A-Za-z0-9-]{1,64}$' }), Type.String({ maxLength: 4_096 }), {
              additionalProperties: false,
              default: {},
              description: 'Headers for the collector, such as its token: take it from the environment with `$env`.',
            }),
            sample: Type.Number({
              minimum: 0,
              maximum: 1,
              default: 1,
              description: 'The share of requests that are traced.',
            }),
            targets: Type.Boolean({
              default: false,
              description:
                'Whether the names and addresses of targets, and the hosts that a check contacts, are attributes.',
            }),
            accept_context: Type.Boolean({
              default: false,
              description:
                'Continues the trace that a client names in `traceparent` (W3C Trace Context), with its sampling decision. Only for clients that you trust.',
            }),
            service_name: Type.String({ default: 'assay', minLength: 1, maxLength: 80 }),
          },
          section,
        ),
      },
      section,
    ),
    log: Type.Object(
      {
        level: Type.Enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'], { default: 'info' }),
        client_address: Type.Enum(['full', 'prefix', 'none'], {
          default: 'prefix',
          description:
            'The client’s address in the log line of each request: complete, only its network (/24 for IPv4, /48 for IPv6), or not at all.',
        }),
      },
      section,
    ),
  },
  closed,
)

export type Config = Static<typeof ConfigSchema>
