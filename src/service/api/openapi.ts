// The OpenAPI 3.1 document, built from the schemas that responses are validated against.
import { type TSchema, Type } from 'typebox'
import { version } from '../../base/package_root.ts'
import { ReportSchema } from '../../engine/report/schema.ts'
import { URL_CHARACTERS } from '../../targets/url.ts'
import { BATCH_TARGETS } from './batch.ts'
import { ASKED_FORMATS, describedFormats, formatDescription } from './negotiation.ts'
import { accountComponents, accountPaths } from './openapi_account.ts'
import { watchWebhooks } from './openapi_watches.ts'
import { Problem, type ProblemCode, problemBody, problemCodes, problemStatus } from './problem.ts'
import { eventStream } from './progress.ts'

export const ProblemSchema = Type.Object(
  {
    type: Type.String({ description: 'A URN that identifies the problem.' }),
    title: Type.String({ description: 'Short summary, the same for every problem with this code.' }),
    status: Type.Integer({ minimum: 400, maximum: 599, description: 'HTTP status of the response.' }),
    detail: Type.String({ description: 'What is wrong with this request, for people.' }),
    code: Type.Enum([...problemCodes], { description: 'Stable identifier; use it in programs.' }),
    request_id: Type.String({ description: 'ID of the request in the log; equal to X-Request-Id.' }),
  },
  { $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'Problem (RFC 9457)', additionalProperties: false },
)

const header = (description: string, schema: object = { type: 'integer' }) => ({ description, schema })

const commonHeaders = {
  'X-RateLimit-Limit': header('Answers that the plan allows in a period.'),
  'X-RateLimit-Remaining': header('Answers left in this period.'),
  'X-RateLimit-Reset': header(
    'Unix seconds at which used answers are available again: the next period begins, or the oldest leave the window.',
  ),
  'X-Request-Id': header('ID of the request in the log; the client’s own if it sent a valid one.', { type: 'string' }),
}

const parameter = (name: string, description: string, place = 'query', schema: object = { type: 'string' }) => ({
  name,
  in: place,
  required: false,
  description,
  schema,
})

/** Headers that only some statuses have. */
const ownHeaders: Readonly<Record<number, object>> = {
  401: { 'WWW-Authenticate': header('Authentication scheme: ApiKey.', { type: 'string' }) },
  405: { Allow: header('Allowed methods.', { type: 'string' }) },
  429: { 'Retry-After': header('Seconds after which a retry makes sense.') },
  503: { 'Retry-After': header('Seconds after which a retry makes sense.') },
}

const example = (code: ProblemCode) => ({
  summary: code,
  value: JSON.parse(problemBody(new Problem(code), 'c0ffee00-0000-4000-8000-000000000000')) as unknown,
})

/** The codes of each status, so that every problem is described. */
function problemResponses(): Record<string, object> {
  const statuses = [...new Set(problemCodes.map(problemStatus))].sort((a, b) => a - b)
  return Object.fromEntries(
    statuses.map(status => {
      const codes = problemCodes.filter(code => problemStatus(code) === status)
      const schema = { $ref: '#/components/schemas/Problem' }
      const examples = Object.fromEntries(codes.map(code => [code, example(code)]))
      return [
        String(status),
        {
          description: codes.join(', '),
          headers: { ...commonHeaders, ...ownHeaders[status] },
          content: { 'application/problem+json': { schema, examples } },
        },
      ]
    }),
  )
}

const about = `Checks a domain name, an IP address or the page of a URL. The result holds a recommendation and its reason, a risk score \
from 0 to 100, a verdict, the signals with their points, and the facts.

Decide by recommendation: allow, review (have a person look at it, or ask for more proof) or block. The verdict alone is \
not enough. It follows from the score: safe (0 to 30), suspicious (31 to 70) or malicious (71 to 100). A safe target is \
recommended for review when too little of it was seen (confidence is low) or when a signal of severity high or critical is \
present, such as an expired certificate. coverage lists what could not be seen: unknown is not the same as good.`

const operation = `One of domain, ip and url is required; with domain and ip, the domain is analysed at that address. With url, \
the page sections describe that page; name, address, DNS, mail and certificate are those of its host. Every result counts against the quota, cached or not. HEAD works like GET, without the body. A response arrives within 10 seconds. Results are \
application/json, also without an Accept header; format or Accept selects STIX or MISP, and Accept: text/event-stream adds progress events.`

const BatchRequest = Type.Object(
  {
    targets: Type.Array(Type.String(), {
      minItems: 1,
      maxItems: BATCH_TARGETS,
      description: 'Domain names, IP addresses and URLs, mixed as you like.',
    }),
    visit: Type.Optional(
      Type.Boolean({ default: true, description: 'false contacts no site, as the parameter of a single check.' }),
    ),
  },
  { additionalProperties: false },
)

const batch = `Each line of the answer is a result with the members input and line, or {input, line, domain, ip, url, error: {code, detail}} \
for a target that is invalid or could not be checked. Lines come as soon as checks end. Each result counts against the quota, \
one by one; errors do not. The checks of one domain wait for each other. When the connection ends, no further check \
begins: send the targets that have no line again. With Prefer: respond-async the answer is a job, whose progress and results \
are fetched later.`

/** An extension, because a second schema of the 200 would make generated clients type every response as a union. */
const reportAnswer = {
  description:
    'With `format=report`, the answer is a Report: a view of the result for people, in the order in which they read it and in plain words. It may change with any version.',
  schema: { $ref: '#/components/schemas/Report' },
}

/** The server when `public_url` is not set: the origin that served the document. */
const OWN_ORIGIN = '/'

/** `resultSchema` is that of the loaded plugins; `url` is where clients reach this installation, or null. */
export function describeApi(resultSchema: TSchema, url: string | null = null): Record<string, unknown> {
  const result = structuredClone(resultSchema) as unknown as Record<string, unknown>
  return {
    openapi: '3.1.0',
    info: { title: 'assay', version, description: about, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: url?.replace(/\/+$/, '') ?? OWN_ORIGIN, description: 'This installation.' }],
    paths: {
      '/api/v1/check': {
        get: {
          operationId: 'check',
          summary: 'Check a domain name, an IP address or a URL',
          description: operation,
          security: [{ ApiKey: [] }],
          parameters: [
            parameter('domain', 'A domain name, in U-labels or A-labels.'),
            parameter('ip', 'An IPv4 address in dotted-decimal form, or an IPv6 address.'),
            parameter(
              'url',
              `An http or https URL, percent-encoded as a whole, at most ${URL_CHARACTERS} characters; not together with domain or ip. Its page is checked instead of the front page, with one GET; a link that works only once is used up by it. User information, control characters, white space and backslashes are refused. The fragment is ignored. Path and query are never logged or sent to third parties.`,
              'query',
              { type: 'string', format: 'uri', maxLength: URL_CHARACTERS },
            ),
            parameter(
              'visit',
              'false judges the target by its name, DNS, registration and lists, and does not contact the site. Sections about the site are not_applicable (not_visited) and confidence is low, unless a listing decides.',
              'query',
              { type: 'boolean', default: true },
            ),
            parameter(
              'fresh',
              'true checks again instead of serving a cached result. Limits per domain and per key apply.',
              'query',
              { type: 'boolean', default: false },
            ),
            parameter('format', formatDescription, 'query', { enum: [...ASKED_FORMATS], default: 'json' }),
            parameter(
              'X-Request-Id',
              'Up to 64 letters, digits, hyphens and underscores. The response returns it.',
              'header',
            ),
          ],
          responses: {
            '200': {
              description: 'The check result.',
              headers: {
                ...commonHeaders,
                'X-Cache': header('Whether the result was cached.', { enum: ['HIT', 'MISS'] }),
              },
              content: { 'application/json': { schema: { $ref: '#/components/schemas/CheckResult' } } },
            },
            ...problemResponses(),
          },
          'x-event-stream': eventStream,
          'x-report': reportAnswer,
          'x-formats': describedFormats,
        },
      },
      '/api/v1/checks': {
        post: {
          operationId: 'checkMany',
          summary: `Check up to ${BATCH_TARGETS} targets in one request`,
          description: batch,
          security: [{ ApiKey: [] }],
          parameters: [
            parameter(
              'Prefer',
              'respond-async (RFC 7240) answers at once with a job (202), unless this installation has none.',
              'header',
            ),
          ],
          requestBody: { required: true, content: { 'application/json': { schema: plain(BatchRequest) } } },
          responses: {
            '200': {
              description: 'One line (JSON) for each target, in the order in which the checks end.',
              headers: commonHeaders,
              content: { 'application/x-ndjson': { schema: { type: 'string' } } },
            },
            '202': {
              description: 'A job, which goes on without a connection.',
              headers: {
                ...commonHeaders,
                Location: header('The path of the job.', { type: 'string' }),
                'Preference-Applied': header('respond-async.', { type: 'string' }),
                'Retry-After': header('Seconds after which a look at the job makes sense.'),
              },
              content: { 'application/json': { schema: { $ref: '#/components/schemas/Job' } } },
            },
            ...problemResponses(),
          },
        },
      },
      ...accountPaths(commonHeaders, problemResponses(), plain),
    },
    webhooks: watchWebhooks,
    components: {
      securitySchemes: {
        ApiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description:
            'Every check request needs an API key. The operator creates one with `npx assay keys create --plan startup`.',
        },
      },
      schemas: {
        CheckResult: relocated(result, '#/components/schemas/CheckResult'),
        Report: relocated(plain(ReportSchema), '#'),
        Problem: relocated(plain(ProblemSchema), '#'),
        ...accountComponents(plain),
      },
    },
  }
}

const plain = (schema: TSchema) => JSON.parse(JSON.stringify(schema)) as Record<string, unknown>

/** The schema as part of a larger document: without `$schema`, and with references from the document's root. */
function relocated(schema: Record<string, unknown>, at: string): unknown {
  const { $schema: _, ...rest } = schema
  return JSON.parse(JSON.stringify(rest).replaceAll('"$ref":"#/', `"$ref":"${at}/`))
}
