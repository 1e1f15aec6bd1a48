// What a process without a store of its own, such as a bulk worker, shares with others through Redis: pauses and allowances of
// upstreams, and their slots.
import type { Clock } from '../../clock.ts'
import type { UpstreamBoard } from '../../upstreams/state.ts'
import type { RedisPlace } from '../redis_place.ts'
import { createLocalTargetShare } from '../target_share.ts'
import { createLink, type LinkOptions } from './link.ts'
import { everySecond } from './redis_store.ts'
import { createTargetShare } from './target_share.ts'
import { createSharedUpstreamState } from './upstream_state.ts'

/** While Redis is down, the process counts by itself and keeps trying; so it does where Redis denies a command. Never rejects. */
export async function openUpstreamBoard(
  place: Pick<LinkOptions, keyof RedisPlace | 'denied'>,
  clock: Clock,
): Promise<UpstreamBoard & { close(): Promise<void> }> {
  const state = createSharedUpstreamState(clock)
  const link = createLink({ ...place, prepare: run => state.exchange(run) })
  await link.start()
  const stop = everySecond(async () => {
    if (link.up) await state.exchange(link.run)
  })
  return {
    state,
    slots: createTargetShare(link.run, createLocalTargetShare(clock.monotonic)),
    async close() {
      stop()
      // The next process must know what this one used last.
      if (link.up) await state.exchange(link.run).catch(() => {})
      link.close()
    },
  }
}
