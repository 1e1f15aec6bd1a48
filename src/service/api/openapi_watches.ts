// Operations about watches in the OpenAPI document, those of watches.ts, and the schemas of their answers.
import { Type } from 'typebox'
import { nullable } from '../../base/nullable.ts'
import { FORMATS } from '../../store/watches.ts'
import { closed, id, inPath, judged, type Operations, time } from './openapi_operation.ts'

const WatchedResult = Type.Object(
  {
    result_id: nullable(id('The ID of the result; null when results are not kept.')),
    ...judged,
    recommendation_reason: Type.String(),
  },
  closed,
)

const watch = {
  watch_id: Type.String(),
  target: Type.String({ description: 'The domain name or address, in canonical form.' }),
  every: Type.String({ description: 'The interval between two checks: 90m, 6h, 1d.' }),
  notify: Type.String({
    description: 'The origin of the receiver; the rest of its URL may be a secret and is not shown.',
  }),
  format: Type.Enum([...FORMATS]),
  created_at: time('When it was created.'),
  next_check_at: nullable(time('When the next check is due; null when no more are made.')),
  last_result: nullable(WatchedResult, { description: 'The last result; null before the first.' }),
  last_failure: nullable(Type.Object({ code: Type.String(), at: time('When.') }, closed), {
    description: 'Why the last check has no result, such as `quota-exceeded` or `no-valid-key`.',
  }),
  stopped: nullable(Type.Enum(['receiver-gone']), {
    description: '`receiver-gone`: the receiver answered 410, so nothing is checked any more.',
  }),
}

const Watch = Type.Object(watch, closed)

const CreatedWatch = Type.Object(
  {
    ...watch,
    secret: Type.String({ description: 'Signs the webhooks (`whsec_…`). It is shown once and never returned again.' }),
  },
  closed,
)

const Watches = Type.Object(
  {
    watches: Type.Array(Watch, { description: 'Oldest first.' }),
    limit: Type.Integer({ description: 'Watches that an account may have.' }),
  },
  closed,
)

const RemovedWatch = Type.Object({ watch_id: Type.String(), removed: Type.Literal(true) }, closed)

/** The body of a webhook with the format `json`. */
export const WatchEvent = Type.Object(
  {
    type: Type.Enum(['watch.changed', 'watch.test']),
    timestamp: time('When the change was found.'),
    data: Type.Object(
      {
        watch_id: Type.String(),
        target: Type.String(),
        changes: Type.Array(
          Type.Object(
            {
              matter: Type.String({
                description:
                  'recommendation, verdict, listing, certificate, certificate_expiring, mail, name_servers or address.',
              }),
              severity: Type.Enum(['weakened', 'strengthened', 'changed']),
              path: Type.String({ description: 'The field that changed.' }),
              message: Type.String({ description: 'The change as a sentence.' }),
              before: Type.Unknown(),
              after: Type.Unknown(),
            },
            closed,
          ),
        ),
        result: nullable(WatchedResult),
        previous: nullable(WatchedResult),
        url: nullable(Type.String(), { description: 'The result on the page of this installation.' }),
      },
      closed,
    ),
  },
  closed,
)

const delivery = {
  delivery_id: Type.String({ description: 'Also the header `webhook-id` of each attempt.' }),
  type: Type.Enum(['watch.changed', 'watch.test']),
  created_at: time('When the event was found.'),
  state: Type.Enum(['pending', 'delivered', 'dead'], { description: '`dead`: given up after the last attempt.' }),
  attempts: Type.Integer({ minimum: 0 }),
  next_attempt_at: nullable(time('When the next attempt is due.')),
  last_attempt: nullable(
    Type.Object(
      {
        at: time('When.'),
        status: nullable(Type.Integer({ description: 'Status of the response.' })),
        failure: nullable(Type.String({ description: 'Why it failed, such as `timeout` or `status_500`.' })),
      },
      closed,
    ),
  ),
  event: WatchEvent,
}

const Delivery = Type.Object(delivery, closed)
const Deliveries = Type.Object({ deliveries: Type.Array(Delivery, { description: 'Latest first.' }) }, closed)

export const watchSchemas = { Watch, CreatedWatch, Watches, RemovedWatch, WatchEvent, Delivery, Deliveries } as const

const NewWatch = Type.Object(
  {
    target: Type.String({ description: 'A domain name or an IP address.' }),
    every: Type.Optional(
      Type.String({ default: '6h', description: 'The interval between two checks, at least `watch.least_minutes`.' }),
    ),
    notify: Type.String({ description: 'The https URL that receives webhooks.' }),
    format: Type.Optional(
      Type.Enum([...FORMATS], {
        default: 'json',
        description: 'The body: the event, or a message for Slack or Teams.',
      }),
    ),
  },
  closed,
)

const watchId = inPath('id', '`watch_id` of the watch.')

export const watchOperations: Operations = {
  '/api/v1/watches': {
    get: {
      operationId: 'listWatches',
      summary: 'List the watches of the account',
      description: 'Oldest first.',
      parameters: [],
      answers: { status: 200, schema: 'Watches', description: 'The watches.' },
    },
    post: {
      operationId: 'createWatch',
      summary: 'Watch a target',
      description:
        'Checks the target again and again, and sends a webhook when something changes that matters. Each check counts against the quota. Webhooks are signed by the Standard Webhooks scheme.',
      parameters: [],
      body: NewWatch,
      answers: {
        status: 201,
        schema: 'CreatedWatch',
        description: 'The watch, with the secret that signs its webhooks.',
      },
    },
  },
  '/api/v1/watches/{id}': {
    get: {
      operationId: 'getWatch',
      summary: 'Get a watch',
      description: 'With its last result.',
      parameters: [watchId],
      answers: { status: 200, schema: 'Watch', description: 'The watch.' },
    },
    delete: {
      operationId: 'removeWatch',
      summary: 'Remove a watch',
      description: 'Its events that are not delivered yet are dropped.',
      parameters: [watchId],
      answers: { status: 200, schema: 'RemovedWatch', description: 'The watch is removed.' },
    },
  },
  '/api/v1/watches/{id}/test': {
    post: {
      operationId: 'testWatch',
      summary: 'Send a test event',
      description: 'Sent once, at once. The list of deliveries has its outcome.',
      parameters: [watchId],
      answers: { status: 202, schema: 'Delivery', description: 'The delivery, which has begun.' },
    },
  },
  '/api/v1/watches/{id}/deliveries': {
    get: {
      operationId: 'listDeliveries',
      summary: 'List the deliveries of a watch',
      description: 'The last 100 events of the last 30 days, and those still to be delivered.',
      parameters: [watchId],
      answers: { status: 200, schema: 'Deliveries', description: 'The deliveries.' },
    },
  },
  '/api/v1/watches/{id}/deliveries/{delivery}/replay': {
    post: {
      operationId: 'replayDelivery',
      summary: 'Deliver an event again',
      description: 'With the same `webhook-id` and a higher `webhook-attempt`; tried again like a new one.',
      parameters: [watchId, inPath('delivery', '`delivery_id` of the delivery.')],
      answers: { status: 202, schema: 'Delivery', description: 'The delivery, which has begun.' },
    },
  },
}

const inHeader = (name: string, description: string) => ({
  ...{ name, in: 'header', required: true, description, schema: { type: 'string' } },
})

const received = (when: string) => ({
  post: {
    summary: `Receive an event ${when}`,
    description:
      'Sent to `notify` of the watch, signed by the Standard Webhooks scheme with its `secret`. The body is a message for Slack or Teams where `format` says so.',
    security: [],
    parameters: [
      inHeader('webhook-id', 'The ID of the event, the same for every attempt.'),
      inHeader('webhook-timestamp', 'When this attempt was sent, in Unix seconds.'),
      inHeader('webhook-signature', '`v1,` and the Base64 of HMAC-SHA256 over `id.timestamp.body`.'),
      inHeader('webhook-attempt', '1 for the first attempt, more for repetitions.'),
    ],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/WatchEvent' } } },
    },
    responses: {
      '2XX': { description: 'Received.' },
      '410': { description: 'Wanted no more: nothing is checked any more.' },
      default: { description: 'Not received: it is sent again later, an event of a test is not.' },
    },
  },
})

/** What this service sends, by the type of the event. */
export const watchWebhooks = {
  'watch.changed': received('when something changed that matters'),
  'watch.test': received('on request, to try the receiver'),
}
