// `assay serve`: the service, from its configuration to its end.
import type { Command } from 'commander'
import { createLog, describeError } from '../api/log.ts'
import { createLogOutput } from '../api/log_output.ts'
import { createMetrics } from '../api/metrics.ts'
import { createSectionWatch } from '../api/progress.ts'
import { foldRepeats } from '../api/repeats.ts'
import type { ApiServer } from '../api/server.ts'
import { systemClock } from '../clock.ts'
import { released } from '../released.ts'
import { createService, disclosures, type ServiceOptions } from '../service.ts'
import { openBackend } from '../store/open_backend.ts'
import { type Api, createApi } from './api.ts'
import { defectLog } from './defect_log.ts'
import { endGracefully } from './ending.ts'
import { CliError, EXIT } from './exit_codes.ts'
import { greeting } from './greeting.ts'
import { keepFresh } from './keep_fresh.ts'
import { configOption, dataOption, type Setting, type SharedOptions, settle } from './options.ts'
import { type Output, terminal } from './output.ts'
import { outliveStrays } from './process_guard.ts'
import { reloadOnHangUp } from './reload.ts'

/** Milliseconds that a slow reader of the log has for the last lines. */
const LAST_LINES_MS = 500

export function defineServe(command: Command, output: Output): void {
  dataOption(configOption(command))
    .option('--port <number>', 'port to listen on (or PORT); 0 takes any free one')
    .action(async (options: SharedOptions) => {
      await serve(await settle(options), {}, output)
      // It is ended by a signal.
      await new Promise(() => {})
    })
}

/** Starts the service and wires its end to the process's signals. `parts` are the lab's. */
export async function serve(
  setting: Setting,
  parts: Pick<ServiceOptions, 'dial' | 'extra_roots'> = {},
  output: Output = terminal,
): Promise<Api> {
  const { config, registry, environment } = setting
  const lines = createLogOutput({ resumed: dropped => log.error({ dropped_lines: dropped }) })
  const everything = createLog(config.log.level, lines)
  const log = foldRepeats(everything)
  process.once('exit', lines.end)
  const metrics = createMetrics()
  const sections = createSectionWatch()
  const { store, service } = await released(registry.close, async () => {
    const store = await openBackend(config, systemClock, (level, event) => log[level](event))
    const extensions = [defectLog(log), sections.extension, metrics.extension]
    const { board } = store
    const { extra_roots } = environment
    const service = await released(
      () => store.close(),
      () => createService({ config, registry, board, extra_roots, extensions, ...parts }),
    )
    return { store, service }
  })
  for (const notice of service.notices) log.warn({ notice })
  const api = createApi({ config, registry, service, store, metrics, log, output: lines, watch: sections.watch })
  let inForce = registry
  const close = async () => {
    await api.drain()
    inForce.close()
    await service.close()
    await store.close()
    log.tell()
    await lines.written(LAST_LINES_MS)
  }
  const takeOver = (next: Setting) => {
    try {
      api.retune({ ...service.retune(next.config, next.registry), plans: next.config.plans, registry: next.registry })
    } catch (error) {
      next.registry.close()
      throw error
    }
    // No check that began with it lives longer.
    setTimeout(inForce.close, config.check.deadline_ms).unref()
    inForce = next.registry
    for (const notice of disclosures(config, next.registry)) everything.warn({ notice })
  }
  try {
    const url = await listen(api.server, config.server)
    void keepFresh(service, log)
    const { expose, ...place } = config.metrics
    const operators = expose === 'port' ? await listen(api.operatorServer, place) : null
    const greeted = await greeting(store, config, url)
    // Before anybody is told that it runs, who may then send a signal at once.
    reloadOnHangUp(setting, takeOver, everything)
    endGracefully(close, log, config.server.drain_delay_ms)
    outliveStrays((stray, error) => log.error({ stray, error: describeError(error) }))
    if (operators !== null) log.info({ metrics: operators })
    log.info({ listening: url })
    output.err(greeted)
  } catch (error) {
    await close()
    throw error
  }
  return api
}

async function listen(server: ApiServer, { host, port }: { host: string; port: number }): Promise<string> {
  try {
    const bound = await server.listen(port, host)
    const name = bound.address.includes(':') ? `[${bound.address}]` : bound.address
    return `http://${name.replace(/^(0\.0\.0\.0|\[::\])$/, '127.0.0.1')}:${bound.port}`
  } catch (error) {
    throw new CliError(
      EXIT.unavailable,
      `cannot listen on ${host} port ${port}: ${error instanceof Error ? error.message : error}`,
    )
  }
}
