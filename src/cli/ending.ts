// How the service ends: by a signal and in good order.
import { constants } from 'node:os'
import closeWithGrace from 'close-with-grace'
import type { Log } from '../api/log.ts'
import { EXIT } from './exit_codes.ts'
import { releaseProcess, strays } from './process_guard.ts'
import { reloadsOnHangUp } from './reload.ts'

/** Milliseconds for a drain once nothing new is accepted; what is left then is cut. Longer than any check may take. */
const GRACE_MS = 9_500

/** What a shell adds to the number of a signal that ended a process. */
const SIGNALLED = 128

/** On the first signal runs `close`, then exits with 0. A second one exits at once, with what a shell reports for it. `before_ms` is how long requests are still accepted. */
export function endGracefully(close: () => Promise<void>, log: Log, before_ms: number): void {
  const skip = [...strays, ...(reloadsOnHangUp() ? ['SIGHUP' as const] : [])]
  const onSecondSignal = (signal: NodeJS.Signals) => process.exit(SIGNALLED + constants.signals[signal])
  const onTimeout = () => process.exit(EXIT.internal)
  const delay = before_ms + GRACE_MS
  closeWithGrace({ delay, logger: false, skip, onSecondSignal, onTimeout }, async ({ signal }) => {
    releaseProcess()
    log.info({ draining: signal })
    await close()
  })
}
