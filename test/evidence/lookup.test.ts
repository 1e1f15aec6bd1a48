import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { createLookup, type LookupOptions } from '../../src/evidence/lookup.ts'
import { createNetwork } from '../../src/network/create_network.ts'
import { createFetch } from '../../src/network/fetch.ts'
import { createGuard } from '../../src/network/guard.ts'
import type { Limits } from '../../src/network/limits.ts'
import { type LabInternet, startLabInternet } from '../../src/testing/lab_internet.ts'
import type { LabResponse } from '../../src/testing/lab_web.ts'
import { farDeadline, PATIENT } from '../patience.ts'
import { outcome } from './lab_visit.ts'

interface Answer {
  readonly colour: string
}

const json = (body: unknown, status = 200): LabResponse => ({ status, body: JSON.stringify(body) })

const read = (body: unknown): Answer | null =>
  typeof (body as Answer | null)?.colour === 'string' ? { colour: (body as Answer).colour } : null

const told: Readonly<Record<string, LabResponse | 'never'>> = {
  '/red': json({ colour: 'red', more: 1 }),
  '/nothing': json({}),
  '/text': { body: '{"colour":' },
  '/missing': json({}, 404),
  '/denied': json({ error: 'no such key' }, 403),
  '/unpaid': json({}, 401),
  '/busy': json({}, 429),
  '/broken': json({ colour: 'red' }, 500),
  '/moved': { status: 302, headers: [['Location', 'https://third.party/red']] },
  '/slow': 'never',
}

describe('a lookup at a third-party API', () => {
  let lab: LabInternet
  let network: ReturnType<typeof createNetwork>
  before(async () => {
    lab = await startLabInternet([
      {
        name: 'third.party',
        addresses: ['93.184.216.40'],
        https: ({ url }) => {
          const answer = told[url] ?? json({}, 404)
          return answer === 'never' ? new Promise(() => {}) : answer
        },
      },
    ])
    network = createNetwork({
      resolvers: [lab.dns.address],
      guard: createGuard({ own: () => [] }),
      dial: lab.dial,
      fetch: createFetch({ extra_roots: lab.root }),
      limits: PATIENT,
    })
  })
  beforeEach(() => void lab.web.seen.requests.splice(0))
  after(async () => {
    await network.close()
    await lab.close()
  })

  /** Milliseconds: enough for the first handshake of a process on a busy machine, but not for `/slow`. */
  const timeout_ms = 2_000

  /** Sends one lookup after the other, each in its own check; returns the answers or errors. */
  async function say(paths: readonly string[], options: Partial<LookupOptions<Answer>> = {}): Promise<string[]> {
    const lookup = createLookup({ read, per_minute: 100, timeout_ms, ...options })
    const said: string[] = []
    for (const path of paths) {
      const { signal, abort } = ending()
      const opened = network.open({ signal, deadline: farDeadline() })
      const question = { subject: path, url: `https://third.party${path}`, headers: { 'x-key': 'S3CR3T' } }
      const answer = await outcome(lookup.ask({ network: opened, signal }, question))
      said.push(typeof answer === 'string' ? answer.replace('Unavailable: ', '') : answer.colour)
      abort()
    }
    return said
  }

  function ending() {
    const ending = new AbortController()
    return { signal: ending.signal, abort: () => ending.abort() }
  }

  const table: [title: string, paths: string[], said: string[]][] = [
    ['is read', ['/red'], ['red']],
    ['says nothing in what is none of its answers', ['/nothing'], ['malformed_answer']],
    ['says nothing in what is no JSON', ['/text'], ['malformed_answer']],
    ['says nothing with a 404', ['/missing'], ['status_404']],
    [
      'is not left alone for what it does not know',
      ['/missing', '/missing', '/missing', '/red'],
      ['status_404', 'status_404', 'status_404', 'red'],
    ],
    ['is not followed elsewhere, for the key would go along', ['/moved'], ['too_many_redirects']],
    ['is left alone at once when it refuses the key', ['/denied', '/red'], ['key_refused', 'resting']],
    ['is left alone at once when the key is none', ['/unpaid', '/red'], ['key_refused', 'resting']],
    ['is left alone at once when it has had enough', ['/busy', '/red'], ['rate_limited', 'resting']],
    [
      'is left alone when it fails three times in a row',
      ['/broken', '/slow', '/broken', '/red'],
      ['status_500', 'timeout', 'status_500', 'resting'],
    ],
    [
      'is asked on when it fails now and then',
      ['/broken', '/broken', '/red', '/broken', '/broken', '/nothing', '/red'],
      ['status_500', 'status_500', 'red', 'status_500', 'status_500', 'malformed_answer', 'red'],
    ],
  ]
  for (const [title, paths, said] of table) it(title, async () => assert.deepEqual(await say(paths), said))

  it('may accept a 404 as "unknown"', async () => {
    assert.deepEqual(await say(['/missing'], { unknown: { colour: 'none' } }), ['none'])
  })

  it('is sent once per subject', async () => {
    assert.deepEqual(await say(['/red', '/red', '/red']), ['red', 'red', 'red'])
    assert.deepEqual(
      lab.web.seen.requests.map(({ url }) => url),
      ['/red'],
    )
  })

  it('stays within its plan’s queries per minute', async () => {
    const said = await say(['/red', '/nothing', '/missing'], { per_minute: 2 })
    assert.deepEqual(said, ['red', 'malformed_answer', 'budget_spent'])
  })

  it('is not limited when its plan is not', async () => {
    const paths = Array.from({ length: 20 }, () => '/missing')
    assert.deepEqual(new Set(await say(paths, { per_minute: undefined })), new Set(['status_404']))
  })

  it('is sent again when its answer has expired', async () => {
    const lookup = createLookup({ read, keep_ms: 20 })
    const { signal, abort } = ending()
    const opened = network.open({ signal, deadline: farDeadline() })
    for (let i = 0; i < 2; i++) {
      await lookup.ask({ network: opened, signal }, { subject: 'red', url: 'https://third.party/red' })
      await new Promise(resolve => setTimeout(resolve, 60))
    }
    abort()
    assert.equal(lab.web.seen.requests.length, 2)
  })

  const spent: [limits: Partial<Limits>, reason: string][] = [
    [{ service_requests: 0 }, 'too_many_requests'],
    [{ connections: 0 }, 'too_many_connections'],
    [{ dns_queries: 0 }, 'dns_too_many_queries'],
  ]
  for (const [limits, reason] of spent)
    it(`does not blame the third party when a check has none left of ${Object.keys(limits)}`, async () => {
      const strict = createNetwork({
        resolvers: [lab.dns.address],
        guard: createGuard({ own: () => [] }),
        dial: lab.dial,
        fetch: createFetch({ extra_roots: lab.root }),
        limits: { ...PATIENT, ...limits },
      })
      const lookup = createLookup({ read })
      const { signal, abort } = ending()
      const deadline = farDeadline()
      for (let i = 0; i < 4; i++) {
        const context = { network: strict.open({ signal, deadline }), signal }
        const asked = lookup.ask(context, { subject: 'red', url: 'https://third.party/red' })
        assert.equal(await outcome(asked), `Unavailable: ${reason}`)
      }
      const opened = network.open({ signal, deadline })
      const asked = lookup.ask({ network: opened, signal }, { subject: 'red', url: 'https://third.party/red' })
      assert.deepEqual(await asked, { colour: 'red' })
      abort()
      await strict.close()
    })

  it('does not blame the third party when a check ends', async () => {
    const lookup = createLookup({ read, per_minute: 100 })
    for (let i = 0; i < 4; i++) {
      const { signal, abort } = ending()
      const opened = network.open({ signal, deadline: farDeadline() })
      const asked = lookup.ask({ network: opened, signal }, { subject: 'slow', url: 'https://third.party/slow' })
      setTimeout(abort, 20)
      assert.equal(await outcome(asked), 'Unavailable: cancelled')
    }
    const { signal, abort } = ending()
    const opened = network.open({ signal, deadline: farDeadline() })
    const asked = lookup.ask({ network: opened, signal }, { subject: 'red', url: 'https://third.party/red' })
    assert.deepEqual(await asked, { colour: 'red' })
    abort()
  })
})
