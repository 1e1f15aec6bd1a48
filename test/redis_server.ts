// A real Redis on a free port of loopback, in memory alone, to be killed, paused and emptied.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from '@redis/client'
import { rightsOf } from '../src/store/redis_rights.ts'
import { without } from './needs.ts'

export interface RedisServer {
  readonly url: string
  /** The same for a user with the rights of docs/stores.md and no others. */
  readonly confined: string
  readonly port: number
  readonly pid: number
  /** Deletes everything. */
  empty(): Promise<void>
  /** Ends it for good. */
  stop(): Promise<void>
  /** Sends a signal; resolves when the process has ended, or at once for SIGSTOP and SIGCONT. */
  kill(signal: NodeJS.Signals): Promise<void>
}

/** Why tests that need it are left out; false where it is installed. */
export const withoutRedis = without('redis-server')

/** Milliseconds that a start may take on a busy machine. */
const START_MS = 10_000
/** And one of its answers: who is no Redis may never give one. */
const ANSWER_MS = 2_000

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** What was free a moment ago may be taken by another process's connection. */
const TRIES = 5

/**
 * Starts `redis-server` with nothing on disk. `port` is any free one unless given, as for a restart in the same place. `more` are
 * options of its command line; `sentinel` is the configuration file of a Sentinel to start instead.
 */
export async function startRedis(port?: number, more: readonly string[] = [], sentinel?: string): Promise<RedisServer> {
  for (let left = TRIES - 1; left > 0; left--) {
    const started = await startAt(port ?? (await freePort()), more, sentinel, port !== undefined).catch(() => null)
    if (started !== null) return started
  }
  return startAt(port ?? (await freePort()), more, sentinel, port !== undefined)
}

async function startAt(
  at: number,
  more: readonly string[],
  sentinel: string | undefined,
  isAgain: boolean,
): Promise<RedisServer> {
  // A file of its own: a server with replicas writes one, and each server loads what it finds.
  const file = ['--dir', tmpdir(), '--dbfilename', `assay-test-${process.pid}-${at}.rdb`]
  const options = ['--port', String(at), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', ...file, ...more]
  const asSentinel =
    sentinel === undefined ? null : [sentinel, '--sentinel', '--port', String(at), '--bind', '127.0.0.1']
  const child = spawn('redis-server', asSentinel ?? options, { stdio: 'ignore' })
  running.add(child)
  const ended = once(child, 'exit').finally(() => running.delete(child))
  const failed = once(child, 'error').then(([error]) => Promise.reject(error))
  const url = `redis://127.0.0.1:${at}`
  failed.catch(() => {})
  const over = ended.then(() => Promise.reject(new Error(`redis-server ended: ${url}`)))
  over.catch(() => {})
  await Promise.race([answers(url, child.pid ?? 0), failed, over]).catch((error: unknown) => {
    child.kill('SIGKILL')
    throw error
  })
  if (asSentinel === null)
    await asAdmin(url, client =>
      client.sendCommand(['ACL', 'SETUSER', USER, 'on', `>${PASSWORD}`, ...rightsOf('assay')]),
    )
  // As if it were in use already: one that is new to all instances counts nothing for two seconds. Not every kind can be written to.
  if (more.length === 0 && asSentinel === null && !isAgain)
    await asAdmin(url, client => client.set('assay:v1:epoch', 'of the tests'))
  return {
    url,
    confined: url.replace('//', `//${USER}:${PASSWORD}@`),
    empty: () => asAdmin(url, client => client.flushAll()),
    port: at,
    pid: child.pid ?? 0,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
      await ended
    },
    async kill(signal) {
      child.kill(signal)
      if (signal !== 'SIGSTOP' && signal !== 'SIGCONT') await ended
    },
  }
}

const [USER, PASSWORD] = ['service', 'of-the-tests']

/** Commands past the store. */
export async function asAdmin(
  url: string,
  work: (client: ReturnType<typeof createClient>) => Promise<unknown>,
): Promise<void> {
  const client = createClient({ url })
  client.on('error', () => {})
  await client.connect()
  try {
    await work(client as never)
  } finally {
    client.destroy()
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

/** Resolves when this process answers there, and no other that took the port. */
async function answers(url: string, pid: number): Promise<void> {
  const end = performance.now() + START_MS
  for (;;) {
    const client = createClient({ url, socket: { reconnectStrategy: false } })
    client.on('error', () => {})
    try {
      const told = await Promise.race([
        client.connect().then(() => client.info('server')),
        pause(ANSWER_MS, '', { ref: false }),
      ])
      if (told.includes(`process_id:${pid}\r`)) return
      throw new Error(`another process answers at ${url}`)
    } catch (error) {
      if (performance.now() > end) throw error
      await pause(20)
    } finally {
      if (client.isOpen) client.destroy()
    }
  }
}
