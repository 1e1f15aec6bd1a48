// Servers that misbehave to order: scripts of bytes, pauses and resets spoken by a bare TCP or TLS listener.
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** One move of a scripted server; `wire` is the TCP connection below TLS. What is left of the script is dropped when the peer goes. */
export type Step = (socket: Socket, signal: AbortSignal, wire: Socket) => Promise<void> | void

/** Sends these octets at once. */
export const send =
  (bytes: string | Buffer): Step =>
  socket =>
    void socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)

/** Sends them in slices, one every so many milliseconds. */
export const drip =
  (bytes: string | Buffer, slice: number, every_ms: number): Step =>
  async (socket, signal) => {
    const left = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes
    for (let at = 0; at < left.length; at += slice) {
      socket.write(left.subarray(at, at + slice))
      await pause(every_ms, undefined, { signal })
    }
  }

/** Sends the same octets over and over, as fast as they are taken, until the peer goes. */
export const flood =
  (bytes: Buffer): Step =>
  async (socket, signal) => {
    while (!signal.aborted) {
      if (socket.write(bytes)) await pause(0, undefined, { signal })
      else await once(socket, 'drain', { signal })
    }
  }

export const wait =
  (ms: number): Step =>
  (_socket, signal) =>
    pause(ms, undefined, { signal })

/** Waits until the octets that arrived from now on end a request's head. */
export const request = (): Step => (socket, signal) =>
  new Promise<void>(resolve => {
    let seen = ''
    const look = (chunk: Buffer) => {
      seen = (seen + chunk.toString('latin1')).slice(-4096)
      if (seen.includes('\r\n\r\n')) done()
    }
    const done = () => {
      socket.off('data', look)
      resolve()
    }
    socket.on('data', look)
    signal.addEventListener('abort', done, { once: true })
  })

/** From now on calls back for every request that arrives whole, those behind others too, with its path. */
export const requests =
  (answer: (path: string, socket: Socket) => void): Step =>
  socket => {
    let unread = ''
    socket.on('data', (chunk: Buffer) => {
      const heads = (unread + chunk.toString('latin1')).split('\r\n\r\n')
      unread = heads.pop() ?? ''
      for (const head of heads) if (socket.writable) answer(head.split(' ')[1] ?? '', socket)
    })
  }

/** Waits until anything has arrived. */
export const hello = (): Step => (socket, signal) =>
  new Promise<void>(resolve => {
    socket.once('data', () => resolve())
    signal.addEventListener('abort', () => resolve(), { once: true })
  })

export const reset = (): Step => (_socket, _signal, wire) => void wire.resetAndDestroy()
export const close = (): Step => socket => void socket.end()

/** Goes through the script once for a connection. */
export async function play(steps: readonly Step[], socket: Socket, wire = socket): Promise<void> {
  const gone = new AbortController()
  socket.on('error', () => {})
  socket.once('close', () => gone.abort())
  try {
    for (const step of steps) {
      if (gone.signal.aborted) return
      await step(socket, gone.signal, wire)
    }
  } catch (error) {
    if (!gone.signal.aborted && !socket.errored) throw error
  }
}
