// Every error response of the API as data, and the error that carries one to the client (RFC 9457).
import { type Static, Type } from 'typebox'

const problems = {
  'missing-target': {
    status: 400,
    title: 'Missing target',
    detail: 'Set the query parameter `domain`, `ip`, `url` or `email`.',
  },
  'conflicting-targets': {
    status: 400,
    title: 'Conflicting targets',
    detail: '`url` and `email` cannot be combined with `domain`, `ip` or each other.',
  },
  'invalid-parameter': { status: 400, title: 'Invalid parameter', detail: 'The query string is not valid.' },
  'invalid-domain': { status: 400, title: 'Invalid domain', detail: '`domain` is not a domain name.' },
  'invalid-ip': { status: 400, title: 'Invalid IP address', detail: '`ip` is not an IP address.' },
  'invalid-url': { status: 400, title: 'Invalid URL', detail: '`url` is not an http or https URL.' },
  'invalid-email': { status: 400, title: 'Invalid e-mail address', detail: '`email` is not an e-mail address.' },
  'invalid-body': { status: 400, title: 'Invalid body', detail: 'The request body is not valid.' },
  'invalid-request': { status: 400, title: 'Invalid request', detail: 'The request is not valid HTTP/1.1.' },
  'missing-api-key': {
    status: 401,
    title: 'Missing API key',
    detail: 'Send an API key in the header X-API-Key, or as Authorization: Bearer.',
  },
  'invalid-api-key': { status: 403, title: 'Invalid API key', detail: 'The API key is unknown, revoked or expired.' },
  'not-found': { status: 404, title: 'Not found', detail: 'This path does not exist.' },
  'method-not-allowed': { status: 405, title: 'Method not allowed', detail: 'This path does not allow the method.' },
  'not-acceptable': {
    status: 406,
    title: 'Not acceptable',
    detail:
      'Results are available as application/json, text/event-stream, application/stix+json;version=2.1 and application/vnd.misp+json.',
  },
  'result-not-found': {
    status: 404,
    title: 'Result not found',
    detail: 'No such result for this account, or it is no longer kept.',
  },
  'history-disabled': {
    status: 404,
    title: 'History disabled',
    detail: 'The history is disabled on this installation.',
  },
  'watch-not-found': { status: 404, title: 'Watch not found', detail: 'This account has no such watch.' },
  'watches-disabled': { status: 404, title: 'Watches disabled', detail: 'Watches are disabled on this installation.' },
  'watch-limit': { status: 409, title: 'Watch limit', detail: 'The account has reached its limit of watches.' },
  'share-limit': { status: 409, title: 'Link limit', detail: 'The account has reached its limit of links.' },
  'job-not-found': { status: 404, title: 'Job not found', detail: 'This account has no such job.' },
  'jobs-disabled': { status: 404, title: 'Jobs disabled', detail: 'Jobs are disabled on this installation.' },
  'lookalikes-disabled': {
    status: 404,
    title: 'Look-alikes disabled',
    detail: 'The search for look-alikes is disabled on this installation.',
  },
  'job-limit': { status: 409, title: 'Job limit', detail: 'The account has reached its limit of unfinished jobs.' },
  'request-timeout': { status: 408, title: 'Request timeout', detail: 'The request took too long to arrive.' },
  'content-too-large': { status: 413, title: 'Content too large', detail: 'Request bodies are not accepted.' },
  'uri-too-long': { status: 414, title: 'URI too long', detail: 'The request URI is longer than 8192 bytes.' },
  'target-not-checkable': {
    status: 422,
    title: 'Target not checkable',
    detail: 'This kind of target cannot be checked.',
  },
  'target-not-public': {
    status: 422,
    title: 'Target not public',
    detail: 'The target is not reachable from the public Internet.',
  },
  'quota-exceeded': { status: 429, title: 'Quota exceeded', detail: 'The quota of this period is used up.' },
  'rate-limited': { status: 429, title: 'Rate limited', detail: 'Too many requests. Retry later.' },
  'headers-too-large': { status: 431, title: 'Headers too large', detail: 'Request headers are larger than 16 KiB.' },
  'internal-error': {
    status: 500,
    title: 'Internal error',
    detail: 'Internal error. Include the request ID when you report it.',
  },
  overloaded: { status: 503, title: 'Overloaded', detail: 'Too many concurrent checks. Retry later.' },
  'target-busy': {
    status: 503,
    title: 'Target busy',
    detail: 'Too many concurrent checks of this domain. Retry later.',
  },
  'analysis-unavailable': {
    status: 503,
    title: 'Analysis unavailable',
    detail: 'The service cannot check targets at present. Retry later.',
  },
  'history-unavailable': {
    status: 503,
    title: 'History unavailable',
    detail: 'Kept results cannot be read at present. Retry later.',
  },
  'watches-unavailable': {
    status: 503,
    title: 'Watches unavailable',
    detail: 'Watches cannot be read or written at present. Retry later.',
  },
  'jobs-unavailable': {
    status: 503,
    title: 'Jobs unavailable',
    detail: 'Jobs cannot be read or written at present. Retry later.',
  },
  'store-unavailable': {
    status: 503,
    title: 'Store unavailable',
    detail: 'The request cannot be counted against the quota at present. Retry later.',
  },
} as const satisfies Record<string, { status: number; title: string; detail: string }>

export type ProblemCode = keyof typeof problems

export const problemCodes = Object.keys(problems) as readonly ProblemCode[]

export const problemStatus = (code: ProblemCode): number => problems[code].status

export const ProblemSchema = Type.Object(
  {
    type: Type.String({
      description:
        'The path of its description in the reference of the service; the same for every problem with this code.',
    }),
    title: Type.String({ description: 'Short summary, the same for every problem with this code.' }),
    status: Type.Integer({ minimum: 400, maximum: 599, description: 'HTTP status of the response.' }),
    detail: Type.String({ description: 'What is wrong with this request, as a sentence.' }),
    code: Type.Enum([...problemCodes], { description: 'Stable identifier; use it in programs.' }),
    request_id: Type.String({ description: 'ID of the request in the log; equal to X-Request-Id.' }),
  },
  { $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'Problem (RFC 9457)', additionalProperties: false },
)

/** Throw it below the app to end a request; `headers` are added to the response, and the log shows the cause. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly code: ProblemCode
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  constructor(
    code: ProblemCode,
    detail: string = problems[code].detail,
    headers: Record<string, string> = {},
    cause?: unknown,
  ) {
    // A stack trace of a refusal is never read, and costs as much as everything else about it.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(detail, { cause })
    Error.stackTraceLimit = stackTraceLimit
    this.code = code
    this.status = problems[code].status
    this.headers = headers
  }
}

/** Seconds after which a store that failed may work again. */
const STORE_RETRY = { 'Retry-After': '5' }

/** Settles like `work`, but rejects with the problem `code` (503) instead of any error that is not a problem itself. */
export async function orUnavailable<T>(
  code: 'history-unavailable' | 'jobs-unavailable' | 'watches-unavailable' | 'store-unavailable',
  work: () => Promise<T>,
  detail?: string,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Problem) throw error
    throw new Problem(code, detail, STORE_RETRY, error)
  }
}

/** Where the reference describes a problem: a whole path, which any base URL of the service resolves (RFC 9457 section 3.1.1). */
const typeOf = (code: ProblemCode): string => `/docs/reference#${problemAnchor(code)}`

/** The ID of its row in the reference. */
export const problemAnchor = (code: string): string => `problem-${code}`

/** The body, as `application/problem+json`. */
export function problemObject({ code, status, message }: Problem, requestId: string): Static<typeof ProblemSchema> {
  const { title } = problems[code]
  return { type: typeOf(code), title, status, detail: message, code, request_id: requestId }
}

/** The same as it is sent. */
export const problemBody = (problem: Problem, requestId: string): string =>
  JSON.stringify(problemObject(problem, requestId))

export const overloadProblem = (seconds = 1) => new Problem('overloaded', undefined, { 'Retry-After': `${seconds}` })
