// `assay serve`: the service, from its configuration to its shutdown.

import { availableParallelism } from 'node:os'
import type { Command } from 'commander'
import type { MoreFaults } from '../service/configured.ts'
import { type LabParts, openInstance, openServiceLog } from '../service/instance.ts'
import { keepCurrent, keepFresh } from '../service/keep_fresh.ts'
import { logInstruments, outageText } from '../service/readiness.ts'
import type { Api } from '../service/serve_api.ts'
import { disclosures } from '../service/service.ts'
import { lockStore } from '../store/open_backend.ts'
import { heldPlanFaults, heldPlanFaultsBeside } from './held_plans.ts'
import { announceStart, listen, SERVICE_ADVICE } from './listening.ts'
import { configOption, dataOption, type LoadedSettings, requireSound, type SharedOptions, settle } from './options.ts'
import { type Output, terminal } from './output.ts'
import { drainDelay } from './service_signals.ts'

export function defineServe(command: Command, output: Output): void {
  dataOption(configOption(command))
    .option('--host <address>', 'address to listen on (or ASSAY_HOST); 127.0.0.1 by default, 0.0.0.0 for all')
    .option('--port <number>', 'port to listen on (or PORT); 0 takes any free one')
    .option(
      '--workers <n|auto>',
      'processes that share the port (or ASSAY_WORKERS); 1 by default, auto for one per core',
    )
    .action(async (options: SharedOptions) => {
      const more: MoreFaults = async (config, faults) => (faults.length > 0 ? heldPlanFaultsBeside(config, faults) : [])
      const setting = await settle(options, more)
      const { workers } = setting.config.server
      const count = workers === 'auto' ? availableParallelism() : workers
      if (count === 1) await serve(setting, {}, output)
      else await (await import('./serve_workers.ts')).serveWithWorkers(setting, count, output)
      // A signal ends the service.
      await new Promise(() => {})
    })
}

/** What a lab replaces. */
interface ServeParts extends LabParts {
  /** The target of the example request. */
  readonly example?: string
}

/** Starts the service; signals of the process shut it down. */
export async function serve(
  setting: LoadedSettings,
  { example, ...parts }: ServeParts = {},
  output: Output = terminal,
): Promise<Api> {
  const { config, registry, environment } = setting
  const serviceLog = openServiceLog(config.log.level)
  const { log, everything } = serviceLog
  const lock = await lockStore(config)
  const instance = await openInstance({
    config,
    registry,
    log: serviceLog,
    extra_roots: environment.extra_roots,
    ...parts,
    admit: async ({ keys }) => requireSound(await heldPlanFaults(keys, config.plans)),
  })
  const { store, service, api, proof } = instance
  let stopLooking = () => {}
  const delayMs = drainDelay(config.server)
  const close = async () => {
    stopLooking()
    await api.drain(delayMs)
    await instance.close()
    lock.release()
    await serviceLog.close()
  }
  const adopt = (next: LoadedSettings) => {
    try {
      instance.adopt(next.config, next.registry)
    } catch (error) {
      next.registry.close()
      throw error
    }
    for (const notice of disclosures(config, next.registry)) everything.warn({ notice })
  }
  try {
    const url = await listen(api.server, config.server, SERVICE_ADVICE)
    void keepCurrent(service, log, instance.refresh).then(() => {
      keepFresh(service, log)
      api.startRunners()
    })
    for (const notice of service.notices) log.warn({ notice })
    const startedService = {
      setting,
      url,
      store,
      log: serviceLog,
      output,
      operatorServer: api.operatorServer,
      adopt,
      close,
    }
    await announceStart({ ...startedService, ...(example !== undefined && { example }) })
    void proof.then(() => {
      stopLooking = logInstruments(service, everything)
      output.err(outageText(service))
    })
  } catch (error) {
    await close()
    throw error
  }
  return api
}
