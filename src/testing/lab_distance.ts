// A distant lab: delays everything in both directions and counts consecutive waits.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Dial } from '../network/network.ts'

export interface LabDistance {
  readonly dial: Dial
  /**
   * One number per connection, in the order of dialling: how often its client sent something after it had received
   * something, plus the first time. That is the minimum number of round trips, without TCP's own.
   */
  readonly waits: readonly number[]
  close(): Promise<void>
}

interface PendingDial {
  readonly far: Socket
  readonly connection: number
}

/** Delays every dialled connection by this many milliseconds in each direction. */
export async function startLabDistance(dial: Dial, eachWayMs: number): Promise<LabDistance> {
  const waits: number[] = []
  const dials: PendingDial[] = []
  const open = new Set<Socket>()
  const server = createServer({ noDelay: true, allowHalfOpen: true }, near => {
    // Loopback accepts connections in the order of dialling.
    const next = dials.shift()
    if (!next) return void near.destroy()
    const { far, connection } = next
    for (const socket of [near, far]) {
      open.add(socket)
      socket.once('close', () => open.delete(socket))
    }
    let isAnswered = true
    near.on('data', () => {
      if (isAnswered) waits[connection] = (waits[connection] ?? 0) + 1
      isAnswered = false
    })
    carry(near, far, eachWayMs, () => {})
    carry(far, near, eachWayMs, () => {
      isAnswered = true
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    waits,
    dial(address, to) {
      const far = dial(address, to)
      dials.push({ far, connection: waits.push(0) - 1 })
      return connect({ host: '127.0.0.1', port, noDelay: true })
    },
    close() {
      for (const socket of open) socket.destroy()
      return new Promise(resolve => server.close(() => resolve()))
    },
  }
}

/** Timers of equal length fire in the order they were set, which keeps the octets in order. */
function carry(from: Socket, to: Socket, delayMs: number, onArrival: () => void): void {
  const later = (action: () => void) => void setTimeout(action, delayMs)
  from.on('data', chunk =>
    later(() => {
      onArrival()
      to.write(chunk)
    }),
  )
  from.on('end', () => later(() => to.end()))
  from.on('error', () => {})
  from.on('close', () => later(() => to.destroy()))
}
