// `assay worker`: takes checks from a queue, so that many machines share one list of names.
import { once } from 'node:events'
import type { Command } from 'commander'
import type { RunningWorker } from '../bulk/remote/work.ts'
import { createService } from '../service.ts'
import { parseTarget } from '../target/target.ts'
import { defectLines } from './defect_lines.ts'
import { interruption } from './interruption.ts'
import { CONCURRENCY } from './many_options.ts'
import { configOption, type SharedOptions, settle } from './options.ts'
import type { Output } from './output.ts'
import { queueName } from './queue_name.ts'
import { count } from './whole_number.ts'

const HELP = `
Examples:
  assay worker --redis redis://queue.internal:6379 --concurrency 32
  assay check --input names.txt --output results.ndjson --redis redis://queue.internal:6379

Workers check; \`assay check --input … --redis …\` hands out the names and gathers the results. It also keeps the peace of
each registrable domain, over all workers. SIGTERM lets the checks under way end. A worker that dies loses nothing:
after --lease seconds another takes over what it had begun. Each worker checks by its own configuration. A URL with a
password belongs into ASSAY_STORE or the configuration's "store", which --redis without a URL takes.`

interface WorkerOptions extends SharedOptions {
  readonly redis?: string | true
  readonly queue: string
  readonly concurrency: number
  readonly lease: number
}

export function defineWorker(command: Command, output: Output): void {
  configOption(command)
    .option('--redis [url]', 'the Redis that holds the queue; without URL the store of --config')
    .option('--queue <name>', 'name of the queue', queueName, 'assay')
    .option('--concurrency <n>', 'checks at once', count(1, 1_000), CONCURRENCY)
    .option('--lease <seconds>', 'silence after which another worker takes over', count(1, 3_600), 15)
    .addHelpText('after', HELP)
    .action((options: WorkerOptions) => work(options, output))
}

async function work(options: WorkerOptions, { err }: Output): Promise<void> {
  const [{ startWorker }, { outages, queueUrl, withQueue }] = await Promise.all([
    import('../bulk/remote/work.ts'),
    import('./remote.ts'),
  ])
  const { config, registry, environment } = await settle(options)
  const url = queueUrl(options.redis ?? true, config)
  const extensions = [defectLines(err)]
  const service = await createService({ config, registry, extra_roots: environment.extra_roots, extensions })
  const interrupted = interruption()
  try {
    for (const notice of service.notices) err(`assay: ${notice}\n`)
    await service.start()
    const worker = await withQueue(url, () =>
      startWorker({
        url,
        queue: options.queue,
        engine: service.engine,
        parse: data => parseTarget(data, service.guard.refuse),
        concurrency: options.concurrency,
        lease_ms: options.lease * 1_000,
        told: outages(err),
        broke: (error, { domain, ip }) => err(`assay: ${domain ?? ip}: ${error}\n`),
      }),
    )
    err(`assay: worker takes checks from ${new URL(url).host}, queue ${options.queue}\n`)
    await untilInterrupted(worker, interrupted.signal, err)
  } finally {
    interrupted.forget()
    await service.close()
  }
}

async function untilInterrupted(worker: RunningWorker, stop: AbortSignal, err: Output['err']): Promise<void> {
  if (!stop.aborted) await once(stop, 'abort')
  err('assay: worker ends when the checks under way have ended\n')
  await worker.close()
  err(`assay: worker ended after ${worker.answered} checks\n`)
}
