// Somebody without a key who opens connections without pause and closes them without a request, which costs a client least.
import { once } from 'node:events'
import { connect } from 'node:net'
import { answerTasks } from './child.ts'

export interface StrangerTask {
  readonly port: number
  /** Connections at once. */
  readonly together: number
}

let isOver = false
let opened = 0

async function openConnections(port: number): Promise<void> {
  for (; !isOver; opened++) {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect').catch(() => {})
    socket.destroy()
  }
}

answerTasks({
  start({ port, together }: StrangerTask): void {
    isOver = false
    opened = 0
    for (let n = 0; n < together; n++) void openConnections(port)
  },
  /** Resolves with the number of connections. */
  stop(): number {
    isOver = true
    return opened
  },
})
