import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { jobId, openQueue, type QueuePlace, QueueUnavailable } from '../../src/bulk/remote/queue.ts'
import { openSubmitter, type SubmitOptions, type Submitter } from '../../src/bulk/remote/submit.ts'
import { type RunningWorker, startWorker, type WorkOptions } from '../../src/bulk/remote/work.ts'
import { systemClock } from '../../src/clock.ts'
import { AnalysisUnavailable } from '../../src/engine/analysis.ts'
import type { CheckResult } from '../../src/engine/engine.ts'
import { packageRoot } from '../../src/package_root.ts'
import { openUpstreamBoard } from '../../src/store/redis/upstream_board.ts'
import { parseTarget, type Target, unvetted } from '../../src/targets/target.ts'
import { startCluster, startSentinelGroup } from '../redis_groups.ts'
import { asAdmin, type RedisServer, startRedis, withoutRedis } from '../redis_server.ts'
import { startSniServer } from '../sni_server.ts'
import { run, targetOf } from './run_lab.ts'

/** Longer than a busy machine delays a worker: a late worker counts as dead, and its jobs run again. */
const LEASE_MS = 3_000

const resultOf = ({ domain, ip }: Target): CheckResult => ({
  result: { domain, ip, risk_score: 0, verdict: 'safe' },
  class: 'complete',
})

const NAMES = Array.from({ length: 40 }, (_, i) => `n${i}.org`).sort()

const never = new AbortController().signal
const quiet = { age_ms: 60_000, onError: () => {}, onNoWorkers: () => {} }

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

  const place = (): QueuePlace => ({ url: redis.url, queue: `lab-${queue}` })
  async function submitter(more: Partial<SubmitOptions> = {}): Promise<Submitter> {
    const made = await openSubmitter({ ...place(), ...quiet, ...more })
    open.push(made)
    return made
  }
  async function worker(
    check: (target: Target) => Promise<CheckResult>,
    more: Partial<WorkOptions> = {},
  ): Promise<RunningWorker> {
    const made = await startWorker({
      ...place(),
      engine: { check },
      parse: target => parseTarget(target, unvetted),
      ...{ policy: 'lab', incomplete_ms: 60_000 },
      concurrency: 4,
      lease_ms: LEASE_MS,
      onError: () => {},
      onDefect: () => {},
      ...more,
    })
    open.push(made)
    return made
  }
  /** Checks 40 names through the queue at the place; resolves with the names checked, in order. */
  async function checkedAt(more: Partial<QueuePlace>, interlude = async () => {}): Promise<readonly string[]> {
    const checked: string[] = []
    await worker(
      async target => {
        checked.push(target.domain ?? '')
        return resultOf(target)
      },
      { ...more },
    )
    const { check } = await submitter(more)
    for (const names of [NAMES.slice(0, 20), NAMES.slice(20)]) {
      const { records } = await run({ names, check, concurrency: 12 })
      assert.deepEqual(records.map(({ domain }) => domain).sort(), names)
      await interlude()
    }
    return checked.sort()
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

  it('are given up after the tries that are allowed, whoever counted them', async () => {
    const answer = (await submitter()).check(targetOf('a.org'), never)
    await asAdmin(redis.url, async client => {
      const job = `assay:v1:bulk-job:lab-${queue}:${jobId(targetOf('a.org'))}`
      while ((await client.exists(job)) === 0) await pause(5)
      await client.hSet(job, 'tries', '7')
    })
    await worker(async () => {
      throw new AnalysisUnavailable({ reason: 'resolver_timeout' })
    })
    assert.deepEqual(await answer, { ok: false, error: { code: 'analysis-unavailable', detail: 'resolver_timeout' } })
  })

  it('are not completed by a worker that finds them damaged, which goes on', async () => {
    const { check } = await submitter()
    const answer = check(targetOf('a.org'), never)
    await asAdmin(redis.url, async client => {
      const job = `assay:v1:bulk-job:lab-${queue}:${jobId(targetOf('a.org'))}`
      while ((await client.exists(job)) === 0) await pause(5)
      await client.hSet(job, 'target', 'no JSON')
    })
    await worker(async target => resultOf(target))
    const detail = 'The target in the queue is damaged.'
    assert.deepEqual(await answer, { ok: false, error: { code: 'analysis-unavailable', detail } })
    assert.equal((await check(targetOf('a.org'), never))?.ok, true)
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

  it('are shared between two submitters, which both get every answer for their own lines', async () => {
    const checked: string[] = []
    await worker(async target => {
      checked.push(target.domain ?? '')
      await pause(5)
      return resultOf(target)
    })
    const names = Array.from({ length: 60 }, (_, i) => `n${i}.org`)
    const runs = await Promise.all(
      [names, names.toReversed()].map(async names => ({ names, check: (await submitter()).check, concurrency: 12 })),
    )
    const ran = await Promise.all(runs.map(run))
    for (const [i, { records }] of ran.entries()) {
      const inOrder = records.toSorted((a, b) => a.line - b.line).map(({ domain }) => domain)
      assert.deepEqual(inOrder, runs[i]?.names)
    }
    assert.deepEqual(checked.sort(), [...names].sort())
  })

  it('are repeated for a submitter to whom the answer of another is too old', async () => {
    let checks = 0
    await worker(async target => {
      checks++
      return resultOf(target)
    })
    const counts = []
    for (const age_ms of [60_000, 60_000, 0]) {
      await (await submitter({ age_ms })).check(targetOf('a.org'), never)
      await pause(10)
      counts.push(checks)
    }
    assert.deepEqual(counts, [1, 1, 2])
  })

  it('are repeated for others when the result was incomplete for too long, or the policy is another', async () => {
    let checks = 0
    const made = (class_: CheckResult['class'], more: Partial<WorkOptions>) =>
      worker(
        async target => {
          checks++
          return { ...resultOf(target), class: class_ }
        },
        { policy: 'first', ...more },
      )
    const counts: number[] = []
    const count = async (name: string) => {
      const asking = await submitter()
      await asking.check(targetOf(name), never)
      await asking.close()
      counts.push(checks)
    }
    const brief = await made('incomplete', { incomplete_ms: 1 })
    for (const name of ['a.org', 'a.org']) await count(name)
    await brief.close()
    const former = await made('complete', {})
    for (const name of ['b.org', 'b.org']) await count(name)
    await former.close()
    await made('complete', { policy: 'second' })
    for (const name of ['b.org', 'b.org']) await count(name)
    assert.deepEqual(counts, [1, 2, 3, 3, 4, 4])
  })

  it('under way are joined even by a submitter that takes no earlier answer', async () => {
    const results: (() => void)[] = []
    await worker(async target => {
      await new Promise<void>(resolve => results.push(resolve))
      return resultOf(target)
    })
    const [first, strict] = [await submitter(), await submitter({ age_ms: 0 })]
    const answers = [first.check(targetOf('a.org'), never), strict.check(targetOf('a.org'), never)]
    while (results.length === 0) await pause(5)
    results[0]?.()
    assert.deepEqual([(await answers[0])?.ok, (await answers[1])?.ok, results.length], [true, true, 1])
  })

  it('that failed are not shared with a later run', async () => {
    let checks = 0
    await worker(async target => {
      if (++checks === 1) throw new Error('a defect')
      return resultOf(target)
    })
    const answers = []
    for (let n = 0; n < 2; n++) answers.push((await (await submitter()).check(targetOf('a.org'), never))?.ok)
    assert.deepEqual([answers, checks], [[false, true], 2])
  })

  it('end in order: a worker finishes its jobs and takes no others', async () => {
    const { check } = await submitter()
    let begun = 0
    const slow = await worker(
      async target => {
        begun++
        await pause(200)
        return resultOf(target)
      },
      { concurrency: 1 },
    )
    const [one, other] = [check(targetOf('a.org'), never), check(targetOf('b.org'), never)]
    while (begun === 0) await pause(5)
    await slow.close()
    assert.deepEqual([begun, slow.answered], [1, 1])
    await worker(async target => resultOf(target))
    assert.deepEqual([(await one)?.ok, (await other)?.ok], [true, true])
  })

  it('are finished by a worker that is stopped while it takes them', async () => {
    const answer = (await submitter()).check(targetOf('a.org'), never)
    await asAdmin(redis.url, async client => {
      while ((await client.zCard(`assay:v1:bulk-waiting:lab-${queue}`)) === 0) await pause(5)
    })
    let finished = 0
    const stopping = await worker(async target => {
      await pause(50)
      finished++
      return resultOf(target)
    })
    await stopping.close()
    assert.deepEqual([finished, stopping.answered], [1, 1])
    assert.equal((await answer)?.ok, true)
  })

  it('report that no worker is running', async () => {
    let lonely = 0
    const made = await submitter({ onNoWorkers: () => lonely++ })
    const stop = new AbortController()
    const answer = made.check(targetOf('a.org'), stop.signal)
    while (lonely === 0) await pause(20)
    stop.abort()
    assert.equal(await answer, null)
  })

  it('survive a Redis that restarts empty', async () => {
    const lost = await startRedis()
    const at = { url: lost.url, queue: 'lab' }
    const asking = await submitter(at)
    const answer = asking.check(targetOf('a.org'), never)
    await pause(50)
    await lost.kill('SIGKILL')
    const back = await startRedis(lost.port)
    const answering = await worker(async target => resultOf(target), at)
    assert.equal((await answer)?.ok, true)
    await Promise.all([asking.close(), answering.close()])
    await back.stop()
  })

  it('go through a primary behind Sentinels, and through its successor after a failover', async t => {
    const group = await startSentinelGroup()
    t.after(() => group.stop())
    assert.deepEqual(await checkedAt({ url: group.url }, () => group.failOver()), NAMES)
  })

  it('go through a cluster, whichever node is asked first, with all keys on one node', async t => {
    const cluster = await startCluster(3)
    t.after(() => cluster.stop())
    for (const [n, { port }] of cluster.nodes.entries()) {
      const at = { url: `redis://127.0.0.1:1,127.0.0.1:${port}`, prefix: '{assay}', queue: `lab-${n}` }
      assert.deepEqual(await checkedAt(at), NAMES)
    }
    const sizes: number[] = []
    for (const { url } of cluster.nodes) await asAdmin(url, async client => sizes.push(await client.dbSize()))
    assert.deepEqual(sizes.map(size => size > 0).sort(), [false, false, true])
  })

  it('are refused by a cluster when the prefix has no hash tag', async t => {
    const cluster = await startCluster(2)
    t.after(() => cluster.stop())
    const reason = 'This Redis is a cluster: set redis.prefix to one with a hash tag, such as {assay}'
    await assert.rejects(
      openQueue({ url: cluster.nodes[0]?.url ?? '', queue: 'x' }, () => {}),
      { name: 'QueueUnavailable', message: reason },
    )
  })

  it('need no other rights than docs/bulk.md lists', async () => {
    const docs = readFileSync(join(packageRoot, 'docs/bulk.md'), 'utf8').replaceAll(/ \\\n\s*/g, ' ')
    const [, rules = ''] = /ACL SETUSER queue on >password (.*)\n/.exec(docs) ?? []
    await asAdmin(redis.url, client =>
      client.sendCommand(['ACL', 'SETUSER', 'queue', 'on', '>password', ...rules.split(' ')]),
    )
    const errors: string[] = []
    const at = { url: redis.url.replace('//', '//queue:password@'), onError: (reason: string) => errors.push(reason) }
    assert.deepEqual(await checkedAt(at), NAMES)
    const denied: string[] = []
    const board = await openUpstreamBoard({ ...at, denied: code => denied.push(code) }, systemClock)
    const { slots } = board
    await slots.claim('registry', new Map([['key', 1]]), { at_once: 1, per_second: 1 })
    await board.close()
    assert.deepEqual([...errors, ...denied], [])
    await asAdmin(redis.url, async client => {
      assert.equal(await client.exists('assay:v1:target-running:registry'), 1)
    })
    await asAdmin(at.url, client => assert.rejects(client.get('assay:v1:key'), /NOPERM/))
  })

  it('give up a connection with the first command that gets no reply', async t => {
    const stalled = await startRedis()
    t.after(() => stalled.stop())
    const errors: string[] = []
    const queue = await openQueue({ url: stalled.url, queue: 'x' }, reason => errors.push(reason))
    t.after(() => queue.close())
    await stalled.kill('SIGSTOP')
    await assert.rejects(queue.submit('one', { asks: [], waits: ['a'], done: [] }), { name: 'RedisDown' })
    assert.deepEqual([queue.up, errors], [false, ['not_answered']])
  })

  it('are refused at once without Redis', async () => {
    await assert.rejects(
      openQueue({ url: 'redis://127.0.0.1:1', queue: 'x' }, () => {}),
      QueueUnavailable,
    )
  })

  it('tell a server the name it is reached by', async t => {
    const { port, names } = await startSniServer(t)
    await assert.rejects(
      openQueue({ url: `rediss://localhost:${port}`, queue: 'x' }, () => {}),
      QueueUnavailable,
    )
    assert.deepEqual(names, ['localhost'])
  })
})
