// Operations about an account in the OpenAPI document, those of history.ts, usage.ts, watches.ts and jobs.ts, and the schemas of their answers.
import { type TSchema, Type } from 'typebox'
import { nullable } from '../../base/nullable.ts'
import { DAYS_KEPT } from '../../store/usage_days.ts'
import { ASKED_FORMATS, describedFormats, formatDescription } from './negotiation.ts'
import { jobOperations, jobSchemas } from './openapi_jobs.ts'
import {
  closed,
  type Described,
  id,
  inPath,
  inQuery,
  judged,
  LINES,
  type Operations,
  time,
} from './openapi_operation.ts'
import { watchOperations, watchSchemas } from './openapi_watches.ts'

const HistoryEntry = Type.Object(
  {
    result_id: id('The ID of the result.'),
    target: Type.String({ description: 'The name, or else the address, that was checked.' }),
    domain: nullable(Type.String()),
    ip: nullable(Type.String({ description: 'The address connected to, or the one that was checked.' })),
    ...judged,
    complete: Type.Boolean({ description: 'Whether everything applicable was seen.' }),
    kept: Type.Boolean({ description: 'False when the result itself was removed to make room.' }),
  },
  closed,
)

const HistoryPage = Type.Object(
  {
    target: nullable(Type.String({ description: 'The target asked for; null for all.' })),
    first_seen_at: nullable(time('When this installation first checked it; null if not known, or for all targets.')),
    results: Type.Array(HistoryEntry, { description: 'Latest first.' }),
    before: nullable(Type.String({ description: 'The value of `before` for the next page; null at the end.' })),
  },
  closed,
)

const ComparedResult = Type.Object({ result_id: nullable(id('The ID of the result.')), ...judged }, closed)

const Comparison = Type.Object(
  {
    target: Type.String(),
    from: ComparedResult,
    to: ComparedResult,
    changes: Type.Array(
      Type.Object({
        path: Type.String({ description: 'The field that changed.' }),
        severity: Type.String({ description: 'weakened, improved, changed or expected.' }),
        message: Type.String({ description: 'The change as a sentence.' }),
        before: Type.Unknown(),
        after: Type.Unknown(),
      }),
    ),
    not_compared: Type.Array(
      Type.Object({
        section: Type.String(),
        unknown: Type.Enum(['before', 'after', 'both']),
        reason: nullable(Type.String()),
      }),
      { description: 'Sections that one of the results did not see.' },
    ),
  },
  closed,
)

const share_id = Type.String({ description: 'Revokes the link; does not open it.' })
const created_at = time('When the link was created.')

const CreatedShare = Type.Object(
  {
    share_id,
    result_id: id('The ID of the result.'),
    created_at,
    token: id('The secret of the link. It is shown once and not stored.'),
    url: Type.String({ description: 'Shows the result to anyone who has it; relative without `server.public_url`.' }),
    badge_url: Type.String({ description: 'A picture (SVG) of the latest verdict on the target.' }),
  },
  closed,
)

const Shares = Type.Object({ shares: Type.Array(Type.Object({ share_id, created_at }, closed)) }, closed)
const Revoked = Type.Object({ share_id, revoked: Type.Literal(true) }, closed)

const DAY = '^\\d{4}-\\d{2}-\\d{2}$'
const day = (description: string) => Type.String({ pattern: DAY, description })

const UsageByDay = Type.Object(
  {
    from: day('The first day asked for, in UTC.'),
    to: day('The last day asked for.'),
    total: Type.Integer({ description: 'Answers of all these days.' }),
    days: Type.Array(Type.Object({ day: day('In UTC.'), answers: Type.Integer({ minimum: 1 }) }, closed), {
      description: `Days with answers, oldest first. Days are kept for ${DAYS_KEPT} days.`,
    }),
  },
  { ...closed, description: 'Counted as the quota counts; only with `by=day`.' },
)

const Usage = Type.Object(
  {
    account: Type.String({ description: 'The account of the key. All its keys share its quota.' }),
    key: Type.String({ description: 'The ID of the key.' }),
    plan: Type.String(),
    period: nullable(Type.String({ description: 'month, day, or a rolling window, as configured.' })),
    limit: Type.Integer({ description: 'Answers that the plan allows in a period.' }),
    used: Type.Integer(),
    remaining: Type.Integer(),
    reset_at: time('When used answers are available again.'),
    by_day: Type.Optional(UsageByDay),
  },
  closed,
)

/** The answers of these operations, for the OpenAPI document and for tests. */
export const accountSchemas = {
  Usage,
  HistoryPage,
  Comparison,
  CreatedShare,
  Shares,
  Revoked,
  ...watchSchemas,
  ...jobSchemas,
} as const

const inFormat = inQuery('format', formatDescription, { enum: [...ASKED_FORMATS], default: 'json' })

const ONE_DAY = { type: 'string', pattern: DAY }

const operations: Operations = {
  ...watchOperations,
  ...jobOperations,
  '/api/v1/usage': {
    get: {
      operationId: 'getUsage',
      summary: 'Get the usage of the account',
      description:
        'The plan of the key’s account, and how much of its quota is used; with `by=day`, its answers of each day. Does not count against the quota.',
      parameters: [
        inQuery('by', 'Adds the answers of each day.', { enum: ['day'] }),
        inQuery('from', 'The first day, in UTC; needs `by=day`. 30 days before the last by default.', ONE_DAY),
        inQuery('to', 'The last day, in UTC; needs `by=day`. Today by default.', ONE_DAY),
      ],
      answers: { status: 200, schema: 'Usage', description: 'The usage.' },
    },
  },
  '/api/v1/results/{id}': {
    get: {
      operationId: 'getResult',
      summary: 'Get a kept result',
      description:
        'The result as it was answered, for an account that was answered with it. Does not count against the quota.',
      parameters: [inPath('id', '`result_id` of the result.'), inFormat],
      answers: { status: 200, schema: 'CheckResult', description: 'The result.' },
    },
  },
  '/api/v1/history': {
    get: {
      operationId: 'listHistory',
      summary: 'List what the account was answered',
      description: 'One line for each result, latest first: of a name or address, or of all.',
      parameters: [
        inQuery('domain', 'A domain name.'),
        inQuery('ip', 'An IP address; not together with domain.'),
        inQuery(
          'before',
          'Only results checked before this time, or those after an earlier page: its value of `before`.',
          {
            type: 'string',
          },
        ),
        inQuery('limit', 'Results of one page.', { type: 'integer', minimum: 1, maximum: 500, default: 100 }),
      ],
      answers: { status: 200, schema: 'HistoryPage', description: 'A page of the history.' },
    },
  },
  '/api/v1/compare': {
    get: {
      operationId: 'compareResults',
      summary: 'Compare two kept results of one target',
      description: 'What changed from one result to the other, as `npx assay diff` shows it.',
      parameters: [
        inQuery('from', '`result_id` of the earlier result.', { type: 'string' }, true),
        inQuery('to', '`result_id` of the later result.', { type: 'string' }, true),
      ],
      answers: { status: 200, schema: 'Comparison', description: 'The differences.' },
    },
  },
  '/api/v1/results/{id}/shares': {
    get: {
      operationId: 'listShares',
      summary: 'List the links to a result',
      description: 'Links that the account created and did not revoke.',
      parameters: [inPath('id', '`result_id` of the result.')],
      answers: { status: 200, schema: 'Shares', description: 'The links, without their secrets.' },
    },
    post: {
      operationId: 'shareResult',
      summary: 'Create a link to a result',
      description: 'Whoever has the link sees this result without a key, until it is revoked or the result is too old.',
      parameters: [inPath('id', '`result_id` of the result.')],
      answers: { status: 201, schema: 'CreatedShare', description: 'The link.' },
    },
  },
  '/api/v1/shares/{id}': {
    delete: {
      operationId: 'revokeShare',
      summary: 'Revoke a link',
      description: 'The link and its badge stop working at once.',
      parameters: [inPath('id', '`share_id` of the link.')],
      answers: { status: 200, schema: 'Revoked', description: 'The link is revoked.' },
    },
  },
  '/api/v1/shared/{token}': {
    get: {
      operationId: 'getSharedResult',
      summary: 'Get the result behind a link',
      description: 'Needs no key.',
      parameters: [inPath('token', '`token` of the link.'), inFormat],
      answers: { status: 200, schema: 'CheckResult', description: 'The result.' },
    },
  },
}

/** Operations without a key. */
const PUBLIC: ReadonlySet<string> = new Set(['getSharedResult'])

/** The paths of kept results. `problems` are the responses that every operation may have. */
export function accountPaths(
  headers: object,
  problems: Readonly<Record<string, object>>,
  plain: (schema: TSchema) => object,
): Record<string, object> {
  const describe = ({ answers: { status, schema, description }, body, ...operation }: Described) => ({
    ...operation,
    ...(body && { requestBody: { required: true, content: { 'application/json': { schema: plain(body) } } } }),
    ...(schema === 'CheckResult' && { 'x-formats': describedFormats }),
    security: PUBLIC.has(operation.operationId) ? [] : [{ ApiKey: [] }],
    responses: {
      [status]: {
        description,
        headers,
        content:
          schema === LINES
            ? { 'application/x-ndjson': { schema: { type: 'string' } } }
            : { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
      },
      ...problems,
    },
  })
  return Object.fromEntries(
    Object.entries(operations).map(([path, methods]) => [
      path,
      Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, describe(operation)])),
    ]),
  )
}

export const accountComponents = (plain: (schema: TSchema) => object): Record<string, object> =>
  Object.fromEntries(Object.entries(accountSchemas).map(([name, schema]) => [name, plain(schema)]))
