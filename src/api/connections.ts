// The connections there are and the answer each is waiting for, so that they can end without losing one.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { isFollowable } from './request_line.ts'

export interface Connections {
  /** Notes a request; false when it came behind one that ends its connection, and must not be looked at. */
  begin(request: IncomingMessage, response: ServerResponse): boolean
  /** Ends those that wait for nothing, and the others with the answer under way. */
  finish(): void
}

export function trackConnections(server: Server): Connections {
  /** By connection, the latest answer begun on it. */
  const answers = new Map<Socket, ServerResponse | null>()
  const ending = new WeakSet<Socket>()
  let finishing = false

  server.on('connection', (socket: Socket) => {
    answers.set(socket, null)
    socket.once('close', () => answers.delete(socket))
  })

  return {
    begin(request, response) {
      const { socket } = request
      if (ending.has(socket)) return false
      answers.set(socket, response)
      if (finishing || !isFollowable(request)) {
        response.shouldKeepAlive = false
        ending.add(socket)
      }
      return true
    },
    finish() {
      finishing = true
      for (const [socket, response] of answers) {
        if (response === null || response.writableFinished) {
          socket.destroy()
          continue
        }
        response.shouldKeepAlive = false
        response.once('close', () => socket.destroySoon())
      }
    },
  }
}
