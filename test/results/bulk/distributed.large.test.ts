// Bulk runs over several workers and a real PostgreSQL, each of which may crash: every target is in the output once.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { AnalysisUnavailable } from '../../../src/engine/analysis.ts'
import type { CheckResult } from '../../../src/engine/engine.ts'
import type { BulkRecord } from '../../../src/results/bulk/record.ts'
import { Submitter, type SubmitterOptions } from '../../../src/results/bulk/remote/submitter.ts'
import { type RunningWorker, startWorker, type WorkerOptions } from '../../../src/results/bulk/remote/worker.ts'
import { parseTarget, type Target, unvetted } from '../../../src/targets/target.ts'
import { testProgram } from '../../assay.ts'
import { assay } from '../../cli/assay.ts'
import { offline } from '../../cli/offline.ts'
import { type PostgresServer, startPostgres } from '../../postgres_server.ts'
import { openAt } from '../../store/queue_places.ts'
import { temporaryDirectory } from '../../temporary_directory.ts'
import { run, targetOf } from './run_lab.ts'

const LIMITS = { lease_ms: 2_000, look_ms: 500, failure_ms: 100, end_ms: 10_000 }
const PROGRAM = join(import.meta.dirname, 'distributed_process.ts')

const resultOf = ({ domain, ip }: Target): CheckResult => ({
  result: { domain, ip, risk_score: 0, verdict: 'safe' },
  class: 'complete',
})
const namesOf = (count: number) => Array.from({ length: count }, (_, at) => `n${at}.org`)
const never = new AbortController().signal

describe('checks through a queue in PostgreSQL', { timeout: 180_000 }, () => {
  let server: PostgresServer
  let place = ''
  let queues = 0
  before(async () => {
    server = await startPostgres()
    place = await server.createDatabase()
  })
  after(() => server.stop())

  const open = () => openAt(place, { now: Date.now, limits: LIMITS, onFailure: () => {} })

  /** A queue of the test alone. */
  function lab(t: TestContext) {
    const queue = `lab-${queues++}`
    async function submitter(more: Partial<SubmitterOptions> = {}): Promise<Pick<Submitter, 'check' | 'close'>> {
      const opened = await open()
      const made = new Submitter({
        ...opened,
        queue,
        age_ms: 60_000,
        onError: () => {},
        onNoWorkers: () => {},
        ...more,
      })
      const close = async () => {
        await made.close()
        await opened.queues.close()
      }
      t.after(close)
      return { check: (target, over) => made.check(target, over), close }
    }
    async function worker(
      check: (target: Target) => Promise<CheckResult>,
      more: Partial<WorkerOptions> = {},
    ): Promise<RunningWorker> {
      const opened = await open()
      const made = startWorker({
        ...opened,
        queue,
        engine: { check },
        policy: 'lab',
        incomplete_ms: 60_000,
        concurrency: 4,
        onDefect: () => {},
        parse: target => parseTarget(target, unvetted),
        ...more,
      })
      t.after(() => made.close())
      return made
    }
    /** A worker as a process of its own; resolves with what kills it once it has checked something. */
    async function child(): Promise<() => void> {
      const [command = '', ...args] = [process.execPath, ...testProgram(PROGRAM)]
      const started = spawn(command, [...args, place, queue], { stdio: ['ignore', 'pipe', 'inherit'] })
      t.after(() => started.kill('SIGKILL'))
      for await (const _ of started.stdout?.iterator({ destroyOnReturn: false }) ?? []) break
      started.stdout?.resume()
      return () => started.kill('SIGKILL')
    }
    return { queue, submitter, worker, child }
  }

  it('are shared between workers, and every name is checked once', async t => {
    const { submitter, worker } = lab(t)
    const checked: string[][] = [[], []]
    for (const mine of checked)
      await worker(async target => {
        mine.push(target.domain ?? '')
        await pause(20)
        return resultOf(target)
      })
    const { check } = await submitter()
    const names = namesOf(60)
    const { records, ran } = await run({ names, check, concurrency: 12 })
    assert.deepEqual([ran.ended, ran.tally.written], ['whole', 60])
    assert.deepEqual(records.map(({ domain }) => domain).sort(), names.toSorted())
    assert.deepEqual(checked.flat().sort(), names.toSorted())
    assert.ok(
      checked.every(mine => mine.length > 0),
      'both took part',
    )
  })

  it('are what `assay check --input --store` asks for', async t => {
    const { queue, worker } = lab(t)
    await worker(async target => resultOf(target))
    const directory = temporaryDirectory()
    const [input, output] = [join(directory, 'names.txt'), join(directory, 'results.ndjson')]
    writeFileSync(input, 'a.org\nb.org\n')
    const files = ['--input', input, '--output', output, '--config', offline(directory, 'name_length')]
    const { code, err } = await assay('check', ...files, '--quiet', '--store', place, '--queue', queue)
    assert.equal(code, 0, err)
    const records = readFileSync(output, 'utf8').trim().split('\n')
    assert.deepEqual(records.map(record => JSON.parse(record).domain).sort(), ['a.org', 'b.org'])
  })

  it('are shared between two submitters, and a later run has the answers of an earlier one', async t => {
    const { submitter, worker } = lab(t)
    const checked: string[] = []
    await worker(async target => {
      checked.push(target.domain ?? '')
      await pause(5)
      return resultOf(target)
    })
    const names = namesOf(20)
    const checks = [(await submitter()).check, (await submitter()).check]
    const runs = await Promise.all(checks.map(check => run({ names, check, concurrency: 12 })))
    const later = await run({ names, check: (await submitter()).check, concurrency: 12 })
    for (const { records } of [...runs, later])
      assert.deepEqual(records.map(({ domain }) => domain).sort(), names.toSorted())
    assert.deepEqual(checked.sort(), names.toSorted())
  })

  it('go on when the submitter that asked first died before it woke a worker', async t => {
    const { submitter, worker } = lab(t)
    const { check } = await submitter()
    const stop = new AbortController()
    const first = check(targetOf('a.org'), stop.signal)
    await pause(500)
    stop.abort()
    await first
    await worker(async target => resultOf(target))
    assert.equal((await (await submitter()).check(targetOf('a.org'), never))?.ok, true)
  })

  it('are repeated when the answer is too old, of another policy, or not to be shared', async t => {
    const { submitter, worker } = lab(t)
    let checks = 0
    const counting = async (target: Target) => {
      checks++
      return resultOf(target)
    }
    const former = await worker(counting)
    const counts: number[] = []
    const count = async (text: string, more: Partial<SubmitterOptions> = {}) => {
      assert.equal((await (await submitter(more)).check(targetOf(text), never))?.ok, true)
      counts.push(checks)
    }
    await count('a.org')
    await count('a.org')
    await pause(10)
    await count('a.org', { age_ms: 0 })
    for (const _ of [1, 2]) await count('https://a.org/x?token=1')
    await former.close()
    await worker(counting, { policy: 'other' })
    await pause(1_100)
    await count('a.org')
    assert.deepEqual(counts, [1, 1, 2, 3, 4, 5])
  })

  it('are tried again when nothing could be checked, given up after some tries, and reported when they fail', async t => {
    const { submitter, worker } = lab(t)
    const tries = new Map<string, number>()
    await worker(async target => {
      const name = target.domain ?? ''
      tries.set(name, (tries.get(name) ?? 0) + 1)
      if (name === 'defect.org') throw new Error('a defect')
      if (name === 'down.org' || tries.get(name) === 1) throw new AnalysisUnavailable({ reason: 'resolver_timeout' })
      return resultOf(target)
    })
    const { check } = await submitter()
    const [once, down, defect] = await Promise.all(
      ['once.org', 'down.org', 'defect.org'].map(name => check(targetOf(name), never)),
    )
    assert.deepEqual([once?.ok, tries.get('once.org')], [true, 2])
    const error = { code: 'analysis-unavailable', detail: 'resolver_timeout' }
    assert.deepEqual([down, tries.get('down.org')], [{ ok: false, error }, 3])
    const detail = 'Internal error; see the output of the worker.'
    assert.deepEqual(defect, { ok: false, error: { code: 'internal-error', detail } })
  })

  it('end in order: a worker finishes what it checks and takes nothing else', async t => {
    const { submitter, worker } = lab(t)
    let begun = 0
    const slow = await worker(
      async target => {
        begun++
        await pause(300)
        return resultOf(target)
      },
      { concurrency: 1 },
    )
    const { check } = await submitter()
    const all = [check(targetOf('a.org'), never), check(targetOf('b.org'), never)]
    while (begun === 0) await pause(5)
    await slow.close()
    assert.deepEqual([begun, slow.answered], [1, 1])
    await worker(async target => resultOf(target))
    assert.deepEqual(
      (await Promise.all(all)).map(answer => answer?.ok),
      [true, true],
    )
  })

  it('wait for the next run when theirs is interrupted, and tell that no worker is running', async t => {
    const { submitter, worker } = lab(t)
    let lonely = 0
    const stop = new AbortController()
    const first = (await submitter({ onNoWorkers: () => lonely++ })).check(targetOf('a.org'), stop.signal)
    while (lonely === 0) await pause(20)
    stop.abort()
    assert.equal(await first, null)
    let checks = 0
    await worker(async target => {
      checks++
      return resultOf(target)
    })
    while (checks === 0) await pause(10)
    const again = await (await submitter()).check(targetOf('a.org'), never)
    assert.deepEqual([again?.ok, checks], [true, 1])
  })

  it('are each in the output once when a worker is killed, the database crashes and the submitter starts anew', async t => {
    const { submitter, child } = lab(t)
    const names = namesOf(400)
    const written: string[] = []
    const write = async ({ domain }: BulkRecord) => void written.push(String(domain))
    const stop = new AbortController()
    const first = await submitter()
    const running = run({ names, check: first.check, write, concurrency: 24, stop: stop.signal })
    const [kill] = [await child(), await child()]
    while (written.length < 50) await pause(10)
    kill()
    while (written.length < 100) await pause(10)
    await server.crash()
    await pause(500)
    await server.restart()
    const before = written.length
    while (written.length < before + 50) await pause(10)
    stop.abort()
    await running
    await first.close()
    const second = await submitter()
    const { ran } = await run({ names, check: second.check, write, settled: new Set(written), concurrency: 24 })
    assert.equal(ran.ended, 'whole')
    assert.deepEqual(written.toSorted(), names.toSorted())
  })
})
