import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Setting } from '../../../src/knowledge/datasets/choose.ts'
import type { Datasets } from '../../../src/knowledge/datasets/datasets.ts'
import { writeMmdb } from '../../../src/testing/lab_mmdb.ts'
import { close, drip, type Step, send } from '../../../src/testing/lab_script.ts'
import type { LabResponse } from '../../../src/testing/lab_web.ts'
import { temporaryDirectory } from '../../temporary_directory.ts'
import { type Answers, FEED, HOUR_MS, mine, names, type RefreshLab, startRefreshLab } from './refresh_lab.ts'

let lab: RefreshLab
before(async () => {
  lab = await startRefreshLab([
    { name: 'plain.lab', addresses: ['93.184.216.51'], http: () => ({ body: names(10) }) },
    {
      name: 'stranger.lab',
      addresses: ['93.184.216.52'],
      https: () => ({ body: names(10) }),
      certificate: { self_signed: true },
    },
    { name: 'inside.lab', addresses: ['10.0.0.1'], https: () => ({ body: names(10) }) },
  ])
})
after(() => lab.close())

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4000\r\n\r\n'

const { signal } = new AbortController()
const refresh = (datasets: Datasets, force = false) => datasets.refresh('mine', { signal, force })
const lists = (datasets: Datasets, name: string) => datasets.feeds()[0]?.lookup?.name(name, name) ?? null
const statusOf = (datasets: Datasets) => datasets.status().find(({ id }) => id === 'mine')
const ok =
  (body: string | Buffer, headers: LabResponse['headers'] = []): Answers[number] =>
  () => ({ body, headers })
const failed = (reason: string) => ({ status: 'failed', reason })

describe('a dataset by URL', () => {
  it('is fetched, used, and kept on disk with its record', async () => {
    lab.answer(ok(names(10)))
    const directory = join(temporaryDirectory(), 'datasets')
    const datasets = await lab.open({ mine: mine() }, { directory })
    assert.equal(datasets.feeds()[0]?.reason, 'not_loaded')
    assert.equal(statusOf(datasets)?.state, 'missing')
    assert.deepEqual(await refresh(datasets), { status: 'fetched' })
    assert.equal(lists(datasets, 'host3.evil3.com'), 'host3.evil3.com')
    const { state, entries, age_seconds, failures, origin } = statusOf(datasets) ?? {}
    assert.deepEqual(
      { state, entries, age_seconds, failures, origin },
      {
        state: 'fresh',
        entries: 10,
        age_seconds: 0,
        failures: 0,
        origin: 'feeds.lab',
      },
    )
    assert.deepEqual(
      readdirSync(directory)
        .sort()
        .filter(name => !/\.index$/.test(name)),
      ['mine.data', 'mine.json'],
    )
  })

  it('is requested conditionally and confirmed by 304', async () => {
    const tagged = [
      ['ETag', '"one"'],
      ['Last-Modified', 'Fri, 20 Nov 2026 12:00:00 GMT'],
    ] as const
    lab.answer(ok(names(10), tagged), () => ({ status: 304 }))
    let now = Date.now()
    const datasets = await lab.open({ mine: mine() }, { now: () => now })
    await refresh(datasets)
    now += 5 * HOUR_MS
    assert.equal(datasets.feeds()[0]?.age_hours, 5)
    assert.deepEqual(await refresh(datasets), { status: 'unchanged' })
    assert.equal(datasets.feeds()[0]?.age_hours, 0)
    const conditions = lab.requests.map(({ headers }) => [headers['if-none-match'], headers['if-modified-since']])
    assert.deepEqual(conditions, [
      [undefined, undefined],
      ['"one"', 'Fri, 20 Nov 2026 12:00:00 GMT'],
    ])
    assert.equal(lists(datasets, 'host3.evil3.com'), 'host3.evil3.com')
  })

  it('is fetched completely when forced', async () => {
    lab.answer(ok(names(10), [['ETag', '"one"']]))
    const datasets = await lab.open({ mine: mine() })
    await refresh(datasets)
    assert.deepEqual(await refresh(datasets, true), { status: 'fetched' })
    assert.equal(lab.requests[1]?.headers['if-none-match'], undefined)
  })

  const faults: readonly (readonly [title: string, answer: Answers[number], reason: string, settings?: object])[] = [
    ['an error', () => ({ status: 500, body: names(10) }), 'http_500'],
    ['that it is gone', () => ({ status: 404 }), 'http_404'],
    ['304 to a question without conditions', () => ({ status: 304 }), 'http_304'],
    ['nothing', ok(''), 'empty'],
    ['only comments', ok('# a list\n# of nobody\n'), 'empty'],
    ['a page', ok('<!doctype html>\n<title>Sign in</title>\n<p>example.com\n'.repeat(9)), 'wrong_format'],
    ['binary', ok(Buffer.from(Array.from({ length: 4_096 }, (_, n) => (n * 167) % 256))), 'wrong_format'],
    ['too few', ok(names(3)), 'too_few_entries', { min_entries: 4 }],
    ['too much', ok(names(2_000)), 'too_large', { max_bytes: 10_000 }],
    ['too much once it is decompressed', ok(gzipSync(names(5_000))), 'too_large', { max_bytes: 60_000 }],
    ['a coding that is none', ok('not gzip', [['Content-Encoding', 'gzip']]), 'bad_encoding'],
    ['a file that is truncated', ok(gzipSync(names(5_000)).subarray(0, 5_000)), 'bad_encoding'],
    ['a redirect to this machine', to('https://127.0.0.1/'), 'redirect_to_non_public'],
    ['a redirect to a private name', to('https://inside.lab/'), 'redirect_to_non_public'],
    ['a redirect out of TLS', to('http://plain.lab/'), 'redirect_insecure'],
    ['a redirect to a stranger’s certificate', to('https://stranger.lab/'), 'certificate'],
    ['redirects without end', to(FEED), 'redirect_loop'],
  ]
  for (const [title, answer, reason, settings] of faults) {
    it(`keeps its last good copy when the publisher answers ${title}`, async () => {
      const datasets = await lab.open({ mine: mine() })
      lab.answer(ok(names(5)))
      await refresh(datasets)
      const strict = await lab.open({ mine: mine(settings) })
      lab.answer(answer)
      assert.deepEqual(await refresh(strict), failed(reason))
      assert.deepEqual([strict.feeds()[0]?.lookup, strict.feeds()[0]?.reason], [null, 'not_loaded'])
      if (settings !== undefined) return
      assert.deepEqual(await refresh(datasets, true), failed(reason))
      assert.equal(lists(datasets, 'host3.evil3.com'), 'host3.evil3.com')
      assert.deepEqual([statusOf(datasets)?.failures, statusOf(datasets)?.reason], [1, reason])
    })
  }

  const breakages: readonly (readonly [title: string, steps: readonly Step[], reason: string])[] = [
    ['ends before it is whole', [send(HEAD), send(names(10)), close()], 'closed'],
    ['drips for ever', [send(HEAD), drip('x'.repeat(1_000), 1, 20)], 'timeout'],
    ['never begins', [], 'timeout'],
    ['speaks no HTTP', [send('SSH-2.0-lab\r\n'), close()], 'protocol_error'],
  ]
  for (const [title, steps, reason] of breakages) {
    it(`is rejected when the download ${title}`, async () => {
      await lab.script(steps)
      const timeout_seconds = reason === 'timeout' ? 0.7 : 30
      const datasets = await lab.open({ mine: mine({ url: 'https://broken.lab/' }) }, { timeout_seconds })
      assert.deepEqual(await refresh(datasets), failed(reason))
    })
  }

  it('is rejected when it lost more than half, and accepted when forced', async () => {
    const datasets = await lab.open({ mine: mine() })
    lab.answer(ok(names(100)), ok(names(49)), ok(names(50)), ok(names(2)))
    await refresh(datasets)
    assert.deepEqual(await refresh(datasets), failed('shrunk'))
    assert.equal(statusOf(datasets)?.entries, 100)
    assert.deepEqual(await refresh(datasets), { status: 'fetched' })
    assert.deepEqual(await refresh(datasets, true), { status: 'fetched' })
    assert.equal(statusOf(datasets)?.entries, 2)
  })

  it('is rejected when more of it than before cannot be read by a tenth, and accepted when forced', async () => {
    const datasets = await lab.open({ mine: mine() })
    const written = (unread: number) => `${names(100)}\n${'a sentence\n'.repeat(unread)}`
    lab.answer(ok(names(100)), ok(written(10)), ok(written(30)), ok(written(30)))
    assert.deepEqual(await refresh(datasets), { status: 'fetched' })
    assert.deepEqual(await refresh(datasets), { status: 'fetched' })
    assert.deepEqual(await refresh(datasets), failed('written_differently'))
    assert.deepEqual(statusOf(datasets)?.dropped, { no_host: 10 })
    assert.deepEqual(await refresh(datasets, true), { status: 'fetched' })
  })

  it('survives a restart without a network', async () => {
    const directory = join(temporaryDirectory(), 'datasets')
    lab.answer(ok(names(10)))
    await refresh(await lab.open({ mine: mine() }, { directory }))
    const again = await lab.open({ mine: mine() }, { directory, offline: true })
    await again.load()
    assert.equal(lists(again, 'host3.evil3.com'), 'host3.evil3.com')
    assert.equal((await refresh(again))?.status, 'failed')
    assert.equal(lists(again, 'host3.evil3.com'), 'host3.evil3.com')
    const without = await lab.open({ mine: mine() }, { directory, downloads: false })
    await without.load()
    assert.equal(lists(without, 'host3.evil3.com'), 'host3.evil3.com')
  })

  it('is fetched on schedule once started, is loading until then, and reports it', async () => {
    lab.answer(ok(names(10)))
    const datasets = await lab.open({ mine: mine() })
    const told = await new Promise(resolve => {
      datasets.start((id, outcome) => resolve([id, outcome]))
      assert.equal(datasets.feeds()[0]?.reason, 'loading')
    })
    assert.deepEqual(told, ['mine', { status: 'fetched' }])
    assert.equal(lists(datasets, 'host3.evil3.com'), 'host3.evil3.com')
  })

  it('is never requested without downloads, even next to files that are reloaded', async () => {
    const directory = join(temporaryDirectory(), 'datasets')
    lab.answer(ok(names(10)))
    await refresh(await lab.open({ mine: mine({ refresh_hours: 1 }) }, { directory }))
    lab.answer(ok(names(10)))
    const path = join(temporaryDirectory(), 'ours.txt')
    writeFileSync(path, 'ours.com')
    const ours: Setting = { use: 'feed', path, category: 'spam' }
    const now = () => Date.now() + 5 * HOUR_MS
    const settings = { ours, mine: mine({ refresh_hours: 1 }) }
    const datasets = await lab.open(settings, { directory, downloads: false, now })
    await new Promise(resolve => datasets.start(id => resolve(id)))
    await datasets.stop()
    assert.deepEqual(lab.requests, [])
  })

  it('is missing without downloads and without a copy, and says why', async () => {
    const datasets = await lab.open({ mine: mine() }, { downloads: false })
    assert.equal(datasets.feeds()[0]?.reason, 'not_loaded')
    const { state, reason } = datasets.status().find(({ id }) => id === 'mine') ?? {}
    assert.deepEqual([state, reason], ['missing', 'downloads are off and there is no copy on disk'])
  })

  it('does not exist without downloads and without a copy if the operator only turned it on', async () => {
    assert.deepEqual((await lab.open({ openphish: true }, { downloads: false })).feeds(), [])
  })

  it('is fetched again when its copy is damaged', async () => {
    const directory = join(temporaryDirectory(), 'datasets')
    lab.answer(ok(names(10), [['ETag', '"one"']]))
    await refresh(await lab.open({ mine: mine() }, { directory }))
    writeFileSync(join(directory, 'mine.data'), 'half')
    const again = await lab.open({ mine: mine() }, { directory })
    await again.load()
    assert.equal(again.feeds()[0]?.reason, 'not_loaded')
    assert.deepEqual(await refresh(again), { status: 'fetched' })
    assert.equal(lab.requests.at(-1)?.headers['if-none-match'], undefined)
  })

  it('is loaded from another process that fetched it', async () => {
    const directory = join(temporaryDirectory(), 'datasets')
    let now = Date.now()
    const [one, other] = await Promise.all([1, 2].map(() => lab.open({ mine: mine() }, { directory, now: () => now })))
    assert.ok(one && other)
    lab.answer(ok(names(10), [['ETag', '"one"']]), ok(names(20), [['ETag', '"two"']]), () => ({ status: 304 }))
    await refresh(one)
    now += HOUR_MS
    await refresh(other)
    now += HOUR_MS
    assert.deepEqual(await refresh(one), { status: 'unchanged' })
    assert.equal(lab.requests.at(-1)?.headers['if-none-match'], '"two"')
    assert.equal(statusOf(one)?.entries, 20)
  })

  it('is unknown when its record is from the future', async () => {
    lab.answer(ok(names(10)))
    let now = Date.now()
    const datasets = await lab.open({ mine: mine({ stale_hours: 48 }) }, { now: () => now })
    await refresh(datasets)
    now -= 47 * HOUR_MS
    assert.deepEqual([datasets.feeds()[0]?.reason, datasets.feeds()[0]?.age_hours], [null, 0])
    now -= HOUR_MS
    assert.deepEqual([datasets.feeds()[0]?.lookup, datasets.feeds()[0]?.reason], [null, 'stale'])
    assert.equal(statusOf(datasets)?.state, 'stale')
  })

  it('is used until it is stale, and then unknown', async () => {
    let now = Date.now()
    const datasets = await lab.open({ mine: mine({ stale_hours: 48 }) }, { now: () => now })
    lab.answer(ok(names(10)))
    await refresh(datasets)
    now += 48 * HOUR_MS - 1
    assert.notEqual(datasets.feeds()[0]?.lookup, null)
    now += 1
    assert.deepEqual([datasets.feeds()[0]?.lookup, datasets.feeds()[0]?.reason], [null, 'stale'])
    assert.equal(statusOf(datasets)?.state, 'stale')
  })

  it('may be a compressed database', async () => {
    const url = 'https://feeds.lab/places.mmdb.gz'
    lab.answer(ok(gzipSync(writeMmdb({ '192.0.2.0/24': 'place' }))))
    const datasets = await lab.open({ dbip_city: url })
    await datasets.refresh('dbip_city', { signal })
    assert.deepEqual(
      datasets.geo().map(database => database.lookup('192.0.2.1')),
      ['place'],
    )
  })

  const bootstraps = [
    ['rdap_bootstrap', ['com', 'net'], ['10.0.0.0/8', '11.0.0.0/8']],
    ['rdap_bootstrap_ipv4', ['193.0.0.0/8', '62.0.0.0/8'], ['com', '2a00::/12']],
    ['rdap_bootstrap_ipv6', ['2001:600::/23', '2a00::/12'], ['com', '62.0.0.0/8']],
  ] as const
  for (const [id, own, others] of bootstraps) {
    it(`may be a bootstrap file: ${id}, which differs from the others`, async () => {
      const answer = (entries: readonly string[]) =>
        lab.answer(ok(JSON.stringify({ version: '1.0', services: [[entries, ['https://rdap.lab/']]] })))
      const datasets = await lab.open({ [id]: { url: 'https://feeds.lab/rdap.json', min_entries: 2 } })
      assert.equal(datasets.bootstrap(id), null)
      answer(others)
      assert.equal((await datasets.refresh(id, { signal }))?.status, 'failed')
      answer(own)
      await datasets.refresh(id, { signal })
      assert.deepEqual(
        [...(datasets.bootstrap(id)?.services.values() ?? [])],
        [['https://rdap.lab/'], ['https://rdap.lab/']],
      )
    })
  }

  it('has the current month in its URL if the publisher requires it', async () => {
    lab.answer(ok(names(10)))
    const url = 'https://feeds.lab/list-{year}-{month}.txt'
    const datasets = await lab.open({ mine: mine({ url }) }, { now: () => Date.parse('2026-03-09T00:00:00Z') })
    await refresh(datasets)
    assert.equal(lab.requests[0]?.url, '/list-2026-03.txt')
  })
})

function to(location: string): Answers[number] {
  return () => ({ status: 302, headers: [['Location', location]] })
}
