// Names the data of Redis, so that an emptied one is noticed before it counts anything. Nothing is counted while it is being restored.
import { randomUUID } from 'node:crypto'
import { type Run, script } from './link.ts'

/** Nothing but a loss of data removes this key. */
export const epochKey = ({ key }: Run) => key('epoch')
/** While it is there, instances restore what they know, and Redis counts no answers. */
export const restoringKey = ({ key }: Run) => key('restoring')

/**
 * Milliseconds in which each instance notices that Redis has lost its data: it looks every second. Instances that have more to restore
 * than fits extend it.
 */
export const restoring_ms = 2_000

/** Keys: epoch, restoring. Arguments: a new epoch. Returns the epoch in force. */
const epochScript = script<string>(
  `
if redis.call('SET', KEYS[1], ARGV[1], 'NX') then redis.call('SET', KEYS[2], '1', 'PX', ${restoring_ms}) end
return redis.call('GET', KEYS[1])
`,
  reply => typeof reply === 'string',
)

/** The epoch of the data. Redis is to be restored when it has none. */
export const readEpoch = (run: Run): Promise<string> =>
  epochScript(run, [epochKey(run), restoringKey(run)], [randomUUID()])

/** Keeps Redis from counting a while longer, because counts are still being restored. */
export async function extendRestoring(run: Run): Promise<void> {
  await run(client => client.set(restoringKey(run), '1', { expiration: { type: 'PX', value: restoring_ms } }))
}
