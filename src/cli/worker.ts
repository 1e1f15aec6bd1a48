// `assay worker`: takes checks from a queue, so that many machines share one list of names.
import { once } from 'node:events'
import type { Command } from 'commander'
import type { RunningWorker } from '../bulk/remote/work.ts'
import { systemClock } from '../clock.ts'
import { releaseOnError } from '../errors.ts'
import { createService } from '../service.ts'
import { openBoard, redisPlace } from '../store/open_backend.ts'
import { parseTarget } from '../targets/target.ts'
import { CONCURRENCY, count, DEFAULT_QUEUE, queueName } from './arguments.ts'
import { defectLines, defectText, unshared } from './defects.ts'
import { pasteable } from './invocation.ts'
import { configOption, type SharedOptions, settle } from './options.ts'
import type { Output } from './output.ts'
import { interruption } from './signals.ts'

const HELP = `
Examples:
  assay worker --redis redis://queue.internal:6379 --concurrency 32
  assay check --input names.txt --output results.ndjson --redis redis://queue.internal:6379

Workers run the checks; \`assay check --input … --redis …\` hands out the names, gathers the results, and keeps to the rate
limit of each registrable domain across all workers. SIGTERM lets the running checks finish. Nothing is lost when a worker
dies: after --lease seconds another one takes over its checks. Each worker uses its own configuration. Put a URL with a
password into ASSAY_STORE or the "store" of the configuration, and use --redis without a URL.`

interface WorkerOptions extends SharedOptions {
  readonly redis?: string | true
  readonly queue: string
  readonly concurrency: number
  readonly lease: number
}

export function defineWorker(command: Command, output: Output): void {
  configOption(command)
    .option('--redis [url]', 'Redis that holds the queue; without a URL, the store of --config')
    .option('--queue <name>', 'name of the queue', queueName, DEFAULT_QUEUE)
    .option('--concurrency <n>', 'concurrent checks', count(1, 1_000), CONCURRENCY)
    .option('--lease <seconds>', 'seconds of silence after which another worker takes over', count(1, 3_600), 15)
    .addHelpText('after', pasteable(HELP))
    .action((options: WorkerOptions) => work(options, output))
}

async function work(options: WorkerOptions, { err }: Output): Promise<void> {
  const [{ startWorker }, { hostsOf, outages, queuePlace, withQueue }] = await Promise.all([
    import('../bulk/remote/work.ts'),
    import('./remote.ts'),
  ])
  const { config, registry, environment } = await settle(options)
  const place = queuePlace(options.redis ?? true, config)
  const extensions = [defectLines(err)]
  // Instances share what they know in their store; workers without one share it in the Redis of the queue.
  const { board, close } = await openBoard(redisPlace(config) ?? place, systemClock, unshared(err))
  const { extra_roots } = environment
  const service = await releaseOnError(close, () =>
    createService({ config, registry, extra_roots, extensions, board, patient: true }),
  )
  const interrupted = interruption()
  try {
    for (const notice of service.notices) err(`assay: ${notice}\n`)
    await service.start()
    const worker = await withQueue(place, () =>
      startWorker({
        ...place,
        queue: options.queue,
        engine: service.engine,
        parse: data => parseTarget(data, service.guard),
        policy: service.policy,
        incomplete_ms: config.cache.incomplete_seconds * 1_000,
        concurrency: options.concurrency,
        lease_ms: options.lease * 1_000,
        onError: outages(err),
        onDefect: (error, target) => err(`assay: ${defectText(error, target)}\n`),
      }),
    )
    err(`assay: worker takes checks from ${hostsOf(place)}, queue ${options.queue}\n`)
    await untilInterrupted(worker, interrupted.signal, err)
  } finally {
    interrupted.forget()
    await service.close()
    await close()
  }
}

async function untilInterrupted(worker: RunningWorker, stop: AbortSignal, err: Output['err']): Promise<void> {
  if (!stop.aborted) await once(stop, 'abort')
  err('assay: worker stops when the running checks have finished\n')
  await worker.close()
  err(`assay: worker stopped after ${worker.answered} checks\n`)
}
