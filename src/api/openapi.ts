// The interface described (OpenAPI 3.1), from the same schemas the answers are checked against.
import { type TSchema, Type } from 'typebox'
import { version } from '../version.ts'
import { problemCodes, problemStatus } from './problem.ts'

export const ProblemSchema = Type.Object(
  {
    type: Type.String({ description: 'A URN that identifies the problem.' }),
    title: Type.String(),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: Type.String(),
    code: Type.Enum([...problemCodes]),
    request_id: Type.String(),
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

const parameter = (name: string, description: string) => ({
  name,
  in: 'query',
  required: false,
  description,
  schema: { type: 'string' },
})

/** The codes of each status, so that every problem of the table is described. */
function problemResponses(): Record<string, object> {
  const statuses = [...new Set(problemCodes.map(problemStatus))].sort((a, b) => a - b)
  return Object.fromEntries(
    statuses.map(status => [
      String(status),
      {
        description: problemCodes.filter(code => problemStatus(code) === status).join(', '),
        headers: commonHeaders,
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    ]),
  )
}

/** `resultSchema` is that of the plugins in force. */
export function describeApi(resultSchema: TSchema): Record<string, unknown> {
  const result = structuredClone(resultSchema) as unknown as Record<string, unknown>
  return {
    openapi: '3.1.0',
    info: { title: 'assay', version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    paths: {
      '/api/v1/check': {
        get: {
          operationId: 'check',
          summary: 'Check a domain name or an IP address',
          description: 'One of domain or ip is required. With both, the domain is analysed at that address.',
          security: [{ ApiKey: [] }],
          parameters: [
            parameter('domain', 'A domain name, in U-labels or A-labels.'),
            parameter('ip', 'An IPv4 address as dotted quad, or an IPv6 address.'),
          ],
          responses: {
            '200': {
              description: 'The check result.',
              headers: { ...commonHeaders, 'X-Cache': header('Where it is from.', { enum: ['HIT', 'MISS'] }) },
              content: { 'application/json': { schema: { $ref: '#/components/schemas/CheckResult' } } },
            },
            ...problemResponses(),
          },
        },
      },
    },
    components: {
      securitySchemes: { ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
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
