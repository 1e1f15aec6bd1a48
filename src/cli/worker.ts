// `assay worker`: takes checks from a queue, so that many machines share one list of names.
import { once } from 'node:events'
import type { Command } from 'commander'
import { placeText } from '../config/postgres_place.ts'
import type { RunningWorker } from '../results/bulk/remote/worker.ts'
import { openRunService } from '../service/run_service.ts'
import { parseTarget } from '../targets/target.ts'
import { CONCURRENCY, count, DEFAULT_QUEUE, queueName } from './arguments.ts'
import { defectLines, defectText } from './defects.ts'
import { pasteable } from './invocation.ts'
import { configOption, type SharedOptions, settle } from './options.ts'
import type { Output } from './output.ts'
import { interruption } from './signals.ts'

const HELP = `
Examples:
  assay worker --store postgres://queue.internal/assay --concurrency 32
  assay check --input names.txt --output results.ndjson --store postgres://queue.internal/assay

Workers run the checks; \`assay check --input … --store …\` hands out the names, gathers the results, and keeps to the rate
limit of each registrable domain across all workers. SIGTERM lets the running checks finish. Nothing is lost when a worker
dies: another one takes over its checks. Each worker uses its own configuration. Put a URL with a password into ASSAY_STORE
or the "store" of the configuration, and use --store without a URL.`

interface WorkerCommandOptions extends SharedOptions {
  readonly store?: string | true
  readonly queue: string
  readonly concurrency: number
}

/** Milliseconds that running checks may take when the worker ends, beyond the deadline of a check. */
const END_SPARE_MS = 2_000

export function defineWorker(command: Command, output: Output): void {
  configOption(command)
    .option('--store [url]', 'PostgreSQL database that holds the queue; without a URL, the store of --config')
    .option('--queue <name>', 'name of the queue', queueName, DEFAULT_QUEUE)
    .option('--concurrency <n>', 'concurrent checks', count(1, 1_000), CONCURRENCY)
    .addHelpText('after', pasteable(HELP))
    .action((options: WorkerCommandOptions) => work(options, output))
}

async function work(options: WorkerCommandOptions, { err }: Output): Promise<void> {
  const [{ startWorker }, { openStoreQueues, outages, storeUrl }] = await Promise.all([
    import('../results/bulk/remote/worker.ts'),
    import('./remote.ts'),
  ])
  const { config, registry, environment } = await settle(options)
  const url = storeUrl(options.store ?? true, config)
  const extensions = [defectLines(err)]
  // Workers share what they know of upstreams with the instances of the service, or with each other.
  const { extra_roots } = environment
  const run = await openRunService(config.store ?? url, { config, registry, extra_roots, extensions })
  const { service } = run
  const stop = interruption()
  try {
    for (const notice of service.notices) err(`assay: ${notice}\n`)
    await service.start()
    const queues = await openStoreQueues(url, outages(err), config.check.deadline_ms + END_SPARE_MS)
    const worker = startWorker({
      ...queues,
      queue: options.queue,
      engine: service.engine,
      parse: data => parseTarget(data, service.guard),
      policy: service.policy,
      incomplete_ms: config.cache.incomplete_seconds * 1_000,
      concurrency: options.concurrency,
      onDefect: (error, target) => err(`assay: ${defectText(error, target)}\n`),
    })
    err(`assay: worker takes checks from ${placeText({ url })}, queue ${options.queue}\n`)
    await untilInterrupted(worker, stop.signal, err)
  } finally {
    stop.forget()
    await run.close()
  }
}

async function untilInterrupted(worker: RunningWorker, stop: AbortSignal, err: Output['err']): Promise<void> {
  if (!stop.aborted) await once(stop, 'abort')
  err('assay: worker stops when the running checks have finished\n')
  await worker.close()
  err(`assay: worker stopped after ${worker.answered} checks\n`)
}
