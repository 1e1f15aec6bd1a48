// The TypeScript client against a server that answers as a table says, and its types against the OpenAPI document.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { AssayError, type Client, type ClientOptions, createClient } from '../../clients/typescript/src/index.ts'

const CLIENT = resolve(import.meta.dirname, '../../clients/typescript')
const RESULT = {
  recommendation: 'review',
  recommendation_reason: 'Too little was seen.',
  risk_score: 12,
  verdict: 'safe',
  confidence: 'low',
  signals: ['recent_registration'],
  domain: 'example.com',
}

type Answer = (response: ServerResponse) => void

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  response =>
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body))

const problem = (status: number, code: string, headers: Record<string, string> = {}): Answer =>
  json(status, { code, title: code, status, detail: `It is ${code}.` }, { 'X-Request-Id': 'r1', ...headers })

const silent: Answer = () => {}
const cut: Answer = response => response.destroy()

interface Served {
  readonly client: Client
  /** Method, path and key of each request. */
  readonly requests: readonly string[]
}

/** A server that gives each request the next answer, and the last one from then on. */
async function served(
  t: TestContext,
  answers: readonly Answer[],
  options: Partial<ClientOptions> = {},
): Promise<Served> {
  const requests: string[] = []
  const server = createServer(({ method, url, headers }, response) => {
    requests.push(`${method} ${url} ${headers['x-api-key']}`)
    answers[Math.min(requests.length, answers.length) - 1]?.(response)
  })
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { client: createClient({ server: `http://127.0.0.1:${port}`, key: 'k', ...options }), requests }
}

async function refused(work: Promise<unknown>): Promise<AssayError> {
  const error = await work.then(
    () => null,
    cause => cause,
  )
  assert.ok(error instanceof AssayError, `it was not refused, but ended with ${error}`)
  return error
}

describe('the TypeScript client', () => {
  it('has the types that openapi-typescript makes of schemas/openapi.json; `npm run schemas` updates them', () => {
    const made = execFileSync(resolve(CLIENT, 'node_modules/.bin/openapi-typescript'), ['../../schemas/openapi.json'], {
      cwd: CLIENT,
      encoding: 'utf8',
      maxBuffer: 1 << 24,
    })
    assert.equal(made.trimEnd(), readFileSync(resolve(CLIENT, 'src/api.ts'), 'utf8').trimEnd())
  })

  for (const [target, query] of [
    ['example.com', 'domain=example.com'],
    ['xn--bcher-kva.example', 'domain=xn--bcher-kva.example'],
    ['192.0.2.7', 'ip=192.0.2.7'],
    ['2001:db8::1', 'ip=2001%3Adb8%3A%3A1'],
    ['https://example.com/a&b', 'url=https%3A%2F%2Fexample.com%2Fa%26b'],
    [{ domain: 'example.com', ip: '192.0.2.7' }, 'domain=example.com&ip=192.0.2.7'],
  ] as const) {
    it(`asks for ${JSON.stringify(target)} by its parameter`, async t => {
      const { client, requests } = await served(t, [json(200, RESULT)])
      assert.deepEqual(await client.check(target), RESULT)
      assert.deepEqual(requests, [`GET /api/v1/check?${query} k`])
    })
  }

  it('gives a decision alone', async t => {
    const { domain, ...decision } = RESULT
    const { client, requests } = await served(t, [json(200, decision)])
    assert.deepEqual(await client.decide('example.com', { visit: false }), decision)
    const fields = 'recommendation,recommendation_reason,risk_score,verdict,confidence,signals'
    assert.deepEqual(
      requests.map(request => request.replaceAll('%2C', ',')),
      [`GET /api/v1/check?domain=example.com&visit=false&fields=${fields} k`],
    )
  })

  it('goes through the pages of a search', async t => {
    const page = (target: string, before: string | null) =>
      json(200, { scope: 'account', results: [{ target }], before })
    const { client, requests } = await served(t, [page('a.example', 'next'), page('b.example', null)])
    const targets: string[] = []
    for await (const { target } of client.search({ address: '192.0.2.7', title: 'sign in' })) targets.push(target)
    assert.deepEqual(targets, ['a.example', 'b.example'])
    assert.deepEqual(
      requests.map(request => request.replaceAll('%20', '+')),
      ['', '&before=next'].map(rest => `GET /api/v1/search?address=192.0.2.7&title=sign+in${rest} k`),
    )
  })

  it('asks for the fields that are named, also of an e-mail address', async t => {
    const email = { disposable: null, free_mail: false, deliverable: true }
    const { client, requests } = await served(t, [json(200, { email }), json(200, { email })])
    for (const target of ['jane+x@example.com', { email: 'jane+x@example.com' }])
      assert.deepEqual(await client.fields(target, ['email']), { email })
    const request = 'GET /api/v1/check?email=jane%2Bx%40example.com&fields=email k'
    assert.deepEqual(requests, [request, request])
  })

  it('keeps the path of a service that has one', async t => {
    const { client, requests } = await served(t, [json(200, RESULT)])
    const under = createClient({ server: `${client.server}/assay/`, key: 'k' })
    await under.check('example.com')
    for await (const _ of under.checkMany(['example.com'])) break
    assert.deepEqual(requests, ['GET /assay/api/v1/check?domain=example.com k', 'POST /assay/api/v1/checks k'])
  })

  it('asks again after a refusal that passes', async t => {
    const { client, requests } = await served(t, [
      problem(503, 'overloaded', { 'Retry-After': '0' }),
      problem(429, 'rate-limited', { 'Retry-After': '0' }),
      json(200, RESULT),
    ])
    assert.deepEqual(await client.check('example.com'), RESULT)
    assert.equal(requests.length, 3)
  })

  for (const { title, answers, requests, options = {}, error } of [
    {
      title: 'a refusal that lasts longer than it may wait',
      answers: [problem(429, 'quota-exceeded', { 'Retry-After': '86400' })],
      requests: 1,
      error: { code: 'quota-exceeded', status: 429, retry_after_s: 86_400, message: 'It is quota-exceeded.' },
    },
    {
      title: 'a key that is not valid',
      answers: [problem(403, 'invalid-api-key')],
      requests: 1,
      error: { code: 'invalid-api-key', status: 403, request_id: 'r1', retry_after_s: null },
    },
    {
      title: 'a refusal that stays',
      answers: [problem(503, 'overloaded', { 'Retry-After': '0' })],
      requests: 3,
      error: { code: 'overloaded', status: 503 },
    },
    {
      title: 'a server that is none of assay',
      answers: [(response: ServerResponse) => void response.writeHead(404).end('<h1>Not found</h1>')],
      requests: 1,
      error: { code: 'unreadable', status: 404 },
    },
    {
      title: 'a connection that is cut',
      answers: [cut],
      requests: 1,
      options: { retries: 0 },
      error: { code: 'unreachable', status: null },
    },
    {
      title: 'a server that stays silent',
      answers: [silent],
      requests: 1,
      options: { timeout_ms: 1_000 },
      error: { code: 'unreachable', status: null },
    },
  ]) {
    it(`rejects with what is wrong: ${title}`, async t => {
      const { client, requests: sent } = await served(t, answers, options)
      const { code, status, request_id, retry_after_s, message } = await refused(client.check('example.com'))
      const actual = { code, status, request_id, retry_after_s, message }
      assert.deepEqual(actual, { ...actual, ...error })
      assert.equal(sent.length, requests)
    })
  }

  it('follows no redirect, which would give the key to another server', async t => {
    const other = await served(t, [json(200, RESULT)])
    const away: Answer = response => response.writeHead(307, { Location: other.client.server }).end()
    const { client } = await served(t, [away], { retries: 0 })
    assert.equal((await refused(client.check('example.com'))).code, 'unreachable')
    assert.equal((await refused(client.checkMany(['example.com']).next())).code, 'unreachable')
    assert.deepEqual(other.requests, [])
  })

  it('yields each record of many targets, also where a part of the body ends within one', async t => {
    const records = [
      { input: 'a.example', line: 1, ...RESULT, recommendation_reason: 'Ärger' },
      { input: '-', line: 2, error: { code: 'invalid-domain', detail: 'It is none.' } },
    ]
    const { client } = await served(t, [
      response => {
        const octets = Buffer.from(`${records.map(one => JSON.stringify(one)).join('\n')}\n`)
        const middle = octets.indexOf('Ä') + 1
        response.writeHead(200).write(octets.subarray(0, middle))
        setImmediate(() => response.end(octets.subarray(middle)))
      },
    ])
    const found = []
    for await (const record of client.checkMany(['a.example', '-'])) found.push(record)
    assert.deepEqual(found, records)
  })

  it('rejects many targets with what the service refuses', async t => {
    const { client } = await served(t, [problem(400, 'invalid-body')])
    assert.equal((await refused(client.checkMany([]).next())).code, 'invalid-body')
  })
})
