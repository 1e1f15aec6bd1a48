// A real Unbound on a free port of loopback. It has no uplink but what its configuration gives it.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { without } from './needs.ts'
import { temporaryDirectory } from './temporary_directory.ts'

/** Why tests that need it are left out; false where it is installed. */
export const withoutUnbound = without('unbound')

export interface UnboundServer {
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

/** Starts it with these lines of `unbound.conf` besides those that keep it on loopback. Rejects when it does not listen. */
export async function startUnbound(lines: string): Promise<UnboundServer> {
  const directory = temporaryDirectory()
  const port = await freePort()
  const config = join(directory, 'unbound.conf')
  writeFileSync(
    config,
    `server:
  interface: 127.0.0.1@${port}
  access-control: 127.0.0.0/8 allow
  do-daemonize: no
  do-not-query-localhost: no
  username: ""
  chroot: ""
  directory: "${directory}"
  pidfile: ""
  use-syslog: no
  module-config: "iterator"
remote-control:
  control-enable: no
${lines}`,
  )
  const child = spawn('unbound', ['-d', '-c', config], { stdio: 'ignore' })
  running.add(child)
  const ended = once(child, 'exit').finally(() => running.delete(child))
  await listening(port, child)
  return {
    address: `127.0.0.1:${port}`,
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

async function listening(port: number, child: ChildProcess): Promise<void> {
  for (const until = performance.now() + START_MS; performance.now() < until; await pause(50)) {
    if (child.exitCode !== null) throw new Error(`unbound ended with ${child.exitCode}`)
    // It listens for TCP on the same port.
    const isUp = await new Promise<boolean>(resolve => {
      const probe = connect(port, '127.0.0.1')
      probe.once('connect', () => resolve(true)).once('error', () => resolve(false))
      probe.once('connect', () => probe.destroy())
    })
    if (isUp) return
  }
  throw new Error('unbound does not listen')
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
