// A worker's end of the link to its owner.
import { fstatSync } from 'node:fs'
import { Socket } from 'node:net'
import { createLink, type Link, remote, type Services } from './link.ts'
import { LINK_FD, type OwnerMethods, type WorkerMethods } from './protocol.ts'

export interface OwnerLink {
  readonly link: Link
  readonly owner: ReturnType<typeof remote<OwnerMethods>>
  /** Calls `take` with each connection to serve, and reports those that close. */
  serve(take: (socket: Socket) => void): void
}

/** Throws when no owner started this process. */
export function linkToOwner(worker: WorkerMethods, services: Services): OwnerLink {
  if (process.send === undefined || !isOpen(LINK_FD)) throw new Error('`serve-worker` is started by `serve --workers`.')
  const link = createLink(new Socket({ fd: LINK_FD, readable: true, writable: true }), { ...services, worker })
  const owner = remote<OwnerMethods>(link, 'owner')
  let closed = 0

  function left(): void {
    closed += 1
    if (closed > 1) return
    link.beforeSending(() => {
      link.tell('owner', 'left', closed)
      closed = 0
    })
  }

  return {
    link,
    owner,
    serve(take) {
      process.on('message', (_, socket) => {
        link.tell('owner', 'taken')
        // It may have been reset on the way.
        if (!(socket instanceof Socket)) return left()
        socket.once('close', left)
        // As of a connection that a server accepts.
        socket.allowHalfOpen = true
        take(socket)
      })
    },
  }
}

function isOpen(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isSocket()
  } catch {
    return false
  }
}
