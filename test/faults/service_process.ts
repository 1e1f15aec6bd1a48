// The service as a process of its own, as `assay serve` runs it, that also answers its parent what it holds.
// Arguments: the configuration; `loopback` when TCP goes by the parent's map instead of to the addresses themselves; that map
// at the start, as JSON.
import { readdirSync, readFileSync } from 'node:fs'
import { connect, Socket } from 'node:net'
import { settle } from '../../src/cli/options.ts'
import { serve } from '../../src/cli/serve.ts'
import { createGuard } from '../../src/network/guard.ts'
import type { Dial } from '../../src/network/network.ts'
import type { Destination } from '../../src/testing/lab_web.ts'
import { isBlackHole } from './stage.ts'

export interface Held {
  readonly descriptors: number
  /** Sockets, timers and the like that keep the process busy, by kind. */
  readonly resources: Readonly<Record<string, number>>
  /** Octets, after a collection. */
  readonly heap: number
  readonly rss: number
  /** Milliseconds: the longest that the event loop computed without a turn since the last question. */
  readonly stall_ms: number
  /** Dials to what is not public, on loopback. */
  readonly forbidden: number
}

export type Message = { readonly places: readonly (readonly [string, Destination | null])[] } | 'held'

const [, , config = '', mode, placed = '[]'] = process.argv
const places = new Map<string, Destination>(JSON.parse(placed))
const guard = createGuard({ own: () => [] })
let forbidden = 0

const dial: Dial = (address, port) => {
  if (guard.refuse(address) !== null) forbidden += 1
  const to = places.get(`${address} ${port}`) ?? (isBlackHole(address, port) ? 'black_hole' : 'refused')
  if (to === 'black_hole') return new Socket()
  return connect({ host: '127.0.0.1', port: to === 'refused' ? 1 : to, noDelay: true })
}

/** A turn takes long by its own doing when this thread also computed for so long; else others held us up. */
const TICK_MS = 10
const computed_ms = () => Number(readFileSync('/proc/self/schedstat', 'latin1').split(' ')[0]) / 1e6
let stall = 0
let [turned, used] = [performance.now(), computed_ms()]
setInterval(() => {
  const [now, computed] = [performance.now(), computed_ms()]
  stall = Math.max(stall, Math.min(now - turned - TICK_MS, computed - used))
  ;[turned, used] = [now, computed]
}, TICK_MS).unref()

function held(): Held {
  const stall_ms = stall
  globalThis.gc?.()
  const resources: Record<string, number> = {}
  for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1
  const { heapUsed, external } = process.memoryUsage()
  // The collection itself is none of the service's stalls
  ;[stall, turned, used] = [0, performance.now(), computed_ms()]
  const rss = Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0) * 1024
  return {
    descriptors: readdirSync('/proc/self/fd').length,
    resources,
    heap: heapUsed + external,
    rss,
    stall_ms,
    forbidden,
  }
}

process.on('message', (message: Message) => {
  if (message === 'held') return void process.send?.(held())
  for (const [place, to] of message.places) {
    if (to === null) places.delete(place)
    else places.set(place, to)
  }
  process.send?.('placed')
})
process.once('disconnect', () => process.exit())

await serve(await settle({ config }), mode === 'loopback' ? { dial } : {})
