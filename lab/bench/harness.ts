// What all benches share: helper processes, alternating measurements, load, the CPU and memory of processes, and rows of a table.
import { execFile, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { createRequire } from 'node:module'
import { availableParallelism, tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** Whether only to try out: few rounds of small sizes, whose figures mean nothing. Helper processes inherit it. */
const isTrial = process.argv.includes('--trial') || process.env['BENCH_TRIAL'] !== undefined
if (isTrial) process.env['BENCH_TRIAL'] = 'yes'
export const sized = (full: number, trial: number): number => (isTrial ? trial : full)

/** A directory that is removed when this process ends. */
export function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), 'assay-bench-'))
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  return directory
}

export interface Row {
  readonly what: string
  readonly measured: string
  /** The reference, from the same run. */
  readonly beside: string
  readonly ratio: number | null
  /** The bound for the ratio, if any. */
  readonly target?: { readonly least: number } | { readonly most: number }
}

/** A figure and its bound. */
export const rowOf = (what: string, value: number, most: number, unit: string, digits = 0): Row => ({
  what,
  measured: `${value.toFixed(digits)} ${unit}`,
  beside: `${most} ${unit}`,
  ratio: value / most,
  target: { most: 1 },
})

/** A Markdown table that marks missed bounds. */
export function table(rows: readonly Row[]): string {
  const head = ['', 'measured', 'reference', 'ratio', 'target']
  const lines = rows.map(({ what, measured, beside, ratio, target }) => {
    const limitText = target === undefined ? '' : 'least' in target ? `≥ ${target.least}` : `≤ ${target.most}`
    const isMissed =
      target !== undefined && ratio !== null && ('least' in target ? ratio < target.least : ratio > target.most)
    return [
      what,
      measured,
      beside,
      ratio === null ? '' : ratio.toFixed(2),
      `${limitText}${isMissed ? ' (missed)' : ''}`,
    ]
  })
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...lines.map(line)].join('\n')
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** Alternates the measurements (A B A B), so that disturbances affect all of them; returns the figures of each by round. */
export async function inTurns<Name extends string, Figures>(
  measures: Readonly<Record<Name, () => Promise<Figures>>>,
  rounds: number,
): Promise<Readonly<Record<Name, readonly Figures[]>>> {
  const names = Object.keys(measures) as Name[]
  const figures = Object.fromEntries(names.map(name => [name, [] as Figures[]])) as Record<Name, Figures[]>
  for (let round = 0; round < rounds; round++) {
    for (const name of names) figures[name].push(await measures[name]())
  }
  return figures
}

/** The median of one figure over all rounds. */
export const medianOf = <Figures>(figures: readonly Figures[], figure: (one: Figures) => number): number =>
  median(figures.map(figure))

/** The median over all rounds of the ratio to `reference` in the same round. */
export const ratioOf = <Figures>(
  figures: readonly Figures[],
  reference: readonly Figures[],
  figure: (one: Figures) => number,
): number => median(figures.map((one, round) => figure(one) / figure(reference[round] ?? one)))

export interface Repeat {
  readonly times: number
  readonly at_once: number
}

export type Measurement = Awaited<ReturnType<typeof repeat>>

export async function repeat({ times, at_once }: Repeat, work: () => Promise<unknown>) {
  let remaining = times
  const worker = async () => {
    while (remaining-- > 0) await work()
  }
  const since = process.cpuUsage()
  const began = performance.now()
  await Promise.all(Array.from({ length: at_once }, worker))
  /** Milliseconds in total, and CPU microseconds per run, including all threads and kernel time. */
  const wallMs = performance.now() - began
  return { wall_ms: wallMs, cpu_us: (cpuMs(since) * 1_000) / times, per_second: (times / wallMs) * 1_000 }
}

/** CPU milliseconds of this process. */
export function cpuMs(since?: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1_000
}

/** Linux reports hundredths of a second, independent of the kernel's tick (proc(5), USER_HZ). */
const TICK_US = 10_000

/** CPU microseconds of another process, including its threads and kernel time. */
export function processCpu(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The second field is the program's name in parentheses, which may contain spaces; utime and stime are the 14th and 15th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_US
}

/** The processes that a process has started. */
export const childrenOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter(child => child !== '')
    .map(Number)

/** As `processCpu`, with the processes that it has started. */
export const treeCpu = (pid: number): number =>
  childrenOf(pid).reduce((sum, child) => sum + treeCpu(child), processCpu(pid))

/** CPU microseconds of a process and all that it has started, those that have ended included. */
export function familyCpu(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const childrenCpu = (Number(fields[13]) + Number(fields[14])) * TICK_US
  return sumOf(pid, familyCpu) + processCpu(pid) + childrenCpu
}

/** MiB of a process and all that it has started, shared memory counted once (`Pss`, proc(5)). */
export function familyMib(pid: number): number {
  const [, kib] = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? []
  return sumOf(pid, familyMib) + Number(kib) / 1_024
}

/** The sum over the processes that a process has started. One may end while it is looked at. */
function sumOf(pid: number, figure: (child: number) => number): number {
  return childrenOf(pid).reduce((sum, child) => {
    try {
      return sum + figure(child)
    } catch {
      return sum
    }
  }, 0)
}

/** MiB of another process, now (`VmRSS`) or at most so far (`VmHWM`, proc(5)). */
export function residentMib(pid: number, figure: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
  const [, kib] = new RegExp(`${figure}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kib) / 1_024
}

/** The number of a core; `null` lets the system choose. */
export type Core = number | null

/** The core of the measured process, and of helpers such as the lab or a load generator. */
export const CORE = { measured: 1, helper: 0, any: null } as const

export const isPinned =
  availableParallelism() > 1 && spawnSync('taskset', ['-c', String(CORE.measured), 'true']).status === 0

/** The command that runs Node on one core, if the system supports it. */
export function nodeOn(core: Core, args: readonly string[]): { command: string; args: string[] } {
  const node = [process.execPath, ...args]
  const [command = process.execPath, ...rest] =
    isPinned && core !== null ? ['taskset', '-c', String(core), ...node] : node
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

/** A module's tasks, which another process runs on request. */
export type Tasks = Readonly<Record<string, (input: never) => unknown>>

export type Child = ReturnType<typeof startChild>

export interface ChildOptions {
  readonly core: Core
  readonly env?: Readonly<Record<string, string>>
  readonly flags?: readonly string[]
}

/** This file, which is also the program of each helper process; and the arguments of Node for one that runs `module`. */
const HERE = fileURLToPath(import.meta.url)
export const helperOf = (module: string, ...args: readonly string[]): [string, ...string[]] => [HERE, module, ...args]

/** Starts a process that runs the `tasks` of `lab/bench/<module>`, so that its CPU and memory can be measured separately. */
export function startChild(module: string, { core, env = {}, flags = [] }: ChildOptions) {
  const { command, args } = nodeOn(core, [...process.execArgv, ...flags])
  const [path, ...rest] = helperOf(module)
  const child = fork(path, rest, {
    execPath: command,
    execArgv: args,
    env: { ...process.env, NODE_ENV: 'production', ...env },
  })
  const waiting = new Map<number, (reply: Reply) => void>()
  child.on('message', (reply: Reply) => waiting.get(reply.id)?.(reply))
  child.once('exit', code => {
    for (const [id, settle] of waiting) settle({ id, error: `${module} ended with ${code}` })
  })
  let requests = 0
  return {
    pid: child.pid ?? 0,
    /** Rejects if the task rejects or the process has ended. */
    ask: <Value>(task: string, input?: unknown) =>
      new Promise<Value>((resolve, reject) => {
        const id = requests++
        waiting.set(id, ({ value, error }) => {
          waiting.delete(id)
          if (error === undefined) resolve(value as Value)
          else reject(new Error(error))
        })
        child.send({ id, task, input } satisfies Request)
      }),
    async end() {
      if (child.exitCode !== null) return
      const exit = once(child, 'exit')
      child.kill('SIGTERM')
      await exit
    },
  }
}

/** Runs the tasks until the parent ends this process. */
async function answerTasks(module: string): Promise<void> {
  const { tasks, work } = (await import(new URL(`./${module}${extname(HERE)}`, import.meta.url).href)) as {
    readonly tasks: Tasks
    /** For a process that is not asked by messages of ours. */
    work?(...args: readonly string[]): Promise<void>
  }
  const [, , , ...args] = process.argv
  if (args.length > 0) return work?.(...args)
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

export interface CheckRequest {
  readonly url: string
  readonly key: string
  /** On a new connection, which the answer ends. */
  readonly reconnects?: boolean
}

export interface TimedAnswer {
  /** 0 if the connection closed first. */
  readonly status: number
  readonly ms: number
  readonly remaining: number
  /** By the monotonic clock. */
  readonly at: number
}

export const isGood = ({ status }: TimedAnswer): boolean => status === 200

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })

/**
 * Sends one request; resolves when the response is complete, and never rejects. Like other clients, it repeats the request
 * if the server was just closing the persistent connection (RFC 9112 section 9.3.1), unless it is sent `once`.
 */
export function ask(checkRequest: CheckRequest & { readonly once?: boolean }): Promise<TimedAnswer> {
  const { url, key, reconnects = false, once = false } = checkRequest
  const began = performance.now()
  return new Promise(resolve => {
    const end = (status: number, remaining = Number.NaN) =>
      resolve({ status, ms: performance.now() - began, remaining, at: performance.now() })
    const clientRequest = request(
      url,
      { agent: reconnects ? false : agent, headers: { 'X-API-Key': key } },
      response => {
        response.on('error', () => end(0))
        response.on('end', () => end(response.statusCode ?? 0, Number(response.headers['x-ratelimit-remaining'])))
        response.resume()
      },
    )
    clientRequest.on('error', () => {
      if (clientRequest.reusedSocket && !once) resolve(ask(checkRequest))
      else end(0)
    })
    clientRequest.end()
  })
}

/** Keeps `together` requests running until `next` returns null. */
export async function closedLoop(together: number, next: () => CheckRequest | null): Promise<TimedAnswer[]> {
  const answers: TimedAnswer[] = []
  const client = async () => {
    for (let checkRequest = next(); checkRequest !== null; checkRequest = next()) answers.push(await ask(checkRequest))
  }
  await Promise.all(Array.from({ length: together }, client))
  return answers
}

/** As `closedLoop`, for some seconds. */
export function closedFor(seconds: number, together: number, next: () => CheckRequest): Promise<TimedAnswer[]> {
  const end = performance.now() + seconds * 1_000
  return closedLoop(together, () => (performance.now() < end ? next() : null))
}

/** Sends `per_second` requests for some seconds, independent of the answers. */
export async function openLoop(perSecond: number, seconds: number, next: () => CheckRequest): Promise<TimedAnswer[]> {
  const answers: Promise<TimedAnswer>[] = []
  const began = performance.now()
  await new Promise<void>(resolve => {
    const timer = setInterval(() => {
      const elapsedSeconds = Math.min(seconds, (performance.now() - began) / 1_000)
      while (answers.length < elapsedSeconds * perSecond) answers.push(ask(next()))
      if (elapsedSeconds < seconds) return
      clearInterval(timer)
      resolve()
    }, 5)
  })
  return Promise.all(answers)
}

/** The percentile of the durations; `p` is 0 to 1. */
export function percentile(answers: readonly TimedAnswer[], p: number): number {
  const sorted = answers.map(({ ms }) => ms).sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? Number.NaN
}

const autocannon = createRequire(import.meta.url).resolve('autocannon')

export interface Load {
  readonly url: string
  readonly key?: string
  readonly connections: number
  readonly seconds: number
  /** The server's process. */
  readonly pid: number
}

export type Throughput = Omit<Measurement, 'wall_ms'>

/** Loads an HTTP server from a process on another core. Rejects if any request did not succeed. */
export async function load({ url, key, connections, seconds, pid }: Load): Promise<Throughput> {
  const fields = key === undefined ? [] : ['-H', `X-API-Key=${key}`]
  const options = ['-j', '-c', String(connections), '-d', String(seconds), ...fields, url]
  const { command, args } = nodeOn(CORE.helper, [autocannon, ...options])
  const before = treeCpu(pid)
  const { stdout } = await promisify(execFile)(command, args)
  const cpu = treeCpu(pid) - before
  const { '2xx': good, non2xx, errors, duration } = JSON.parse(stdout) as Record<string, number>
  if (!good || non2xx || errors) throw new Error(`${url}: ${good} good answers, ${non2xx} others, ${errors} errors`)
  return { per_second: good / (duration ?? seconds), cpu_us: cpu / good }
}

// Imports of the module find this one evaluated.
if (process.argv[1] === HERE) void answerTasks(process.argv[2] ?? '')
