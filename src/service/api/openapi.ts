// The OpenAPI 3.1 document, made of the operations and the schemas that they are validated and typed by.
import { type TObject, type TSchema, Type } from 'typebox'
import { version } from '../../base/package_root.ts'
import { EVENT_TYPES, WatchEvent } from '../watch/event.ts'
import { webhook } from '../watch/webhook.ts'
import { CheckResult } from './check.ts'
import { OPERATIONS, SCHEMAS } from './operations.ts'
import { Problem, type ProblemCode, problemCodes, problemObject, problemStatus } from './problem.ts'
import { type DeclaredAnswer, LINES, type Operation, PICTURE } from './routes.ts'

const about = `Checks a domain name, an IP address or the page of a URL. The result holds a recommendation and its reason, a risk score \
from 0 to 100, a verdict, the signals with their points, and the facts.

Decide by recommendation: allow, review (have a person look at it, or ask for more proof) or block. The verdict alone is \
not enough. It follows from the score: safe (0 to 30), suspicious (31 to 70) or malicious (71 to 100). A safe target is \
recommended for review when too little of it was seen (confidence is low) or when a signal of severity high or critical is \
present, such as an expired certificate. coverage lists what could not be seen: unknown is not the same as good.`

/** Headers of every answer. */
const commonHeaders = Type.Object({
  'X-RateLimit-Limit': Type.Integer({ description: 'Answers that the plan allows in a period.' }),
  'X-RateLimit-Remaining': Type.Integer({ description: 'Answers left in this period.' }),
  'X-RateLimit-Reset': Type.Integer({
    description:
      'Unix seconds at which used answers are available again: the next period begins, or the oldest answers leave the window.',
  }),
  'X-Request-Id': Type.String({
    description: 'ID of the request in the log; the ID that the client sent, if it is valid.',
  }),
})

const retryAfter = Type.Object({
  'Retry-After': Type.Integer({ description: 'Seconds to wait before a retry.' }),
})

/** Headers that only some statuses have. */
const ownHeaders: Readonly<Record<number, TObject>> = {
  401: Type.Object({ 'WWW-Authenticate': Type.String({ description: 'Authentication scheme: ApiKey.' }) }),
  405: Type.Object({ Allow: Type.String({ description: 'Allowed methods.' }) }),
  429: retryAfter,
  503: retryAfter,
}

/** Refusals that any request may get. */
export const COMMON_PROBLEMS: readonly ProblemCode[] = [
  ...(['invalid-request', 'not-found', 'method-not-allowed', 'request-timeout', 'content-too-large'] as const),
  ...(['uri-too-long', 'headers-too-large', 'internal-error'] as const),
]

/** Refusals that any request with a key may get. */
export const KEY_PROBLEMS: readonly ProblemCode[] = [
  ...(['missing-api-key', 'invalid-api-key', 'rate-limited', 'store-unavailable'] as const),
]

/** The server when `public_url` is not set: the origin that served the document. */
const OWN_ORIGIN = '/'

/** `resultSchema` is that of the loaded plugins; `url` is where clients reach this installation, or null. */
export function describeApi(resultSchema: TSchema, url: string | null = null): Record<string, unknown> {
  return {
    openapi: '3.1.0',
    info: { title: 'assay', version, description: about, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: url?.replace(/\/+$/, '') ?? OWN_ORIGIN, description: 'This installation.' }],
    paths: pathsOf(Object.entries<Operation>(OPERATIONS)),
    webhooks: Object.fromEntries(EVENT_TYPES.map(type => [type, { post: webhookOperation(type) }])),
    components: {
      securitySchemes: {
        ApiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description:
            'Every check request needs an API key. The operator creates one with `npx assay keys create --plan startup`.',
        },
        Bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'The same key as Authorization: Bearer, for clients that cannot send other headers. Not both.',
        },
      },
      schemas: Object.fromEntries(
        Object.entries(SCHEMAS).map(([name, schema]) => [
          name,
          component(schema === CheckResult ? resultSchema : schema, `#/components/schemas/${name}`),
        ]),
      ),
    },
  }
}

/** Operations by path, which is written as in OpenAPI, and method. */
function pathsOf(operations: readonly (readonly [operationId: string, operation: Operation])[]) {
  const paths: Record<string, Record<string, object>> = {}
  for (const [operationId, operation] of operations) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describeOperation(operationId, operation) }
  }
  return paths
}

function describeOperation(operationId: string, operation: Operation): object {
  const { summary, description, params, query, headers, body, answer, later, problems, is_public, extensions } =
    operation
  const answers = later ? [answer, later] : [answer]
  return {
    operationId,
    summary,
    description,
    security: is_public ? [] : [{ ApiKey: [] }, { Bearer: [] }],
    parameters: [...parametersOf(params, 'path'), ...parametersOf(query, 'query'), ...parametersOf(headers, 'header')],
    ...(body && { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: {
      ...Object.fromEntries(answers.map(one => [one.status, answerResponse(one)])),
      ...problemResponses([...COMMON_PROBLEMS, ...(is_public ? [] : KEY_PROBLEMS), ...problems]),
    },
    ...extensions,
  }
}

/** What this service sends to the receiver of a watch. */
function webhookOperation(type: keyof typeof webhook.summaries): object {
  const { summaries, description, headers, answers } = webhook
  return {
    summary: summaries[type],
    description,
    security: [],
    parameters: parametersOf(headers, 'header'),
    requestBody: { required: true, content: { 'application/json': { schema: referenceTo(WatchEvent) } } },
    responses: Object.fromEntries(Object.entries(answers).map(([status, description]) => [status, { description }])),
  }
}

const parametersOf = (schema: TObject | undefined, place: 'path' | 'query' | 'header'): readonly object[] =>
  Object.entries(schema?.properties ?? {}).map(([name, property]) => {
    const { description, ...own } = property as TSchema & { readonly description?: string }
    return { name, in: place, required: schema?.required?.includes(name) ?? false, description, schema: own }
  })

const headersOf = (...schemas: readonly (TObject | undefined)[]): object =>
  Object.fromEntries(
    schemas.flatMap(schema =>
      Object.entries(schema?.properties ?? {}).map(([name, property]) => {
        const { description, ...own } = property as TSchema & { readonly description?: string }
        return [name, { description, schema: own }]
      }),
    ),
  )

const answerResponse = ({ description, schema, headers }: DeclaredAnswer): object => ({
  description,
  headers: headersOf(commonHeaders, headers),
  content: typeof schema === 'string' ? contents[schema] : { 'application/json': { schema: referenceTo(schema) } },
})

/** What answers without a schema hold. */
const contents: Readonly<Record<string, object>> = {
  [LINES]: { 'application/x-ndjson': { schema: { type: 'string' } } },
  [PICTURE]: { 'image/webp': { schema: { type: 'string', format: 'binary' } } },
}

const names = new Map<TSchema, string>(Object.entries<TSchema>(SCHEMAS).map(([name, schema]) => [schema, name]))

function referenceTo(schema: TSchema): object {
  const name = names.get(schema)
  if (name === undefined) throw new Error('The schema of an answer has no name in SCHEMAS.')
  return { $ref: `#/components/schemas/${name}` }
}

/** One response for each status, with an example of each problem. */
function problemResponses(codes: readonly ProblemCode[]): Record<string, object> {
  const orderedCodes = problemCodes.filter(code => codes.includes(code))
  const statuses = [...new Set(orderedCodes.map(problemStatus))].sort((a, b) => a - b)
  return Object.fromEntries(
    statuses.map(status => {
      const own = orderedCodes.filter(code => problemStatus(code) === status)
      const content = {
        schema: { $ref: '#/components/schemas/Problem' },
        examples: Object.fromEntries(own.map(exampleOf)),
      }
      return [
        String(status),
        {
          description: own.join(', '),
          headers: headersOf(commonHeaders, ownHeaders[status]),
          content: { 'application/problem+json': content },
        },
      ]
    }),
  )
}

const exampleOf = (code: ProblemCode) => [
  code,
  { summary: code, value: problemObject(new Problem(code), 'c0ffee00-0000-4000-8000-000000000000') },
]

/** The schema as part of a larger document: without `$schema`, and with references from the document's root. */
function component({ $schema: _, ...schema }: TSchema & { readonly $schema?: string }, at: string): unknown {
  const relocate = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(relocate)
    if (node === null || typeof node !== 'object') return node
    return Object.fromEntries(
      Object.entries(node).map(([name, value]) => [
        name,
        name === '$ref' && typeof value === 'string' && value.startsWith('#/') ? at + value.slice(1) : relocate(value),
      ]),
    )
  }
  return relocate(schema)
}
