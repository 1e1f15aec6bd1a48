// /readyz agrees with what clients get at the same moment, whatever is down. A full disk is in test/store/full_disk.test.ts.
import assert from 'node:assert/strict'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { testProgram } from '../assay.ts'
import { firstKey, serveProgram } from './served.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const SOON_MS = 60_000

interface Ready {
  readonly http: number
  readonly status: string
  readonly notes: Readonly<Record<string, string>>
}

type Row = readonly [
  what: string,
  outage: string | null,
  ready: Ready,
  answer: readonly [http: number, code: string | undefined, recommendation?: string, confidence?: string],
]

const rows: readonly Row[] = [
  [
    'everything is there, and targets are checked',
    null,
    { http: 200, status: 'ready', notes: {} },
    [200, undefined, 'allow', 'high'],
  ],
  [
    'no resolver works: degraded, and uncached checks get a 503',
    'resolver',
    {
      http: 200,
      status: 'degraded',
      notes: { resolvers: 'down: servfail', datasets: 'missing: demo_phishing, demo_pages' },
    },
    [503, 'analysis-unavailable'],
  ],
  [
    'no connection leaves the machine: degraded, and uncached checks get a 503',
    'way-out',
    {
      http: 200,
      status: 'degraded',
      notes: { way_out: 'down: timeout', datasets: 'missing: demo_phishing, demo_pages' },
    },
    [503, 'analysis-unavailable'],
  ],
  [
    'the operator’s feeds were never read: ready with a note, and safe targets are for review',
    'feed',
    { http: 200, status: 'ready', notes: { datasets: 'missing: demo_phishing, demo_pages' } },
    [200, undefined, 'review', 'medium'],
  ],
]

describe('/readyz and an uncached check at the same moment', { timeout: 600_000 }, () => {
  for (const [what, outage, expected, answer] of rows) {
    it(`when ${what}`, async t => {
      const options = outage === null ? [] : ['--outage', outage]
      const program = testProgram(join(ROOT, 'src/testing/demo/main.ts'))
      const service = serveProgram([...program, '--port', '0', ...options])
      t.after(() => service.signal('SIGKILL'))
      const url = await service.url
      const ready = async (): Promise<Ready> => {
        const response = await fetch(`${url}/readyz`)
        const { status, notes = {} } = (await response.json()) as Partial<Ready> & { status: string }
        const { disk: _, ...others } = notes
        return { http: response.status, status, notes: others }
      }
      // Instruments are proved, and feeds fetched, after the start.
      const end = performance.now() + SOON_MS
      while (!isDeepStrictEqual(await ready(), expected) && performance.now() < end) await pause(100)
      const headers = { 'X-API-Key': firstKey(service) ?? '' }
      const response = await fetch(`${url}/api/v1/check?domain=healthy-shop.lab`, { headers })
      const { code, recommendation, confidence } = (await response.json()) as Record<string, string | undefined>
      assert.deepEqual(await ready(), expected)
      const got = [response.status, code, recommendation, confidence]
      assert.deepEqual(got, [...answer, undefined, undefined].slice(0, 4))
      assert.equal(response.headers.has('retry-after'), response.status === 503)
    })
  }
})
