// A DNS server as a program on a port of loopback.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

export interface DnsDaemon {
  /** `127.0.0.1:5353`, as the config names resolvers. */
  readonly address: string
  stop(): Promise<void>
}

/** Milliseconds that a start may take on a busy machine. */
const START_MS = 10_000

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Starts the program, which must also listen for TCP on the port. Rejects when it does not. */
export async function startDaemon(command: string, args: readonly string[], port: number): Promise<DnsDaemon> {
  const child = spawn(command, args, { stdio: 'ignore' })
  running.add(child)
  const ended = once(child, 'exit').finally(() => running.delete(child))
  await listening(port, command, child)
  return {
    address: `127.0.0.1:${port}`,
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

async function listening(port: number, command: string, child: ChildProcess): Promise<void> {
  for (const until = performance.now() + START_MS; performance.now() < until; await pause(50)) {
    if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}`)
    const isUp = await new Promise<boolean>(resolve => {
      const probe = connect(port, '127.0.0.1')
      probe.once('connect', () => resolve(true)).once('error', () => resolve(false))
      probe.once('connect', () => probe.destroy())
    })
    if (isUp) return
  }
  throw new Error(`${command} does not listen`)
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
