// The connections there are and the answer each is waiting for, so that they can end without losing one.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../clock.ts'
import { isFollowable } from './request_line.ts'

export interface ConnectionLimits {
  /** At once. */
  readonly connections: number
  /** Milliseconds for a client to take an answer, and between two looks at who has not. */
  readonly unread_ms: number
  readonly sweep_ms: number
}

export interface Connections {
  /** Notes a request; false when it came behind one that ends its connection, and must not be looked at. */
  begin(request: IncomingMessage, response: ServerResponse): boolean
  /** From now on each connection ends with its next answer, so that its client opens another elsewhere. */
  retire(): void
  /** Ends those that wait for nothing, and the others with the answer under way. */
  finish(): void
}

export function trackConnections(server: Server, limits: ConnectionLimits, clock: Clock): Connections {
  const { unread_ms, sweep_ms } = limits
  /** By connection, the latest answer begun on it; whoever asked last is last. */
  const answers = new Map<Socket, ServerResponse | null>()
  const ending = new WeakSet<Socket>()
  /** When an answer that is written was first seen not to be taken. A timer a socket would cost more than the sweep. */
  const untaken = new WeakMap<ServerResponse, number>()
  let retiring = false

  server.on('connection', (socket: Socket) => {
    if (answers.size >= limits.connections && !makeRoom()) return void socket.destroy()
    answers.set(socket, null)
    socket.once('close', () => answers.delete(socket))
  })

  /** Whoever holds connections and asks for nothing must not keep others out: the one idle longest goes. */
  function makeRoom(): boolean {
    for (const [socket, response] of answers) {
      if (isBusy(response)) continue
      answers.delete(socket)
      socket.destroy()
      return true
    }
    return false
  }

  function cutUnread(): void {
    for (const [socket, response] of answers) {
      if (!isBusy(response) || !response.headersSent) continue
      const since = untaken.get(response) ?? clock.monotonic()
      untaken.set(response, since)
      if (clock.monotonic() - since >= unread_ms) socket.destroy()
    }
  }
  const sweep = setInterval(cutUnread, sweep_ms).unref()
  server.once('close', () => clearInterval(sweep))

  return {
    begin(request, response) {
      const { socket } = request
      if (ending.has(socket)) return false
      // Of one that had to make room, a request may be read yet.
      if (!answers.delete(socket)) return false
      answers.set(socket, response)
      if (retiring || !isFollowable(request)) {
        response.shouldKeepAlive = false
        ending.add(socket)
      }
      return true
    },
    retire() {
      retiring = true
    },
    finish() {
      retiring = true
      for (const [socket, response] of answers) {
        if (!isBusy(response)) {
          socket.destroy()
          continue
        }
        response.shouldKeepAlive = false
        response.once('close', () => socket.destroySoon())
      }
    },
  }
}

const isBusy = (response: ServerResponse | null): response is ServerResponse =>
  response !== null && !response.writableFinished
