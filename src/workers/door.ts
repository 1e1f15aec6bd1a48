// The port that all workers share: one process listens, and passes each connection to the worker with the fewest. A worker gets
// the next one when it has taken the last, so that new connections go past one that is busy.
import type { ChildProcess } from 'node:child_process'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { untilQuiet } from '../quiet_turns.ts'

/** Connections that wait for a worker, while none runs or all are busy: as many as one worker serves. */
const WAITING = 10_000
/** Milliseconds at the end to accept the connections that wait, and for busy workers to take them; and between looks at them. */
const CLOSE_MS = 500
const LOOK_MS = 10

/** A worker as the door sees it. */
export interface Place {
  /** The worker has taken the last connection. */
  taken(): void
  /** This many of its connections are closed. */
  left(count: number): void
  /** Its connections. */
  open(): number
  /** Gives it no more connections. */
  leave(): void
  /** The worker is gone: the connection that it has not taken goes to another. */
  gone(): void
}

export interface Door {
  /** Rejects when it cannot listen. Port 0 takes any free port. */
  listen(port: number, host: string): Promise<AddressInfo>
  /** From now on the worker gets connections. */
  enter(child: Pick<ChildProcess, 'send'>): Place
  /** Stops listening. Resolves when workers have taken the connections that waited; those that are late are closed. */
  close(): Promise<void>
}

interface Guest {
  readonly child: Pick<ChildProcess, 'send'>
  /** The connection that it was sent and has not taken yet. */
  offered: Socket | null
  open: number
}

export function createDoor(): Door {
  const guests = new Set<Guest>()
  const waiting: Socket[] = []
  let accepted = 0

  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, socket => {
    // It may be reset while it waits.
    socket.on('error', () => {})
    accepted += 1
    if (waiting.length >= WAITING) socket.destroy()
    else waiting.push(socket)
    distribute()
  })

  function distribute(): void {
    while (waiting.length > 0) {
      const free = [...guests].filter(({ offered }) => offered === null)
      const [first] = free
      if (first === undefined) return
      offer(
        free.reduce((least, guest) => (guest.open < least.open ? guest : least), first),
        waiting.shift() as Socket,
      )
    }
  }

  function offer(guest: Guest, socket: Socket): void {
    if (socket.destroyed) return
    guest.offered = socket
    guest.open += 1
    // The last among equals, so that they take turns.
    guests.delete(guest)
    guests.add(guest)
    // Stays open here, so that it can go to another worker when this one ends first.
    guest.child.send(null as never, socket, { keepOpen: true }, error => {
      if (error !== null) restore(guest)
    })
  }

  /** Takes back a connection that the worker has not taken. */
  function restore(guest: Guest): void {
    if (guest.offered === null) return
    waiting.unshift(guest.offered)
    guest.offered = null
    guest.open -= 1
  }

  return {
    listen: (port, host) =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen(port, host, () => {
          server.off('error', reject)
          resolve(server.address() as AddressInfo)
        })
      }),
    enter(child) {
      const guest: Guest = { child, offered: null, open: 0 }
      guests.add(guest)
      distribute()
      return {
        taken() {
          guest.offered?.destroy()
          guest.offered = null
          if (guests.has(guest)) distribute()
        },
        left(count) {
          guest.open -= count
        },
        open: () => guest.open,
        leave: () => void guests.delete(guest),
        gone() {
          guests.delete(guest)
          restore(guest)
          distribute()
        },
      }
    },
    async close() {
      await untilQuiet(() => accepted, CLOSE_MS)
      server.close()
      for (let waited = 0; waited < CLOSE_MS && waiting.length > 0; waited += LOOK_MS) await pause(LOOK_MS)
      for (const socket of waiting.splice(0)) socket.destroy()
    },
  }
}
