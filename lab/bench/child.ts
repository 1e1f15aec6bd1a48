// A part of a measurement in a separate process, so that its CPU and memory can be measured separately.
import { fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The number of a core; `null` lets the system choose. */
export type Core = number | null

/** The core of the measured process, and of helpers such as the lab or a load generator. */
export const CORE = { measured: 1, helper: 0, any: null } as const

export const pinned =
  availableParallelism() > 1 && spawnSync('taskset', ['-c', String(CORE.measured), 'true']).status === 0

/** The command that runs Node on one core, if the system supports it. */
export function nodeOn(core: Core, args: readonly string[]): { command: string; args: string[] } {
  const node = [process.execPath, ...args]
  const [command = process.execPath, ...rest] =
    pinned && core !== null ? ['taskset', '-c', String(core), ...node] : node
  return { command, args: rest }
}

interface Request {
  readonly id: number
  readonly task: string
  readonly input: unknown
}

interface Reply {
  readonly id: number
  readonly value?: unknown
  readonly error?: string
}

export interface Child {
  readonly pid: number
  /** Rejects if the task rejects or the process has ended. */
  ask<Value>(task: string, input?: unknown): Promise<Value>
  end(): Promise<void>
}

export interface ChildOptions {
  readonly core: Core
  readonly env?: Readonly<Record<string, string>>
  readonly flags?: readonly string[]
}

/** Starts `lab/bench/<name>`, which runs tasks on request. */
export function startChild(name: string, { core, env = {}, flags = [] }: ChildOptions): Child {
  const path = fileURLToPath(new URL(`./${name}${extname(import.meta.url)}`, import.meta.url))
  const { command, args } = nodeOn(core, [...process.execArgv, ...flags])
  const child = fork(path, [], {
    execPath: command,
    execArgv: args,
    env: { ...process.env, NODE_ENV: 'production', ...env },
  })
  const waiting = new Map<number, (reply: Reply) => void>()
  child.on('message', (reply: Reply) => waiting.get(reply.id)?.(reply))
  child.once('exit', code => {
    for (const [id, settle] of waiting) settle({ id, error: `${name} ended with ${code}` })
  })
  let asked = 0
  return {
    pid: child.pid ?? 0,
    ask: <Value>(task: string, input?: unknown) =>
      new Promise<Value>((resolve, reject) => {
        const id = asked++
        waiting.set(id, ({ value, error }) => {
          waiting.delete(id)
          if (error === undefined) resolve(value as Value)
          else reject(new Error(error))
        })
        child.send({ id, task, input } satisfies Request)
      }),
    async end() {
      if (child.exitCode !== null) return
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      await gone
    },
  }
}

/** For the child: runs the tasks in the table until the parent ends it. */
export function answerTasks(tasks: Readonly<Record<string, (input: never) => unknown>>): void {
  process.on('message', async ({ id, task, input }: Request) => {
    const reply = (rest: Omit<Reply, 'id'>) => process.send?.({ id, ...rest })
    try {
      reply({ value: await tasks[task]?.(input as never) })
    } catch (error) {
      reply({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    }
  })
  process.once('disconnect', () => process.exit())
  // Otherwise what a task has started, such as a server, would not hear that the process ends.
  process.once('SIGTERM', () => process.exit())
}
