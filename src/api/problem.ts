// Every way the interface says no, as data, and the error that carries one to the client (RFC 9457).

const problems = {
  'missing-target': { status: 400, title: 'No target', detail: 'Give a domain or an ip.' },
  'invalid-parameter': { status: 400, title: 'Invalid parameter', detail: 'The query cannot be read.' },
  'invalid-domain': { status: 400, title: 'Invalid domain', detail: 'The domain is not a domain name.' },
  'invalid-ip': { status: 400, title: 'Invalid IP address', detail: 'The ip is not an IP address.' },
  'invalid-request': { status: 400, title: 'Invalid request', detail: 'The request is not valid HTTP/1.1.' },
  'missing-api-key': { status: 401, title: 'No API key', detail: 'Send an API key in the header X-API-Key.' },
  'invalid-api-key': { status: 403, title: 'Invalid API key', detail: 'The API key is unknown, revoked or expired.' },
  'not-found': { status: 404, title: 'Not found', detail: 'There is nothing at this path.' },
  'method-not-allowed': { status: 405, title: 'Method not allowed', detail: 'Only GET and HEAD are answered here.' },
  'not-acceptable': {
    status: 406,
    title: 'Not acceptable',
    detail: 'Results come as application/json or text/event-stream.',
  },
  'request-timeout': { status: 408, title: 'Request time-out', detail: 'The request did not arrive in time.' },
  'content-too-large': { status: 413, title: 'Content too large', detail: 'A request has no body here.' },
  'uri-too-long': { status: 414, title: 'URI too long', detail: 'A request URI has at most 4096 octets.' },
  'target-not-checkable': { status: 422, title: 'Target not checkable', detail: 'The domain cannot be checked.' },
  'target-not-public': { status: 422, title: 'Target not public', detail: 'The ip is not globally reachable.' },
  'quota-exceeded': { status: 429, title: 'Quota exceeded', detail: 'The quota of this period is used up.' },
  'rate-limited': { status: 429, title: 'Rate limited', detail: 'Too many requests in a short time; try again soon.' },
  'headers-too-large': { status: 431, title: 'Headers too large', detail: 'Request headers have at most 16 KiB.' },
  'internal-error': {
    status: 500,
    title: 'Internal error',
    detail: 'The service failed; the request id leads to why.',
  },
  overloaded: { status: 503, title: 'Overloaded', detail: 'No room for another uncached check; try again soon.' },
  'target-busy': {
    status: 503,
    title: 'Target busy',
    detail: 'This domain is being checked as often as its owner can be asked to bear.',
  },
  'analysis-unavailable': {
    status: 503,
    title: 'Analysis unavailable',
    detail: 'The service cannot look at anything at present.',
  },
  'quota-store-error': { status: 503, title: 'Quota store error', detail: 'The request cannot be counted at present.' },
  'key-store-error': { status: 503, title: 'Key store error', detail: 'The API key cannot be looked up at present.' },
} as const satisfies Record<string, { status: number; title: string; detail: string }>

export type ProblemCode = keyof typeof problems

export const problemCodes = Object.keys(problems) as readonly ProblemCode[]

export const problemStatus = (code: ProblemCode): number => problems[code].status

/** Thrown anywhere below the app to end a request; `headers` are added to the response. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly code: ProblemCode
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  constructor(code: ProblemCode, detail: string = problems[code].detail, headers: Record<string, string> = {}) {
    // Nobody reads where a refusal was made, and to trace it costs as much as the rest of it.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(detail)
    Error.stackTraceLimit = stackTraceLimit
    this.code = code
    this.status = problems[code].status
    this.headers = headers
  }
}

/** The body, `application/problem+json`. Types are URNs: they identify, there is nothing to fetch (RFC 9457 section 3.1.1). */
export function problemBody({ code, status, message }: Problem, requestId: string): string {
  const { title } = problems[code]
  const type = `urn:assay:problem:${code}`
  return JSON.stringify({ type, title, status, detail: message, code, request_id: requestId })
}
