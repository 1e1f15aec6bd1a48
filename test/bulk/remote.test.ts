import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openConnection, QueueUnavailable } from '../../src/bulk/remote/queue.ts'
import { openSubmitter, type Submitter } from '../../src/bulk/remote/submit.ts'
import { type RunningWorker, startWorker } from '../../src/bulk/remote/work.ts'
import { AnalysisUnavailable } from '../../src/engine/analysis.ts'
import type { CheckResult } from '../../src/engine/engine.ts'
import { parseTarget, type Target, unvetted } from '../../src/targets/target.ts'
import { type RedisServer, startRedis, withoutRedis } from '../redis_server.ts'
import { startSniServer } from '../sni_server.ts'
import { run, targetOf } from './run_lab.ts'

/** Longer than a busy machine delays a worker: a late worker counts as dead, and its jobs run again. */
const LEASE_MS = 3_000

const resultOf = ({ domain, ip }: Target): CheckResult => ({
  result: { domain, ip, risk_score: 0, verdict: 'safe' },
  class: 'complete',
})

const never = new AbortController().signal
const quiet = { onError: () => {}, onNoWorkers: () => {} }

describe('checks through a queue in Redis', { timeout: 300_000, skip: withoutRedis }, () => {
  let redis: RedisServer
  let queue = 0
  const open: { close(): Promise<void> }[] = []
  before(async () => {
    redis = await startRedis()
  })
  afterEach(async () => {
    await Promise.all(open.splice(0).map(one => one.close()))
    queue++
  })
  after(() => redis.stop())

  const place = () => ({ url: redis.url, queue: `lab-${queue}` })
  async function submitter(): Promise<Submitter> {
    const made = await openSubmitter(place(), quiet)
    open.push(made)
    return made
  }
  async function worker(check: (target: Target) => Promise<CheckResult>, concurrency = 4): Promise<RunningWorker> {
    const made = await startWorker({
      ...place(),
      engine: { check },
      parse: data => parseTarget(data, unvetted),
      concurrency,
      lease_ms: LEASE_MS,
      onError: () => {},
      onDefect: () => {},
    })
    open.push(made)
    return made
  }

  it('are shared between workers, and every name is checked once', async () => {
    const checked: string[][] = [[], []]
    for (const mine of checked) {
      await worker(async target => {
        mine.push(target.domain ?? '')
        await pause(5)
        return resultOf(target)
      })
    }
    const { check } = await submitter()
    const names = Array.from({ length: 60 }, (_, i) => `n${i}.org`)
    const { records, ran } = await run({ names, check, concurrency: 12 })
    assert.deepEqual([ran.ended, ran.tally.written], ['whole', 60])
    assert.deepEqual(records.map(({ domain }) => domain).sort(), [...names].sort())
    assert.deepEqual(checked.flat().sort(), [...names].sort())
    assert.ok(
      checked.every(mine => mine.length > 0),
      'both workers took part',
    )
  })

  it('share the limits of a registrable domain over all workers', async () => {
    let now = 0
    let most = 0
    const counting = async (target: Target) => {
      most = Math.max(most, ++now)
      await pause(5)
      now--
      return resultOf(target)
    }
    await worker(counting)
    await worker(counting)
    const { check } = await submitter()
    const names = Array.from({ length: 12 }, (_, i) => `n${i}.example.com`)
    await run({ names, check, concurrency: 12, limits: { at_once: 2, pause_ms: 0 } })
    assert.ok(most >= 1 && most <= 2, `${most} at once`)
  })

  it('are retried when nothing could be checked', async () => {
    let tries = 0
    await worker(async target => {
      if (++tries < 2) throw new AnalysisUnavailable({ reason: 'resolver_timeout' })
      return resultOf(target)
    })
    const answer = await (await submitter()).check(targetOf('a.org'), never)
    assert.deepEqual([answer?.ok, tries], [true, 2])
  })

  it('report a failed check and go on', async () => {
    await worker(async target => {
      if (target.domain === 'a.org') throw new Error('a defect')
      return resultOf(target)
    })
    const { check } = await submitter()
    const detail = 'Internal error; see the output of the worker.'
    assert.deepEqual(await check(targetOf('a.org'), never), { ok: false, error: { code: 'internal-error', detail } })
    assert.equal((await check(targetOf('b.org'), never))?.ok, true)
  })

  it('continue an interrupted run without repeating checks', async () => {
    const stop = new AbortController()
    let checks = 0
    const first = (await submitter()).check(targetOf('a.org'), stop.signal)
    await pause(50)
    stop.abort()
    assert.equal(await first, null)
    await worker(async target => {
      checks++
      return resultOf(target)
    })
    while (checks === 0) await pause(10)
    await pause(50)
    const again = await (await submitter()).check(targetOf('a.org'), never)
    assert.deepEqual([again?.ok, checks], [true, 1])
  })

  it('end in order: a worker finishes its jobs and takes no others', async () => {
    const { check } = await submitter()
    let begun = 0
    const slow = await worker(async target => {
      begun++
      await pause(200)
      return resultOf(target)
    }, 1)
    const [one, other] = [check(targetOf('a.org'), never), check(targetOf('b.org'), never)]
    while (begun === 0) await pause(5)
    await slow.close()
    assert.deepEqual([begun, slow.answered], [1, 1])
    await worker(async target => resultOf(target))
    assert.deepEqual([(await one)?.ok, (await other)?.ok], [true, true])
  })

  it('report that no worker is running', async () => {
    let lonely = 0
    const made = await openSubmitter(place(), { ...quiet, onNoWorkers: () => lonely++ })
    open.push(made)
    const stop = new AbortController()
    const answer = made.check(targetOf('a.org'), stop.signal)
    while (lonely === 0) await pause(20)
    stop.abort()
    assert.equal(await answer, null)
  })

  it('survive a Redis that restarts empty', async () => {
    const lost = await startRedis()
    const at = { url: lost.url, queue: 'lab' }
    const asking = await openSubmitter(at, quiet)
    const answer = asking.check(targetOf('a.org'), never)
    await pause(50)
    await lost.kill('SIGKILL')
    const back = await startRedis(lost.port)
    const answering = await startWorker({
      ...at,
      engine: { check: async target => resultOf(target) },
      parse: data => parseTarget(data, unvetted),
      concurrency: 1,
      lease_ms: LEASE_MS,
      onError: () => {},
      onDefect: () => {},
    })
    assert.equal((await answer)?.ok, true)
    await Promise.all([asking.close(), answering.close()])
    await back.stop()
  })

  it('are refused at once without Redis', async () => {
    await assert.rejects(
      openConnection({ url: 'redis://127.0.0.1:1', queue: 'x' }, () => {}),
      QueueUnavailable,
    )
  })

  it('tell a server the name it is reached by', async t => {
    const { port, names } = await startSniServer(t)
    await assert.rejects(
      openConnection({ url: `rediss://localhost:${port}`, queue: 'x' }, () => {}),
      QueueUnavailable,
    )
    assert.deepEqual(names, ['localhost'])
  })
})
