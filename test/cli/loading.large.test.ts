// Starts with datasets in the other states on disk, and of several processes: when the service listens, what /readyz and the answers say, and what happens when
// the data arrives.
import assert from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { sharedPostgres } from '../postgres_server.ts'
import {
  CLEAN,
  clientOf,
  feed,
  isEqualTo,
  judged,
  LISTED,
  listing,
  names,
  openStage,
  pipeAt,
  READ,
  REASON,
  release,
  UNREAD,
  until,
  WITHHELD,
  writeCopy,
} from './loading_states.ts'

const feedAt = (url: string) => ({ use: 'feed', url, category: 'phishing', strength: 'strong' })
/** A start that waits for a hanging disk no longer than this. */
const SHORTLY = { server: { loading_ms: 500 } }

const ALLOWED = ['safe', 'allow', 'high', undefined] as const
const FOUND = ['malicious', 'block', 'high', undefined] as const

describe('a start without datasets', { timeout: 600_000 }, () => {
  it('listens, lacks nothing, and allows what is clean', async t => {
    const client = await clientOf((await openStage(t)).start({}))
    assert.deepEqual([await client.ready(), await judged(client, CLEAN)], [READ, ALLOWED])
  })
})

describe('a start with a feed of the operator', { timeout: 600_000 }, () => {
  it('listens when it is read, makes its index, uses that at the next start, and makes a damaged one anew', async t => {
    const stage = await openStage(t)
    const path = join(stage.directory, 'acme.txt')
    writeFileSync(path, listing)
    const index = join(stage.copies('data'), 'acme.index')
    const made: number[] = []
    for (const damage of [false, false, true]) {
      if (damage) {
        const octets = readFileSync(index)
        writeFileSync(index, octets.fill(0xff, octets.length - 16))
      }
      const service = stage.start({ acme: feed(path) }, { data: 'data' })
      const client = await clientOf(service, made.length === 0 ? '' : key)
      key = client.key
      // The first answer of the process.
      assert.deepEqual(await judged(client, LISTED), FOUND)
      assert.deepEqual([await client.ready(), await judged(client, CLEAN)], [READ, ALLOWED])
      made.push(statSync(index).mtimeMs)
      service.signal('SIGKILL')
      await service.ended
    }
    const [first, second, third] = made as [number, number, number]
    assert.equal(second, first)
    assert.ok(third > second)
  })
  let key = ''

  for (const enabled of [false, true]) {
    it(`by URL that was never downloaded, withholds its recommendation; downloads are ${enabled ? 'on' : 'off'}`, async t => {
      const stage = await openStage(t)
      const client = await clientOf(
        stage.start({ acme: feedAt('https://feeds.lab/acme.txt') }, { downloads: { enabled } }),
      )
      assert.deepEqual([await client.ready(), await judged(client, CLEAN)], [UNREAD, WITHHELD])
      const seen = await client.check(CLEAN)
      assert.deepEqual([seen.reason, seen.cached, seen.kept], [REASON, true, false])
    })
  }

  it('by URL with a copy on disk, reads that before it listens', async t => {
    const stage = await openStage(t)
    writeCopy(stage.copies('data'), 'acme', listing)
    const client = await clientOf(stage.start({ acme: feedAt('https://feeds.lab/acme.txt') }, { data: 'data' }))
    assert.deepEqual([await judged(client, LISTED), await client.ready()], [FOUND, READ])
  })
})

describe('a start with a known dataset', { timeout: 600_000 }, () => {
  const id = 'phishing_database'
  const settings = { [id]: { min_entries: 1 } }

  it('that was never downloaded lacks nothing that is expected', async t => {
    const stage = await openStage(t)
    const client = await clientOf(stage.start(settings, { downloads: { enabled: true } }))
    const [status, note] = await client.ready()
    assert.deepEqual([status, note], READ)
    const seen = await client.check(CLEAN)
    assert.deepEqual([seen.recommendation, seen.missing, seen.kept], ['allow', undefined, true])
  })

  for (const [what, content, octets] of [
    ['of another size than its record', listing, 1],
    ['of another format', '<!doctype html>\n<title>404</title>\n<p>Not found</p>\n', undefined],
  ] as const) {
    it(`whose copy is damaged, ${what}: allows with medium confidence, and says what is missing`, async t => {
      const stage = await openStage(t)
      writeCopy(stage.copies('data'), id, content, octets)
      const client = await clientOf(stage.start(settings, { data: 'data' }))
      assert.deepEqual(await client.ready(), ['ready', `missing: ${id}`])
      assert.deepEqual(await judged(client, CLEAN), ['safe', 'allow', 'medium', [id]])
      assert.equal((await client.check(CLEAN)).kept, false)
    })
  }
})

describe('a start with a file whose disk hangs', { timeout: 600_000 }, () => {
  it('lets a job wait for the file', async t => {
    const stage = await openStage(t)
    const pipe = pipeAt(join(stage.directory, 'acme.txt'))
    const client = await clientOf(stage.start({ acme: feed(pipe) }, SHORTLY))
    const { id } = await client.json('/api/v1/checks', {
      method: 'POST',
      headers: { Prefer: 'respond-async' },
      body: JSON.stringify({ targets: names(60) }),
    })
    const job = () => client.json(`/api/v1/jobs/${id}`)
    const paused = await until(job, ({ status }) => status === 'paused')
    assert.deepEqual([paused['status'], paused['reason'], paused['done']], ['paused', 'datasets-loading', 0])
    release(pipe, listing)
    const ended = await until(job, ({ status }) => status === 'completed')
    assert.deepEqual(ended['verdicts'], { safe: 0, suspicious: 0, malicious: 60 })
  })

  it('gives nothing to an instance that has read its file, and takes nothing from it', async t => {
    const stage = await openStage(t, { store: await (await sharedPostgres()).createDatabase() })
    const pipe = pipeAt(join(stage.directory, 'acme.txt'))
    const whole = join(stage.directory, 'whole.txt')
    writeFileSync(whole, listing)
    const hanging = await clientOf(stage.start({ acme: feed(pipe) }, SHORTLY))
    const healthy = await clientOf(stage.start({ acme: feed(whole) }), hanging.key)
    assert.deepEqual(await judged(hanging, LISTED), WITHHELD)
    const found = await healthy.check(LISTED)
    assert.deepEqual([found.verdict, found.cached], ['malicious', false])
    assert.deepEqual(await judged(hanging, LISTED), WITHHELD)
    release(pipe, listing)
    await until(hanging.ready, isEqualTo<readonly unknown[]>(READ))
    const shared = await hanging.check(LISTED)
    assert.deepEqual([shared.verdict, shared.cached], ['malicious', true])
  })
})

describe('a start of two workers', { timeout: 600_000 }, () => {
  it('answers nothing before the feed is read', async t => {
    const stage = await openStage(t)
    const path = join(stage.directory, 'acme.txt')
    writeFileSync(path, listing)
    const service = stage.start({ acme: feed(path) }, { server: { workers: 2 } })
    const client = await clientOf(service)
    // Connections of their own, which the workers take in turn.
    const seen = await Promise.all(names(20).map(name => judged(client, name)))
    // A busy machine refuses some.
    const answered = seen.filter(([verdict]) => verdict !== undefined)
    assert.deepEqual(new Set(answered.map(one => JSON.stringify(one))), new Set([JSON.stringify(FOUND)]))
  })

  it('listens after a while when the disk hangs, and has the feed in both when it is read', async t => {
    const stage = await openStage(t)
    const pipe = pipeAt(join(stage.directory, 'acme.txt'))
    const client = await clientOf(stage.start({ acme: feed(pipe) }, { server: { workers: 2, loading_ms: 500 } }))
    const first = await Promise.all(names(8).map(name => client.check(name)))
    assert.deepEqual(new Set(first.map(({ recommendation }) => recommendation)), new Set(['review']))
    release(pipe, listing)
    const all = () => Promise.all(names(20).map(async name => (await client.check(name)).verdict))
    const last = await until(all, verdicts => verdicts.every(verdict => verdict === 'malicious'))
    assert.deepEqual(new Set(last), new Set(['malicious']))
  })
})
