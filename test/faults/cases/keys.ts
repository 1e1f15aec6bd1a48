// I, J, M and O: what is kept, who pays, and what is written down.
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { LabHandler } from '../../../src/testing/lab_web.ts'
import { type FaultCase, type Place, visitsOf, type World } from '../case.ts'
import { ask, type Headers } from '../client.ts'
import { healthyPage } from '../healthy.ts'
import { COOKIE_CANARY } from '../secrets.ts'

const site = ({ name, address, issue }: Place) => ({ host: name, addresses: [address], credentials: issue() })

/** Slow enough for all to have asked before the first of them is answered. */
const slowly: LabHandler = async request => {
  if (request.url === '/') await pause(1_000)
  return healthyPage(request)
}

const healthySite = ({ name, address, issue }: Place): World => ({
  zones: { [name]: { A: [address] }, [`*.${name}`]: { A: [address] } },
  sites: [{ host: name, addresses: [address], https: healthyPage, credentials: issue({ names: [name, `*.${name}`] }) }],
})

interface Told {
  readonly checked_at: string
  readonly recommendation: string
  readonly coverage: { readonly sections: Readonly<Record<string, { readonly status: string }>> }
}

const many = <T>(count: number, make: (at: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, at) => make(at)))

const kept: readonly FaultCase[] = [
  {
    row: 158,
    of: 'forty requests for one cold name at once',
    world: place => ({ sites: [{ ...site(place), https: slowly }] }),
    async play({ get, place: { name }, seen }) {
      const answers = await many(40, () => get(`domain=${name}`))
      assert.deepEqual([...new Set(answers.map(({ status, body }) => `${status} ${body['cached']}`))], ['200 false'])
      assert.equal(visitsOf(seen.web), 1)
    },
  },
  {
    row: 160,
    of: 'a name without an answer that many wait for: each is told the same, and its servers are asked once',
    world: place => ({
      ...healthySite(place),
      dns: ({ name }) => (name === place.name ? { silent: true } : undefined),
    }),
    async play({ get, place: { name } }) {
      const answers = await many(10, () => get(`domain=${name}`))
      const told = answers.map(({ status, body }) => {
        const { checked_at, recommendation, coverage } = body as unknown as Told
        return [status, checked_at, coverage.sections['dns_security']?.status, recommendation].join(' ')
      })
      const [one] = told
      assert.deepEqual(told, Array(10).fill(one))
      assert.match(one ?? '', /^200 \S+ unavailable review$/)
    },
  },
  {
    row: 163,
    of: 'names that nearly collide',
    world: healthySite,
    async play({ get, place: { name, address } }) {
      const questions = [
        `domain=a.${name}`,
        `domain=${name}`,
        `ip=${address}`,
        `domain=${name}&ip=${address}`,
        `domain=a-${name}`,
      ]
      for (const question of questions) assert.equal((await get(question)).headers['x-cache'], 'MISS', question)
      for (const question of questions) assert.equal((await get(question)).headers['x-cache'], 'HIT', question)
    },
  },
  {
    row: 166,
    of: 'headers that must not change what is kept',
    world: healthySite,
    async play({ get, place: { name }, key, newKey }) {
      const first = await get(`domain=${name}`)
      const { cached: _, process_time_ms: __, ...facts } = first.body
      const others: readonly Headers[] = [
        { Accept: '*/*' },
        { 'Accept-Language': 'de' },
        { 'X-Forwarded-Host': 'evil.lab' },
        { Host: 'other' },
        { 'User-Agent': 'x' },
        { 'X-API-Key': await newKey() },
      ]
      for (const more of others) {
        const { body, headers } = await get(`domain=${name}`, { 'X-API-Key': key, ...more })
        const { cached, process_time_ms: ___, ...again } = body
        assert.deepEqual([cached, headers['x-cache'], again], [true, 'HIT', facts])
      }
    },
  },
  {
    row: 188,
    of: 'hits and misses, one each',
    world: healthySite,
    async play({ get, place: { name } }) {
      const left = (await many(3, () => get(`domain=${name}`))).map(({ headers }) =>
        Number(headers['x-ratelimit-remaining']),
      )
      assert.equal(new Set(left).size, 3)
    },
  },
]

const wrong = (key: string): readonly string[] => [
  `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`,
  `x${key}`,
  key.toUpperCase(),
  ` ${key}x`,
  'assay_',
  'a',
  'x'.repeat(8_000),
  `${key}, ${key}`,
  `Bearer ${key}`,
  key.slice(0, -6),
  '\u00e9'.repeat(20),
  `"${key}"`,
]

const payers: readonly FaultCase[] = [
  {
    row: 175,
    of: 'the last answer that is allowed, and the next',
    world: healthySite,
    async play({ get, place: { name }, newKey }) {
      const key = await newKey('small')
      const asked = () => get(`domain=${name}`, { 'X-API-Key': key })
      await asked()
      const last = await asked()
      assert.deepEqual([last.status, last.headers['x-ratelimit-remaining']], [200, '0'])
      const next = await asked()
      assert.deepEqual([next.status, next.body['code']], [429, 'quota-exceeded'])
      const wait = Number(next.headers['x-ratelimit-reset']) - Date.now() / 1000
      assert.ok(
        Math.abs(Number(next.headers['retry-after']) - wait) <= 2,
        `${next.headers['retry-after']} of ${wait} s`,
      )
    },
  },
  {
    row: 175,
    of: 'twenty at once, of whom two are allowed',
    world: healthySite,
    async play({ get, place: { name }, newKey }) {
      const key = await newKey('small')
      await get(`domain=${name}`)
      const answers = await many(20, () => get(`domain=${name}`, { 'X-API-Key': key }))
      assert.equal(answers.filter(({ status }) => status === 200).length, 2)
      assert.equal(answers.filter(({ status }) => status === 429).length, 18)
    },
  },
  {
    row: 176,
    of: 'refusals of every kind, which cost nothing',
    async play({ get, request, key }) {
      const used = async () => Number((await get('')).headers['x-ratelimit-remaining'])
      const before = await used()
      for (const question of ['', 'domain=', 'domain=a..b', 'ip=1.2.3', 'ip=10.0.0.1', 'domain=com', 'domain=%ff'])
        await get(question)
      await get('domain=a.lab', { 'X-API-Key': key, Accept: 'text/html' })
      await request('POST', '/api/v1/check?domain=a.lab', { 'X-API-Key': key })
      await request('GET', '/api/v1/other', { 'X-API-Key': key }).catch(() => {})
      assert.equal(await used(), before)
    },
  },
  {
    row: 181,
    of: 'keys that are none',
    async play({ get, key }) {
      const bodies = new Set<string>()
      for (const given of wrong(key)) {
        const { status, body } = await get('domain=a.lab', { 'X-API-Key': Buffer.from(given).toString('latin1') })
        const { request_id: _, ...rest } = body
        assert.ok(status === 403 || status === 429, given.slice(0, 30))
        if (status === 403) bodies.add(JSON.stringify(rest))
      }
      assert.equal(bodies.size, 1)
    },
  },
  {
    row: 181,
    of: 'no key, an empty one, and two',
    async play({ get, key }) {
      assert.equal((await get('domain=a.lab', {})).status, 401)
      assert.equal((await get('domain=a.lab', { 'X-API-Key': '' })).status, 401)
      assert.equal((await get('domain=a.lab', { 'X-API-Key': [key, key] })).status, 403)
    },
  },
  {
    row: 182,
    of: 'a key where no key belongs',
    async play({ get, key, request, log }) {
      const elsewhere: readonly Headers[] = [
        { Authorization: `Basic ${key}` },
        { Cookie: `key=${key}` },
        { 'X-Api-Token': key },
      ]
      for (const headers of elsewhere) assert.equal((await get('domain=a.lab', headers)).status, 401)
      assert.equal((await get(`domain=a.lab&key=${key}&X-API-Key=${key}`, {})).status, 401)
      await request('GET', `/${key}/x${key}?key=${key}`, { Referer: key, 'User-Agent': key, 'X-Request-Id': key })
      assert.ok(!JSON.stringify(await log()).includes(key), 'the log has no key')
    },
  },
  {
    row: 184,
    of: 'a key that is revoked, also for what is kept',
    world: healthySite,
    async play({ get, place: { name }, newKey, revoke }) {
      const key = await newKey()
      const asked = () => get(`domain=${name}`, { 'X-API-Key': key })
      await asked()
      assert.equal((await asked()).headers['x-cache'], 'HIT')
      await revoke(key)
      const until = performance.now() + 5_000
      while ((await asked()).status === 200) {
        assert.ok(performance.now() < until, 'revoked for five seconds')
        await pause(200)
      }
      assert.equal((await asked()).status, 403)
    },
  },
  {
    row: 185,
    of: 'forty keys that are none from one address',
    async play({ get, connection, key }) {
      const made = (at: number) => `assay_${String(at).padStart(37, '0')}`
      const statuses: number[] = []
      for (let at = 0; at < 40; at++) {
        const { host, port, from } = connection()
        const path = '/api/v1/check?domain=a.lab'
        statuses.push((await ask({ host, port, from, path, headers: { 'X-API-Key': made(at) } })).status)
      }
      assert.equal(statuses[0], 403)
      assert.equal(statuses.at(-1), 429)
      // Whoever has a key is served from there all the same
      assert.equal((await get('ip=10.0.0.1', { 'X-API-Key': key })).status, 422)
    },
  },
  {
    row: 244,
    of: 'keys in every place where none belongs',
    async play({ request, newKey, log }) {
      const keys = await many(8, () => newKey())
      const places = (key: string): readonly (readonly [string, Headers])[] => [
        [`/${key}`, {}],
        [`/api/v1/check/${key}`, {}],
        [`/api/v1/check?${key}=${key}`, {}],
        [`/api/v1/check?domain=${key}.lab`, { 'X-API-Key': key }],
        [`/api/v1/check?ip=${key}`, { 'X-API-Key': key }],
        ['/api/v1/check', { 'X-Request-Id': key }],
        ['/api/v1/check', { 'X-Request-Id': `id-${key}` }],
        [
          '/healthz',
          { 'User-Agent': key, Referer: key, Cookie: key, 'X-Forwarded-For': key, Forwarded: key, traceparent: key },
        ],
      ]
      for (const key of keys) for (const [path, headers] of places(key)) await request('GET', path, headers)
      const { text } = await request('GET', '/metrics', {})
      const written = JSON.stringify(await log()) + text
      assert.deepEqual(
        keys.filter(key => written.includes(key)),
        [],
      )
    },
  },
  {
    row: 245,
    of: 'a cookie and an e-mail address of a target, of which the log knows nothing',
    world: ({ name, address, issue }) => ({
      sites: [
        {
          host: name,
          addresses: [address],
          credentials: issue(),
          https: () => ({
            headers: [['Set-Cookie', `sid=${COOKIE_CANARY}; Secure`]],
            body: '<a href="mailto:person@elsewhere.lab">write</a>',
          }),
        },
      ],
    }),
    async play({ get, place: { name }, log }) {
      const { body } = await get(`domain=${name}`)
      assert.deepEqual((body['content_analysis'] as { emails: string[] }).emails, ['person@elsewhere.lab'])
      assert.ok(!/person@|canary0/.test(JSON.stringify(await log())), 'the log has nothing of the page')
    },
  },
  {
    row: 187,
    of: 'the quota on every status',
    async play({ get, request, key }) {
      const seen = [
        await get(''),
        await get('domain=a.lab', {}),
        await request('GET', '/api/v1/nothing', { 'X-API-Key': key }),
        await request('PUT', '/api/v1/check', { 'X-API-Key': key }),
        await get('domain=a.lab', { 'X-API-Key': key, Accept: 'image/png' }),
        await get('ip=127.0.0.1'),
      ]
      assert.deepEqual(
        seen.map(({ status }) => status),
        [400, 401, 404, 405, 406, 422],
      )
      for (const { headers } of seen)
        assert.match(
          `${headers['x-ratelimit-limit']} ${headers['x-ratelimit-remaining']} ${headers['x-ratelimit-reset']}`,
          /^\d+ \d+ \d+$/,
        )
    },
  },
  {
    row: 226,
    of: 'health pages hammered without a key, which tell nothing of the machine',
    async play({ request }) {
      const answers = await many(200, at => request('GET', at % 2 === 0 ? '/healthz' : '/readyz', {}))
      for (const { status, text, headers } of answers) {
        assert.equal(status, 200)
        assert.ok(
          !/\d+\.\d+\.\d+|\/work|\/tmp/.test(text) &&
            headers['server'] === undefined &&
            headers['x-powered-by'] === undefined,
          text.slice(0, 200),
        )
      }
    },
  },
]

export const keyFaults: readonly FaultCase[] = [...kept, ...payers]
