// The signals of the service: SIGHUP reloads the configuration, the others shut it down.

import { constants } from 'node:os'
import { isDeepStrictEqual } from 'node:util'
import type { Config } from '../config/config.ts'
import { cut, describeError, type Log, withoutPlaces } from '../service/api/log.ts'
import type { MoreFaults } from '../service/configured.ts'
import type { MaybeAsync } from '../store/store.ts'
import { CliError, EXIT } from './exit_codes.ts'
import type { LoadedSettings } from './options.ts'
import { onSignals, releaseProcess } from './signals.ts'

/** Settings that every reload applies. */
const always: readonly (keyof Config)[] = ['plans', 'plugins', 'load', 'scoring', 'lists']

/** Octets of the faults in a log line, and characters that they are cut from; `assay plugins --config` prints all. */
const faultsOctets = 768
const faultsLength = 2_048

/** Whether SIGHUP reloads. A terminal sends it when it closes, which must end the service. */
const reloadsOnHangUp = (): boolean => !process.stdin.isTTY

/** Applies a configuration, or throws and changes nothing. */
export type Apply = (setting: LoadedSettings) => MaybeAsync<void>

/**
 * On SIGHUP, reads the configuration of `loadedSettings` again, without losing a request. `more` finds further faults; `also` names
 * settings that `apply` applies besides the usual ones.
 */
export function reloadOnHangUp(
  loadedSettings: LoadedSettings,
  apply: Apply,
  more: MoreFaults,
  log: Log,
  also: readonly (keyof Config)[] = [],
): void {
  if (!reloadsOnHangUp()) return
  const reloadable = new Set<string>([...always, ...also])
  let last = Promise.resolve()
  process.on('SIGHUP', () => {
    last = last.then(() => reload(loadedSettings, apply, more, log, reloadable))
  })
}

async function reload(
  loadedSettings: LoadedSettings,
  apply: Apply,
  more: MoreFaults,
  log: Log,
  reloadable: ReadonlySet<string>,
): Promise<void> {
  try {
    const setting = await loadedSettings.reread(more)
    await apply(setting)
    const restartFor = changedSettings(loadedSettings.config, setting.config).filter(key => !reloadable.has(key))
    log.info({ reload: 'done', ...(restartFor.length > 0 && { restart_for: restartFor }) })
  } catch (error) {
    log.error({ reload: 'refused', ...(error instanceof CliError ? faultsOf(error) : { error: describeError(error) }) })
  }
}

const faultsOf = ({ message }: CliError) => ({
  faults: cut(withoutPlaces(message.slice(0, faultsLength)), faultsOctets)
    .split(/\n\s*/)
    .slice(1),
})

const changedSettings = (before: Config, after: Config): string[] =>
  Object.keys(after).filter(key => !isDeepStrictEqual(before[key as keyof Config], after[key as keyof Config]))

/** Milliseconds for load balancers to notice that the service ends. No balancer watches a service in a terminal. */
export const drainDelay = ({ drain_delay_ms }: Config['server']): number => (process.stdin.isTTY ? 0 : drain_delay_ms)

/** Milliseconds for running requests after the service has stopped accepting new ones. Longer than any check may take. */
const GRACE_MS = 9_500

/** A shell adds this to the number of the signal that killed a process. */
const SIGNAL_EXIT_BASE = 128

/** The first signal runs `close` and exits with 0. A second one exits at once, with the code that a shell reports. Requests are still accepted for `before_ms`. */
export function shutdownOnSignal(close: () => Promise<void>, log: Log, beforeMs: number): void {
  const names = ['SIGINT', 'SIGTERM', 'SIGQUIT', ...(reloadsOnHangUp() ? [] : ['SIGHUP' as const])] as const
  const end = async (signal: NodeJS.Signals) => {
    releaseProcess()
    log.info({ draining: signal })
    setTimeout(() => process.exit(EXIT.internal), beforeMs + GRACE_MS)
    try {
      await close()
      process.exit(EXIT.ok)
    } catch (error) {
      log.error({ error: describeError(error) })
      process.exit(EXIT.internal)
    }
  }
  onSignals(names, end, signal => process.exit(SIGNAL_EXIT_BASE + constants.signals[signal]))
}
