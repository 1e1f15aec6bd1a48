// Watches over HTTP.
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { Webhook } from 'standardwebhooks'
import type { TSchema } from 'typebox'
import { SCHEMAS } from '../../../src/service/api/operations.ts'
import { startWatchWork } from '../../../src/service/watch/work.ts'
import { createWatches } from '../../../src/store/sql/watches.ts'
import { openAt, queuePlaces } from '../../store/queue_places.ts'
import { noMail, openWebhooks, type Receiver, startReceiver } from '../watch/receiver.ts'
import { dropTable, eventually, type Service, startService } from './service.ts'

const ajv = new Ajv2020()
const clock = { now: Date.now, monotonic: () => performance.now() }

interface Started extends Service {
  readonly receiver: Receiver
}

async function start(t: TestContext): Promise<Started> {
  const { database, queues } = await openAt(await queuePlaces.SQLite(), {
    now: Date.now,
    onFailure() {},
    limits: { look_ms: 10 },
  })
  const store = createWatches(database, { now: Date.now })
  const receiver = await startReceiver()
  const webhooks = openWebhooks()
  const result = { domain: 'a.com', verdict: 'safe', recommendation: 'allow', recommendation_reason: 'No risk.' }
  const seen = { ...result, risk_score: 1, checked_at: '2026-11-25T00:00:00Z', coverage: { sections: {} } }
  const { wake } = startWatchWork({
    store,
    queues,
    webhooks,
    mail: noMail,
    clock,
    public_url: null,
    ask: async () => ({ ok: true, result: seen }),
  })
  t.after(async () => {
    await queues.close()
    receiver.close()
    await webhooks.close()
  })
  const service = await startService(t, {
    open: async () => database,
    watching: { store, wake, webhooks, mail: noMail, most: 2, least_ms: 3_600_000 },
  })
  return Object.assign(service, { receiver })
}

type Body = Readonly<Record<string, unknown>>

async function call(service: Service, method: string, path: string, body?: unknown, headers?: Record<string, string>) {
  const text = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
  const response = await service.get(`/api/v1/watches${path}`, { method, ...text, ...(headers && { headers }) })
  return { status: response.status, body: (await response.json()) as Body }
}

function assertShape(name: keyof typeof SCHEMAS, body: Body): void {
  const validate = ajv.compile(SCHEMAS[name] as TSchema)
  assert.ok(validate(body), JSON.stringify(validate.errors))
}

const asked = (service: Started, given: object = {}) => ({ target: 'A.com', notify: service.receiver.url, ...given })

async function create(service: Started, given: object = {}) {
  const { status, body } = await call(service, 'POST', '', asked(service, given))
  assert.equal(status, 201, JSON.stringify(body))
  return { id: String(body['watch_id']), body }
}

describe('a watch', () => {
  it('is created with a secret that is shown once, and checked at once', async t => {
    const service = await start(t)
    const { id, body } = await create(service, { every: '2h' })
    assertShape('CreatedWatch', body)
    const { secret, ...shown } = body
    assert.match(String(secret), /^whsec_/)
    const { target, every, format, notify, last_result } = shown as Body & typeof shown
    assert.deepEqual([target, every, format, last_result], ['a.com', '2h', 'json', null])
    assert.equal(notify, `http://127.0.0.1:${service.receiver.port}/…`)
    const read = async () => (await call(service, 'GET', `/${id}`)).body
    let checked = await read()
    await eventually(() => {
      void read().then(now => {
        checked = now
      })
      return checked['last_result'] !== null
    })
    assertShape('Watch', checked)
    assert.equal((checked['last_result'] as Body)['verdict'], 'safe')
    const listed = (await call(service, 'GET', '')).body
    assertShape('Watches', listed)
    assert.deepEqual([listed['watches'], listed['limit']], [[checked], 2])
    for (const text of [JSON.stringify([checked, listed]), JSON.stringify(service.lines())])
      assert.equal(text.includes(String(secret)) || text.includes('/hook'), false, text)
  })

  it('checks every six hours unless it says otherwise', async t =>
    assert.equal((await create(await start(t))).body['every'], '6h'))

  it('is removed once', async t => {
    const service = await start(t)
    const { id } = await create(service)
    const removed = await call(service, 'DELETE', `/${id}`)
    assertShape('RemovedWatch', removed.body)
    assert.deepEqual([removed.status, (await call(service, 'DELETE', `/${id}`)).status], [200, 404])
    assert.deepEqual((await call(service, 'GET', '')).body['watches'], [])
  })

  it('is the business of its account alone', async t => {
    const service = await start(t)
    const { id } = await create(service)
    const { text } = await service.store.keys.create({ plan: 'startup', label: 'another account' })
    const other = { 'X-API-Key': text }
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/test'],
      ['GET', '/deliveries'],
    ] as const) {
      const { status, body } = await call(service, method, `/${id}${path}`, undefined, other)
      assert.deepEqual([status, body['code']], [404, 'watch-not-found'], `${method} ${path}`)
    }
    assert.deepEqual((await call(service, 'GET', '', undefined, other)).body['watches'], [])
  })

  it('is one of no more than the account may have', async t => {
    const service = await start(t)
    await create(service)
    await create(service)
    const { status, body } = await call(service, 'POST', '', asked(service))
    assert.deepEqual([status, body['code']], [409, 'watch-limit'])
    assert.equal(body['detail'], 'The account has 2 watches, which is the limit. Remove one first.')
  })
})

describe('the delivery of a watch', () => {
  it('is tested, listed and replayed', async t => {
    const service = await start(t)
    const { id, body: created } = await create(service)
    const { status, body: delivery } = await call(service, 'POST', `/${id}/test`)
    assertShape('Delivery', delivery)
    assert.deepEqual([status, delivery['state'], delivery['type']], [202, 'pending', 'watch.test'])
    await eventually(() => service.receiver.received.length === 1)
    const [{ body, headers }] = service.receiver.received as [(typeof service.receiver.received)[0]]
    const verified = new Webhook(String(created['secret'])).verify(body, headers as Record<string, string>)
    assert.deepEqual(verified, delivery['event'])
    const again = await call(service, 'POST', `/${id}/deliveries/${delivery['delivery_id']}/replay`)
    assertShape('Delivery', again.body)
    assert.equal(again.status, 202)
    await eventually(() => service.receiver.received.length === 2)
    const ids = service.receiver.received.map(({ headers }) => [headers['webhook-id'], headers['webhook-attempt']])
    assert.deepEqual(ids, [
      [delivery['delivery_id'], '1'],
      [delivery['delivery_id'], '2'],
    ])
    const { body: listed } = await call(service, 'GET', `/${id}/deliveries`)
    assertShape('Deliveries', listed)
    assert.equal((listed['deliveries'] as Body[])[0]?.['delivery_id'], delivery['delivery_id'])
  })

  it('is tested ten times a minute at most', async t => {
    const service = await start(t)
    const { id } = await create(service)
    const statuses: number[] = []
    for (let at = 0; at < 11; at++) statuses.push((await call(service, 'POST', `/${id}/test`)).status)
    assert.deepEqual(statuses, [...Array(10).fill(202), 429])
  })

  it('of another watch is not replayed', async t => {
    const service = await start(t)
    const [one, two] = [await create(service), await create(service)]
    const { body } = await call(service, 'POST', `/${one.id}/test`)
    const wrong = await call(service, 'POST', `/${two.id}/deliveries/${body['delivery_id']}/replay`)
    assert.deepEqual([wrong.status, wrong.body['detail']], [404, 'No such delivery.'])
  })
})

const good = { target: 'a.com', notify: 'https://hooks.example/x' }
const MAIL = 'The format email is for a receiver such as mailto:alerts@example.com, and for no other.'
const EVERY = 'The interval is not one of 1h to 31d, written such as 90m, 6h or 1d.'

const refused: readonly (readonly [body: unknown, detail: string])[] = [
  ['{', 'The request body is not JSON.'],
  [[], 'The request body is not an object.'],
  [{ ...good, evry: '1h' }, 'The request body has an unknown member, evry; did you mean "every"?'],
  [{ target: 'a.com' }, 'The member notify is missing.'],
  [{ ...good, every: 6 }, 'The member every is not a string.'],
  [{ ...good, every: '59m' }, EVERY],
  [{ ...good, every: '32d' }, EVERY],
  [{ ...good, every: 'daily' }, EVERY],
  [{ ...good, format: 'xml' }, 'The member format is not one of json, slack, teams, discord, ntfy, matrix, email.'],
  [{ ...good, notify: 'mailto:a@example.com' }, 'This service sends no e-mail.'],
  [{ ...good, format: 'email' }, MAIL],
  [{ ...good, notify: 'a@example.com', format: 'slack' }, MAIL],
  [{ ...good, target: 'https://a.com/x' }, 'A watch is of a domain name or an IP address, not of a URL.'],
  [{ ...good, target: 'localhost' }, 'The domain is a single label.'],
  [{ ...good, notify: 'https://10.0.0.1/' }, 'The receiver is not reachable from the public Internet.'],
]

describe('several targets', () => {
  it('are watched by one request, or none of them', async t => {
    const service = await start(t)
    const { notify } = asked(service)
    const many = (targets: readonly string[]) => call(service, 'POST', '/many', { targets, notify, digest: true })
    const refused = await many(['a.com', 'not a name'])
    assert.deepEqual([refused.status, refused.body['code']], [400, 'invalid-body'])
    assert.match(String(refused.body['detail']), /^not a name: /)
    assert.equal((await many(['a.com', 'b.com', 'c.com'])).body['code'], 'watch-limit')
    const { status, body } = await many(['b.com', 'a.com'])
    assert.equal(status, 201)
    assertShape('CreatedWatches', body)
    const listed = (await call(service, 'GET', '')).body['watches'] as readonly Body[]
    assert.deepEqual(listed.map(({ target }) => target).toSorted(), ['a.com', 'b.com'])
  })
})

describe('a matter', () => {
  it('is silenced until a date, and told again', async t => {
    const service = await start(t)
    const { id } = await create(service, { lookalikes: true })
    const until = `${new Date(Date.now() + 86_400_000).toISOString().slice(0, 19)}Z`
    const silence = (body: object) => call(service, 'POST', `/${id}/silences`, body)
    const silenced = await silence({ matter: 'address', until })
    assertShape('Watch', silenced.body)
    assert.deepEqual([silenced.body['silenced'], silenced.body['lookalikes']], [[{ matter: 'address', until }], true])
    assert.deepEqual((await silence({ matter: 'address', until: null })).body['silenced'], [])
    const refused = [
      { matter: 'weather', until },
      { matter: 'mail', until: '2020-01-01T00:00:00Z' },
      { matter: 'mail' },
    ]
    for (const one of refused) assert.equal((await silence(one)).status, 400)
  })

  it('of look-alikes and a topic without a name make no watch', async t => {
    const service = await start(t)
    assert.equal((await call(service, 'POST', '', asked(service, { target: '9.9.9.9', lookalikes: true }))).status, 400)
    for (const path of ['/', '//', '/%ff']) {
      const notify = new URL(service.receiver.url).origin + path
      assert.equal((await call(service, 'POST', '', asked(service, { format: 'ntfy', notify }))).status, 400, path)
    }
  })
})

describe('a request about watches', () => {
  it('is refused with what is wrong with it', async t => {
    const service = await start(t)
    for (const [body, detail] of refused) {
      const answer = await call(service, 'POST', '', body)
      assert.deepEqual([answer.status, answer.body['code'], answer.body['detail']], [400, 'invalid-body', detail])
    }
  })

  it('needs a key', async t => {
    const service = await start(t)
    for (const method of ['GET', 'POST'])
      assert.equal((await call(service, method, '', undefined, {})).body['code'], 'missing-api-key', method)
  })

  it('says that watches are disabled where they are', async t => {
    const { status, body } = await call(await startService(t), 'GET', '')
    assert.deepEqual([status, body['code']], [404, 'watches-disabled'])
  })

  it('says that they cannot be read while the store fails', async t => {
    const service = await start(t)
    await dropTable(service.store, 'watches')
    const { status, body } = await call(service, 'GET', '')
    assert.deepEqual([status, body['code']], [503, 'watches-unavailable'])
  })
})
