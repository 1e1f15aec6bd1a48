// Who does the checks of a run: this process, or workers behind a queue.
import type { BulkAnswer } from '../bulk/run.ts'
import { createVisits } from '../bulk/visit.ts'
import { createService } from '../service.ts'
import type { Target } from '../target/target.ts'
import { defectLines } from './defect_lines.ts'
import type { ManyOptions } from './many_options.ts'
import type { Setting } from './options.ts'
import type { Output } from './output.ts'

export interface Checks {
  check(target: Target, over: AbortSignal): Promise<BulkAnswer>
  close(): Promise<void>
}

export async function openChecks(options: ManyOptions, setting: Setting, { err }: Output): Promise<Checks> {
  if (options.redis !== undefined) {
    // Loaded when asked for: the queue library is larger than all that other commands need.
    const { openRemoteChecks, queueUrl } = await import('./remote.ts')
    return openRemoteChecks(queueUrl(options.redis, setting.config), options.queue, err)
  }
  const { config, registry, environment } = setting
  const extensions = [defectLines(err)]
  const service = await createService({ config, registry, extra_roots: environment.extra_roots, extensions })
  for (const notice of service.notices) err(`assay: ${notice}\n`)
  await service.start()
  const check = createVisits(service.engine, (error, { domain, ip }) => err(`assay: ${domain ?? ip}: ${error}\n`))
  return { check, close: () => service.close() }
}
