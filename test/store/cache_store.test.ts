// Results in a Redis of their own, beside the one with keys and counts: two real servers.
import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from '@redis/client'
import { asAdmin, type RedisServer, startRedis, withoutRedis } from '../redis_server.ts'
import { openFor, PATIENT_MS } from './backends.ts'

const SOON_MS = 30_000

let counts: RedisServer
let results: RedisServer
before(async () => {
  if (withoutRedis) return
  ;[counts, results] = await Promise.all([startRedis(), startRedis(undefined, ['--maxmemory-policy', 'allkeys-lru'])])
})
after(() => Promise.all([counts?.stop(), results?.stop()]))

const open = (t: TestContext, events: Record<string, unknown>[] = [], url = results.confined) =>
  openFor(t, { store: counts.confined, command_ms: PATIENT_MS, cache: { store: url }, events })

async function keysAt({ url }: RedisServer, pattern: string): Promise<number> {
  const client = await createClient({ url }).connect()
  const found = await client.keys(pattern)
  client.destroy()
  return found.length
}

async function until(isSo: () => boolean): Promise<void> {
  for (const end = performance.now() + SOON_MS; !isSo(); await pause(20))
    if (performance.now() > end) throw new Error('it is not so')
}

const plan = { quota: 10, period: 'month' } as const

describe('a Redis for results alone', { skip: withoutRedis }, () => {
  it('has the results and nothing else, and may evict them without a warning', async t => {
    const events: Record<string, unknown>[] = []
    const [writer, reader] = [await open(t, events), await open(t)]
    await writer.cache.put('shared', Buffer.from('found'), 'complete')
    assert.equal((await reader.cache.get('shared'))?.bytes.toString(), 'found')
    await writer.keys.create({ plan: 'startup', label: '' })
    assert.deepEqual([await keysAt(counts, 'assay:*:result*'), await keysAt(results, 'assay:*:result:*')], [0, 1])
    assert.ok((await keysAt(counts, '*')) > 0)
    assert.equal(await keysAt(results, '*'), await keysAt(results, 'assay:*:result*'))
    assert.deepEqual([writer.note(), writer.resultsNote()], [null, null])
    assert.deepEqual(events.map(({ store }) => store).sort(), ['redis-reached', 'results-reached'])
  })

  it('lets one instance run a check that several ask for', async t => {
    const stores = [await open(t), await open(t)]
    let runs = 0
    const start: Parameters<(typeof stores)[0]['flights']['run']>[1] = async (_, put) => {
      runs++
      await pause(300)
      await put?.('one-check', Buffer.from('once'), 'complete')
      return Buffer.from('once')
    }
    const outcomes = await Promise.all(stores.map(({ flights }) => flights.run('one-check', start)))
    assert.deepEqual([outcomes.map(String), runs], [['once', 'once'], 1])
  })

  it('that is down costs shared results only: instances answer, count, and say so', async t => {
    const own = await startRedis()
    t.after(() => own.stop())
    const events: Record<string, unknown>[] = []
    const [first, second] = [await open(t, events, own.url), await open(t, [], own.url)]
    await own.kill('SIGKILL')
    await until(() => [first, second].every(store => store.resultsNote() === 'redis-out'))
    assert.deepEqual([first.fault(), first.note()], [null, null])
    await first.cache.put('apart', Buffer.from('found'), 'complete')
    assert.deepEqual(
      [(await first.cache.get('apart'))?.bytes.toString(), await second.cache.get('apart')],
      ['found', null],
    )
    assert.equal(String(await second.flights.run('apart', async () => Buffer.from('own'))), 'own')
    const usage = await first.quota.charge?.('account', plan)
    assert.equal(usage !== undefined && 'used' in usage && usage.used, 1)
    const again = await startRedis(own.port)
    t.after(() => again.stop())
    await until(() => [first, second].every(store => store.resultsNote() === null))
    assert.deepEqual(
      events.filter(({ store }) => String(store).startsWith('results')).map(({ level, store }) => [level, store]),
      [
        ['info', 'results-reached'],
        ['error', 'results-out'],
        ['info', 'results-reached'],
      ],
    )
  })

  it('that only answers, as a replica does, is reported once and not used', async t => {
    const replica = await startRedis(undefined, ['--replicaof', '127.0.0.1', `${counts.port}`])
    t.after(() => replica.stop())
    const events: Record<string, unknown>[] = []
    const store = await open(t, events, replica.url)
    await asAdmin(replica.url, async admin => {
      const attempts = async () => Number(/total_connections_received:(\d+)/.exec(await admin.info('stats'))?.[1])
      const first = await attempts()
      while ((await attempts()) < first + 2) await pause(100)
    })
    assert.equal(store.resultsNote(), 'redis-out')
    assert.deepEqual(
      events.filter(({ store }) => String(store).startsWith('results')).map(({ store, reason }) => [store, reason]),
      [['results-out', 'READONLY']],
    )
  })

  it('that refuses scripts is reported once, and stays connected', async t => {
    const strict = await startRedis()
    t.after(() => strict.stop())
    await asAdmin(strict.url, admin =>
      admin.sendCommand(['ACL', 'SETUSER', 'limited', 'on', '>secret', '~assay:*', '+@all', '-@scripting']),
    )
    const events: Record<string, unknown>[] = []
    const store = await open(t, events, strict.url.replace('//', '//limited:secret@'))
    for (let n = 0; n < 3; n++) assert.equal(await store.cache.get(`refused ${n}`), null)
    // Longer than the link waits before it connects again.
    await pause(1_500)
    assert.deepEqual(
      events.filter(({ store }) => String(store).startsWith('results')).map(({ store, reason }) => [store, reason]),
      [
        ['results-refuses', 'NOPERM'],
        ['results-reached', 'connected'],
      ],
    )
  })

  it('that is down at the start is no fault', async t => {
    const store = await open(t, [], 'redis://127.0.0.1:9/0')
    assert.deepEqual([store.fault(), store.note(), store.resultsNote()], [null, null, 'redis-out'])
  })
})
