// The interface described (OpenAPI 3.1), from the same schemas the answers are checked against.
import { type TSchema, Type } from 'typebox'
import { version } from '../version.ts'
import { Problem, type ProblemCode, problemBody, problemCodes, problemStatus } from './problem.ts'
import { eventExample, eventStream } from './progress_events.ts'

export const ProblemSchema = Type.Object(
  {
    type: Type.String({ description: 'A URN that identifies the problem.' }),
    title: Type.String({ description: 'The same for every problem of this code.' }),
    status: Type.Integer({ minimum: 400, maximum: 599, description: 'The answer’s own.' }),
    detail: Type.String({ description: 'What is wrong this time, for people.' }),
    code: Type.Enum([...problemCodes], { description: 'What to decide by; stable.' }),
    request_id: Type.String({ description: 'Leads to the log; that of X-Request-Id.' }),
  },
  { $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'Problem (RFC 9457)', additionalProperties: false },
)

const header = (description: string, schema: object = { type: 'integer' }) => ({ description, schema })

const commonHeaders = {
  'X-RateLimit-Limit': header('Answers the plan allows in a period.'),
  'X-RateLimit-Remaining': header('Answers left in this period.'),
  'X-RateLimit-Reset': header('Unix seconds at which the next period begins.'),
  'X-Request-Id': header('Leads to the log; the client’s own when it sent a sound one.', { type: 'string' }),
}

const parameter = (name: string, description: string, place = 'query') => ({
  name,
  in: place,
  required: false,
  description,
  schema: { type: 'string' },
})

/** Headers that some statuses have besides. */
const ownHeaders: Readonly<Record<number, object>> = {
  401: { 'WWW-Authenticate': header('The scheme: ApiKey.', { type: 'string' }) },
  405: { Allow: header('The methods there are: GET, HEAD.', { type: 'string' }) },
  429: { 'Retry-After': header('Seconds until it is worth asking again.') },
  503: { 'Retry-After': header('Seconds until it is worth asking again.') },
}

const example = (code: ProblemCode) => ({
  summary: code,
  value: JSON.parse(problemBody(new Problem(code), 'c0ffee00-0000-4000-8000-000000000000')) as unknown,
})

/** The codes of each status, so that every problem of the table is described. */
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

const about = `Checks a domain name or an IP address and answers with a risk score from 0 to 100, a verdict, the signals behind it \
point by point, and the facts.

Decide by the verdict: safe (0 to 30) allow, suspicious (31 to 70) have a person look or ask for more proof, malicious \
(71 to 100) block. Look at coverage too: what could not be seen is unknown, which is not the same as good.`

const operation = `One of domain and ip is required; with both, the domain is analysed at that address. Every answer with a \
result counts one of the quota, whether it was kept or looked up. HEAD is answered like GET, without the body. An answer \
comes within 10 seconds. Accept is application/json, which is also what comes without it; text/event-stream, asked for by \
name, tells of the progress besides.`

/** `resultSchema` is that of the plugins in force. */
export function describeApi(resultSchema: TSchema): Record<string, unknown> {
  const result = structuredClone(resultSchema) as unknown as Record<string, unknown>
  return {
    openapi: '3.1.0',
    info: { title: 'assay', version, description: about, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    paths: {
      '/api/v1/check': {
        get: {
          operationId: 'check',
          summary: 'Check a domain name or an IP address',
          description: operation,
          security: [{ ApiKey: [] }],
          parameters: [
            parameter('domain', 'A domain name, in U-labels or A-labels.'),
            parameter('ip', 'An IPv4 address as dotted quad, or an IPv6 address.'),
            parameter(
              'X-Request-Id',
              'Up to 64 letters, digits, hyphens and underscores; the answer has it again.',
              'header',
            ),
          ],
          responses: {
            '200': {
              description: 'The check result.',
              headers: { ...commonHeaders, 'X-Cache': header('Where it is from.', { enum: ['HIT', 'MISS'] }) },
              content: {
                'application/json': { schema: { $ref: '#/components/schemas/CheckResult' } },
                'text/event-stream': { schema: eventStream, examples: { miss: eventExample } },
              },
            },
            ...problemResponses(),
          },
        },
      },
    },
    components: {
      securitySchemes: {
        ApiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: 'Every request to the check carries an API key. `assay keys create` makes them.',
        },
      },
      schemas: {
        CheckResult: relocated(result, '#/components/schemas/CheckResult'),
        Problem: relocated(plain(ProblemSchema), '#'),
      },
    },
  }
}

const plain = (schema: TSchema) => JSON.parse(JSON.stringify(schema)) as Record<string, unknown>

/** The schema as part of a larger document: no `$schema` of its own, local references from the document's root. */
function relocated(schema: Record<string, unknown>, at: string): unknown {
  const { $schema: _, ...rest } = schema
  return JSON.parse(JSON.stringify(rest).replaceAll('"$ref":"#/', `"$ref":"${at}/`))
}
