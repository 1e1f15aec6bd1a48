// A bulk run through a Redis while its workers, its submitter and Redis are killed. When it is done, every name of the list has
// one record, and its check did not fail.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { BulkWorkerTask } from './bulk_worker_process.ts'
import { type Child, CORE, startChild } from './child.ts'
import { type DurableRedis, startDurableRedis } from './durable_redis.ts'
import { commandOf } from './instance.ts'

const names = 400
const workers = 2
/** Milliseconds between two faults at most. */
const between_ms = 1_000
/** Milliseconds that Redis does not answer at most. */
const halt_ms = 3_000
/** Milliseconds that a check takes, so that some are under way at any time. */
const check_ms = 50
/** Short, so that the jobs of a killed worker are taken over soon. */
const lease_ms = 3_000

const submitters = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of submitters) child.kill('SIGKILL')
})

interface Run {
  readonly redis: DurableRedis
  readonly workers: Child[]
  readonly input: string
  readonly output: string
  submitter: ChildProcess
}

async function startWorker({ url }: DurableRedis): Promise<Child> {
  const child = startChild('bulk_worker_process', { core: CORE.any })
  const task: BulkWorkerTask = { url, queue: 'assay', check_ms, lease_ms }
  await child.ask('start', task)
  return child
}

const startSubmitter = ({ redis, input, output }: Pick<Run, 'redis' | 'input' | 'output'>): ChildProcess => {
  const args = commandOf('check', '--input', input, '--output', output, '--redis', redis.url, '--quiet')
  const child = spawn(process.execPath, args, { stdio: 'ignore' })
  submitters.add(child)
  child.once('exit', () => submitters.delete(child))
  return child
}

async function ended(child: ChildProcess, signal?: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  if (signal !== undefined) child.kill(signal)
  await gone
}

/** What is broken, in turn. */
const faults: Readonly<Record<string, (run: Run) => Promise<void>>> = {
  async 'a worker is killed'(run) {
    const at = Math.floor(Math.random() * run.workers.length)
    process.kill(run.workers[at]?.pid ?? 0, 'SIGKILL')
    run.workers[at] = await startWorker(run.redis)
  },
  async 'the submitter is killed'(run) {
    await ended(run.submitter, 'SIGKILL')
    run.submitter = startSubmitter(run)
  },
  'Redis is killed and keeps its data': ({ redis }) => redis.restart(true),
  'Redis is killed and loses its data': ({ redis }) => redis.restart(false),
  'Redis does not answer for a while': ({ redis }) => redis.halt(Math.random() * halt_ms),
}

/** Resolves with the number of lists whose results were wrong. */
export async function crashBulk(rounds: number): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'assay-crash-'))
  const redis = await startDurableRedis(directory)
  const crew = await Promise.all(Array.from({ length: workers }, () => startWorker(redis)))
  const all = Object.values(faults)
  let [lists, breaches] = [0, 0]
  try {
    for (let done = 0; done < rounds; ) {
      lists += 1
      const list = Array.from({ length: names }, (_, n) => `name-${n}-of-list-${lists}.com`)
      const [input, output] = [join(directory, `${lists}.txt`), join(directory, `${lists}.ndjson`)]
      writeFileSync(input, list.join('\n'))
      const run: Run = { redis, workers: crew, input, output, submitter: startSubmitter({ redis, input, output }) }
      while (!isDone(run) && done < rounds) {
        await pause(Math.random() * between_ms)
        await all[done++ % all.length]?.(run)
        if (done % 10 === 0) process.stdout.write(`${done} faults, ${lists} lists, ${breaches} breaches\n`)
      }
      await ended(run.submitter)
      const wrong = wrongOf(output, list)
      if (wrong.length === 0) continue
      breaches += 1
      process.stdout.write(`list ${lists}: ${wrong.join(', ')}\n`)
    }
    process.stdout.write(`${rounds} faults, ${lists} lists of ${names} names, ${breaches} breaches\n`)
  } finally {
    await Promise.all(crew.map(child => child.end()))
    await redis.end()
    rmSync(directory, { recursive: true })
  }
  return breaches
}

const isDone = ({ submitter }: Run): boolean => submitter.exitCode !== null

/** What is wrong about the records, in words. */
function wrongOf(output: string, list: readonly string[]): readonly string[] {
  const text = existsSync(output) ? readFileSync(output, 'utf8') : ''
  const records = text
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line) as { domain: string; error?: object })
  const found = new Set(records.map(({ domain }) => domain))
  const missing = list.filter(name => !found.has(name)).length
  const failed = records.filter(({ error }) => error !== undefined).length
  return [
    ...(missing > 0 ? [`${missing} names without a record`] : []),
    ...(records.length > found.size ? [`${records.length - found.size} records that repeat another`] : []),
    ...(failed > 0 ? [`${failed} checks failed`] : []),
  ]
}
