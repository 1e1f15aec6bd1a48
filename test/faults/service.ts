// The one service that all faults are played to, seen from outside: its port, what it holds, what it wrote.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import type { Destination } from '../../src/testing/lab_web.ts'
import { testProgram } from '../assay.ts'
import type { Held, Message } from './service_process.ts'
import type { Stage } from './stage.ts'

const ROOT = resolve(import.meta.dirname, '../..')

export interface FaultService {
  readonly address: string
  readonly port: number
  readonly pid: number
  /** Null while it runs. */
  ended(): string | null
  held(): Promise<Held>
  /** Tells where what is dialled leads, on loopback; null takes a place away. Resolves when the service knows. */
  place(places: Message & object): Promise<void>
  /** Lines of its log, from the character `from` on; `logged` are there so far. */
  log(from: number): readonly string[]
  logged(): number
  stderr(): string
  close(): Promise<void>
}

export interface Start {
  readonly stage: Stage
  readonly config: string
  readonly roots: string
  /** What `place` would tell it, before it dials for the first time. */
  readonly places?: Iterable<readonly [string, Destination]>
}

export async function startFaultService({ stage, config, roots, places = [] }: Start): Promise<FaultService> {
  const { name, wrap, service } = stage
  const script = join(import.meta.dirname, 'service_process.ts')
  const own = [config, name, JSON.stringify([...places])]
  const [command, args] = wrap(process.execPath, ['--expose-gc', ...testProgram(script), ...own])
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: roots }
  const child = spawn(command, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  const stdout = gather(child, 'stdout')
  const stderr = gather(child, 'stderr')
  let end: string | null = null
  child.once('exit', (code, signal) => {
    end = `ended with ${code ?? signal}`
  })
  const port = await listening(child, stderr)
  const ask = questions(child)
  return {
    address: service.address,
    port,
    pid: child.pid ?? 0,
    ended: () => end,
    held: () => ask('held') as Promise<Held>,
    place: async places => void (await ask(places)),
    logged: () => stdout().lastIndexOf('\n') + 1,
    log: from =>
      stdout()
        .slice(from, stdout().lastIndexOf('\n') + 1)
        .split('\n')
        .filter(Boolean),
    stderr,
    async close() {
      child.kill('SIGTERM')
      if (end === null) await once(child, 'exit')
    },
  }
}

/** One question at a time: answers come in order. */
function questions(child: ChildProcess): (message: Message) => Promise<unknown> {
  let last: Promise<unknown> = Promise.resolve()
  return message => {
    last = last.then(() => {
      const answer = once(child, 'message').then(([reply]) => reply)
      child.send(message)
      return answer
    })
    return last
  }
}

function gather(child: ChildProcess, name: 'stdout' | 'stderr'): () => string {
  let text = ''
  child[name]?.setEncoding('utf8').on('data', chunk => {
    text += chunk
  })
  return () => text
}

function listening(child: ChildProcess, stderr: () => string): Promise<number> {
  return new Promise((found, lost) => {
    child.once('exit', code => lost(new Error(`the service ended with ${code}: ${stderr()}`)))
    child.stderr?.on('data', () => {
      const [, port] = /^assay listens on http:\S+:(\d+)\n/m.exec(stderr()) ?? []
      if (port) found(Number(port))
    })
  })
}

export type { Destination }
