// How the service ends: by a signal and in good order, and not by a stray error.
import closeWithGrace from 'close-with-grace'
import { describeError, type Log } from '../api/log.ts'
import { releaseProcess } from './process_guard.ts'
import { reloadsOnHangUp } from './reload.ts'

/** Milliseconds for a drain once nothing new is accepted; what is left then is cut. Longer than any check may take. */
const GRACE_MS = 9_500

const strays = ['uncaughtException', 'unhandledRejection'] as const

/** On the first signal runs `close`, then exits with 0. A second one exits at once. `before_ms` is how long requests are still accepted. */
export function endGracefully(close: () => Promise<void>, log: Log, before_ms: number): void {
  const skip = [...strays, ...(reloadsOnHangUp() ? ['SIGHUP' as const] : [])]
  closeWithGrace({ delay: before_ms + GRACE_MS, logger: false, skip }, async ({ signal }) => {
    releaseProcess()
    log.info({ draining: signal })
    await close()
  })
}

/** An error that nobody awaits belongs to one check, which its deadline ends: no target and no plugin may end the rest. */
export function outliveStrayErrors(log: Log): void {
  for (const event of strays) process.on(event, error => log.error({ stray: event, error: describeError(error) }))
}
