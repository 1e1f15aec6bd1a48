// SIGHUP: a running service takes over what it can of a configuration that changed, without losing a request.
import { isDeepStrictEqual } from 'node:util'
import { cut, describeError, type Log, withoutPlaces } from '../api/log.ts'
import type { Config } from '../config/config.ts'
import { CliError } from './exit_codes.ts'
import type { Setting } from './options.ts'

/** What is taken over; all else holds ports, files and connections, and waits for a restart. */
const takenOver: ReadonlySet<string> = new Set<keyof Config>(['plans', 'plugins', 'load', 'scoring'])

/** Octets of the faults that a line of the log tells, and characters they are taken from; `assay plugins --config` tells all. */
const faultsOctets = 768
const faultsLength = 2_048

/** Whether the signal reloads: a terminal sends it when it is closed, and then it is to end the service. */
export const reloadsOnHangUp = (): boolean => !process.stdin.isTTY

/** `started` is the setting in force. `apply` takes over another one, or throws and leaves everything as it was. */
export function reloadOnHangUp(started: Setting, apply: (setting: Setting) => void, log: Log): void {
  if (!reloadsOnHangUp()) return
  let last = Promise.resolve()
  process.on('SIGHUP', () => {
    last = last.then(() => reload(started, apply, log))
  })
}

async function reload(started: Setting, apply: (setting: Setting) => void, log: Log): Promise<void> {
  try {
    const setting = await started.reread()
    apply(setting)
    const restart_for = changed(started.config, setting.config).filter(key => !takenOver.has(key))
    log.info({ reload: 'done', ...(restart_for.length > 0 && { restart_for }) })
  } catch (error) {
    log.error({ reload: 'refused', ...(error instanceof CliError ? faultsOf(error) : { error: describeError(error) }) })
  }
}

const faultsOf = ({ message }: CliError) => ({
  faults: cut(withoutPlaces(message.slice(0, faultsLength)), faultsOctets)
    .split(/\n\s*/)
    .slice(1),
})

const changed = (before: Config, after: Config): string[] =>
  Object.keys(after).filter(key => !isDeepStrictEqual(before[key as keyof Config], after[key as keyof Config]))
