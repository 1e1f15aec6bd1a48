// Connections on their way to a worker. The primary of `node:cluster` waits until the worker takes each; of one that ends before, it
// forgets them and keeps them open, so that their clients would wait for good. Read in its messages, because it has no event for it.
import type { Worker } from 'node:cluster'

/** What the primary sends with a connection, and what a worker replies (`lib/internal/cluster/utils.js` of Node). */
interface Handoff {
  readonly act?: string
  readonly seq?: number
}

/**
 * When the worker is gone, gives the connections that it did not take to another worker; `hasOther` says whether there is one.
 * Otherwise they are closed.
 */
export function returnUntaken({ process: child }: Worker, hasOther: () => boolean): void {
  const untaken = new Set<number>()
  const send = child.send.bind(child) as (...all: unknown[]) => boolean
  child.send = (message: Handoff, ...rest: unknown[]) => {
    if (message.act === 'newconn' && message.seq !== undefined) untaken.add(message.seq)
    return send(message, ...rest)
  }
  child.on('internalMessage', ({ ack }: { readonly ack?: number }) => {
    if (ack !== undefined) untaken.delete(ack)
  })
  // All that the worker has sent was read before. There is no `disconnect` while a connection is on its way.
  child.once('close', () => {
    for (const ack of untaken) child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: !hasOther() })
  })
}
