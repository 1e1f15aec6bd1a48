// Where webhooks are sent and where never, over real sockets.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { createNetwork } from '../../../src/network/create_network.ts'
import { createFetch } from '../../../src/network/fetch.ts'
import { createGuard } from '../../../src/network/guard.ts'
import { createWebhooks, receiverLabel } from '../../../src/service/watch/webhook.ts'
import { type LabInternet, startLabInternet } from '../../../src/testing/lab_internet.ts'
import { openWebhooks, type Receiver, startReceiver } from './receiver.ts'

const HTTPS = 'The URL of a receiver begins with https://.'
const INSIDE = 'The receiver is not reachable from the public Internet.'

const faults: readonly (readonly [url: string, allowed: readonly string[], fault: string | null])[] = [
  ['https://hooks.example/services/T0/B0', [], null],
  ['https://hooks.example:8443/', [], null],
  ['https://[2606:2800:220:1::1]/', [], null],
  ['http://hooks.example/', [], HTTPS],
  ['ftp://hooks.example/', [], HTTPS],
  ['hooks.example', [], HTTPS],
  ['https://user:pass@hooks.example/', [], 'The URL contains a user name or a password.'],
  ['https://user@hooks.example/', [], 'The URL contains a user name or a password.'],
  ['https://:pass@hooks.example/', [], 'The URL contains a user name or a password.'],
  [`https://hooks.example/${'x'.repeat(2_048 - 22)}`, [], null],
  [`https://hooks.example/${'x'.repeat(2_048 - 21)}`, [], 'The URL is longer than 2048 characters.'],
  [`https://hooks.example/${'x'.repeat(2_100)}`, [], 'The URL is longer than 2048 characters.'],
  ['https://hooks.example:25/', [], 'The receiver’s port is not one of 80, 443, 8443.'],
  ['https://127.0.0.1/', [], INSIDE],
  ['https://0x7f.1/', [], INSIDE],
  ['https://10.1.2.3/', [], INSIDE],
  ['https://[::1]/', [], INSIDE],
  ['https://[::ffff:10.0.0.1]/', [], INSIDE],
  ['https://169.254.169.254/latest', [], INSIDE],
  ['https://a.denied.example/', [], 'This service is configured not to contact the receiver.'],
  ['https://10.1.2.3/', ['10.1.0.0/16'], null],
  ['http://10.1.2.3:9000/', ['10.1.0.0/16'], null],
  ['http://10.1.2.3:9000/', ['192.168.0.0/16', '10.1.0.0/16'], null],
  ['http://10.2.2.3/', ['10.1.0.0/16'], INSIDE],
  ['http://93.184.216.34/', ['10.1.0.0/16'], HTTPS],
  ['https://93.184.216.34:9000/', ['10.1.0.0/16'], 'The receiver’s port is not one of 80, 443, 8443.'],
]

describe('a receiver', () => {
  for (const [url, allowed, fault] of faults) {
    it(`at ${url.slice(0, 60)} ${fault === null ? 'is accepted' : 'is refused'} with [${allowed}] allowed`, () =>
      assert.equal(openWebhooks(allowed).fault(url), fault))
  }
})

const headers = {
  'webhook-id': 'msg_1',
  'webhook-timestamp': '1',
  'webhook-signature': 'v1,',
  'webhook-attempt': '1',
}
const request = { body: '{"a":"é"}', headers, signal: new AbortController().signal }

describe('a webhook', () => {
  const webhooks = openWebhooks()
  let receiver: Receiver
  before(async () => {
    receiver = await startReceiver()
  })
  beforeEach(() => {
    receiver.received.length = 0
    receiver.answer(response => response.writeHead(204).end())
  })
  after(async () => {
    receiver.close()
    await webhooks.close()
  })
  const send = () => webhooks.send({ ...request, url: receiver.url })

  it('is posted as JSON with its headers', async () => {
    assert.deepEqual(await send(), { status: 204, failure: null, retry_after_ms: 0 })
    const [{ method, url, headers, body }] = receiver.received as [(typeof receiver.received)[0]]
    assert.deepEqual([method, url, body], ['POST', '/hook', '{"a":"é"}'])
    assert.deepEqual(
      [headers['content-type'], headers['webhook-id'], headers['content-length']],
      ['application/json', 'msg_1', '10'],
    )
    assert.match(String(headers['user-agent']), /assay\//)
  })

  const answers: readonly (readonly [status: number, headers: Record<string, string>, retry: number])[] = [
    [500, {}, 0],
    [410, {}, 0],
    [429, { 'Retry-After': '120' }, 120_000],
    [503, { 'Retry-After': 'tomorrow' }, 0],
    [503, { 'Retry-After': '12 minutes' }, 0],
    [503, { 'Retry-After': 'in 12' }, 0],
    [503, { 'Retry-After': '1234567' }, 0],
    [300, {}, 0],
  ]
  for (const [status, headers, retry_after_ms] of answers) {
    it(`fails with ${status} and ${JSON.stringify(headers)}`, async () => {
      receiver.answer(response => response.writeHead(status, headers).end('x'.repeat(100_000)))
      assert.deepEqual(await send(), { status, failure: `status_${status}`, retry_after_ms })
    })
  }

  for (const status of [200, 204, 299])
    it(`is delivered with ${status}`, async () => {
      receiver.answer(response => response.writeHead(status, { 'Retry-After': '5' }).end())
      assert.deepEqual(await send(), { status, failure: null, retry_after_ms: 5_000 })
    })

  it('follows no redirect', async () => {
    receiver.answer(response => response.writeHead(307, { Location: '/other' }).end())
    assert.equal((await send()).failure, 'status_307')
    assert.equal(receiver.received.length, 1)
  })

  it('is not repeated when the connection ends without an answer', async () => {
    receiver.answer(response => response.socket?.destroy())
    const { status, failure } = await send()
    assert.equal(status, null)
    assert.match(String(failure), /^(closed|reset)$/)
    assert.equal(receiver.received.length, 1)
  })

  it('is not sent to an address that was allowed once', async () => {
    const strict = openWebhooks([])
    const { failure } = await strict.send({ ...request, url: `https://127.0.0.1:${receiver.port}/` })
    await strict.close()
    assert.deepEqual([failure, receiver.received.length], ['receiver_not_allowed', 0])
  })
})

describe('the label of a receiver', () => {
  for (const [url, label] of [
    ['https://hooks.example:8443/services/secret?token=x', 'https://hooks.example:8443/…'],
    ['no URL', ''],
  ] as const)
    it(`of ${url} is ${label === '' ? 'empty' : label}`, () => assert.equal(receiverLabel(url), label))
})

describe('a webhook to a name', () => {
  const posted: string[] = []
  const accepting = ({ body }: { body: string }) => {
    posted.push(body)
    return { status: 202 }
  }
  let internet: LabInternet
  before(async () => {
    internet = await startLabInternet([
      { name: 'hooks.lab', addresses: ['193.0.14.91'], http: accepting, https: accepting },
      { name: 'inside.lab', addresses: ['10.0.0.5'], https: accepting },
      { name: 'stranger.lab', addresses: ['193.0.14.92'], https: accepting, certificate: { self_signed: true } },
    ])
  })
  after(() => internet.close())

  const cases: readonly (readonly [
    url: string,
    allowed: readonly string[],
    status: number | null,
    failure: string | null,
  ])[] = [
    ['https://hooks.lab/x', [], 202, null],
    ['https://inside.lab/x', [], null, 'not_public'],
    ['https://inside.lab/x', ['10.0.0.5'], 202, null],
    ['https://stranger.lab/x', [], null, 'certificate'],
    ['https://none.lab/x', [], null, 'not_found'],
    // Over http only to the addresses that the operator named.
    ['http://hooks.lab/x', ['10.0.0.5'], null, 'not_public'],
    ['http://hooks.lab/x', ['193.0.14.91'], 202, null],
  ]
  for (const [url, allow_private, status, failure] of cases) {
    it(`of ${url} ends with ${status ?? failure} when [${allow_private}] is allowed`, async () => {
      posted.length = 0
      const network = createNetwork({
        resolvers: [internet.dns.address],
        // The guard of checks allows it: that must not matter.
        guard: createGuard({ allow: ['10.0.0.0/8'] }),
        dial: internet.dial,
        fetch: createFetch({ extra_roots: internet.root }),
      })
      const webhooks = createWebhooks(
        { allow_private: [...allow_private], deny: [], url_ports: [80, 443] },
        network.open,
      )
      const answer = await webhooks.send({ ...request, url })
      await network.close()
      assert.deepEqual(answer, { status, failure, retry_after_ms: 0 })
      assert.deepEqual(posted, failure === null ? [request.body] : [])
    })
  }
})
