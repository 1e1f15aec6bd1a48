// Misbehaving servers: a TCP or TLS listener that plays scripts of octets, pauses and resets.
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/**
 * One step of a scripted server; `wire` is the TCP connection below TLS. Remaining steps are dropped when the peer
 * disconnects.
 */
export type Step = (socket: Socket, signal: AbortSignal, wire: Socket) => Promise<void> | void

/** Sends octets at once. */
export const send =
  (bytes: string | Buffer): Step =>
  socket =>
    void socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)

/** Sends octets in slices, at a fixed interval. */
export const drip =
  (bytes: string | Buffer, slice: number, everyMs: number): Step =>
  async (socket, signal) => {
    const octets = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes
    for (let at = 0; at < octets.length; at += slice) {
      socket.write(octets.subarray(at, at + slice))
      await pause(everyMs, undefined, { signal })
    }
  }

/** Sends the same octets repeatedly, as fast as they are read, until the peer disconnects. */
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

/** Waits until the octets received from now on complete a request head. */
export const request = (): Step => (socket, signal) =>
  new Promise<void>(resolve => {
    let head = ''
    const look = (chunk: Buffer) => {
      head = (head + chunk.toString('latin1')).slice(-4096)
      if (head.includes('\r\n\r\n')) done()
    }
    const done = () => {
      socket.off('data', look)
      resolve()
    }
    socket.on('data', look)
    signal.addEventListener('abort', done, { once: true })
  })

/** From now on, calls back with the path of every complete request, including pipelined ones. */
export const requests =
  (answer: (path: string, socket: Socket) => void): Step =>
  socket => {
    let buffer = ''
    socket.on('data', (chunk: Buffer) => {
      const heads = (buffer + chunk.toString('latin1')).split('\r\n\r\n')
      buffer = heads.pop() ?? ''
      for (const head of heads) if (socket.writable) answer(head.split(' ')[1] ?? '', socket)
    })
  }

/**
 * From now on, answers one request of each read from the socket, leaves the rest in its buffer and waits on the socket
 * again, where nothing comes: what gunicorn's threads and WEBrick do with pipelined requests. `answer` may take time,
 * during which nothing is read.
 */
export const waitingOnSocket =
  (answer: (path: string, socket: Socket) => Promise<void> | void): Step =>
  socket => {
    let buffer = ''
    socket.on('data', async (chunk: Buffer) => {
      buffer += chunk.toString('latin1')
      const end = buffer.indexOf('\r\n\r\n')
      if (end === -1) return
      const [, path = ''] = buffer.slice(0, end).split(' ')
      buffer = buffer.slice(end + 4)
      socket.pause()
      await answer(path, socket)
      socket.resume()
    })
  }

/** Waits for any octets. */
export const hello = (): Step => (socket, signal) =>
  new Promise<void>(resolve => {
    socket.once('data', () => resolve())
    signal.addEventListener('abort', () => resolve(), { once: true })
  })

export const reset = (): Step => (_socket, _signal, wire) => void wire.resetAndDestroy()
export const close = (): Step => socket => void socket.end()

/** Plays the script once per connection. */
export async function play(steps: readonly Step[], socket: Socket, wire = socket): Promise<void> {
  const closing = new AbortController()
  socket.on('error', () => {})
  socket.once('close', () => closing.abort())
  try {
    for (const step of steps) {
      if (closing.signal.aborted) return
      await step(socket, closing.signal, wire)
    }
  } catch (error) {
    if (!closing.signal.aborted && !socket.errored) throw error
  }
}
