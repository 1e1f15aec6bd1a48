// An answer that is a stream of events. It begins with the first of them: until then any other answer can be given.
import type { EventStream } from './event_stream.ts'
import { cacheHeader, privateHeaders } from './respond.ts'
import type { Context } from './visit.ts'

/** `now` is in milliseconds. */
export function openStream(ctx: Context, now: () => number): EventStream {
  const { res, state } = ctx
  let begun = false
  let ended = false

  /** Headers that leave before the end is known have this answer counted already. */
  function begin(ahead: 0 | 1): void {
    if (begun || res.destroyed) return
    begun = true
    ctx.respond = false
    const { id, usage } = state
    const told = usage && { ...usage, remaining: Math.max(0, usage.remaining - ahead) }
    const headers = privateHeaders({ id, usage: told }, now())
    if (state.cache) headers.push(...cacheHeader(state.cache))
    // Proxies must not hold events back to send them together.
    headers.push('Content-Type', 'text/event-stream; charset=utf-8', 'X-Accel-Buffering', 'no')
    res.writeHead(200, headers)
  }

  return {
    get begun() {
      return begun
    },
    get ended() {
      return ended
    },
    tell(event) {
      begin(1)
      if (!res.destroyed) res.write(event)
    },
    end(event, encoding = 'utf8') {
      begin(0)
      if (res.destroyed) return
      ended = true
      res.end(event, encoding)
    },
  }
}
