// The process of one isolated module: loads it, describes its analyzers and answers questions until its input ends,
// which it does when the service ends.
import { once } from 'node:events'
import { writeSync } from 'node:fs'
import { Script } from 'node:vm'
import { Worker } from 'node:worker_threads'
import { offerOwnPackage } from '../config/own_package.ts'
import { refuseChanges, snapshotSharedObjects, supervised } from '../config/supervised.ts'
import { analyzeExplained } from '../engine/explained.ts'
import { deepFreeze } from '../engine/freeze.ts'
import { createHooks, type Hooks } from '../engine/hooks.ts'
import type { Analyzer, Extension, Plugin } from '../engine/plugin.ts'
import { errorParts } from '../errors.ts'
import { isReason } from '../evidence/facts.ts'
import { type Gathering, openGathering } from './child_gatherer.ts'
import { described, exported } from './described.ts'
import {
  ANSWERS_FD,
  type Answer,
  type ApplyQuestion,
  type DescribeQuestion,
  type Downward,
  type GatherQuestion,
  LINE_BYTES,
  lineReader,
  type Turn,
  type Upward,
} from './protocol.ts'
import { sandbox } from './sandbox.ts'

/** Milliseconds after which this process exits while answering: the service has a shorter limit, so it must be gone. */
const ORPHANED_MS = 3_000

// References the module cannot replace.
const { parse, stringify } = JSON
const [exit, write] = [process.exit.bind(process), writeSync]

/** Taken before the sandbox blocks it. */
const Thread = Worker
/** The service, or the shell that becomes this process. */
const parent = process.ppid

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
// Errors that the module leaves behind are ignored: they affect only this process.
for (const event of ['uncaughtException', 'unhandledRejection']) process.on(event, () => {})
process.stdin.on('end', () => exit(0))
process.stdin.on(
  'data',
  lineReader(Number.POSITIVE_INFINITY, line => void take(parse(line)), exit),
)

offerOwnPackage()
sandbox()
const objects = snapshotSharedObjects()
let plugins: readonly Plugin[] = []

async function take(message: Downward): Promise<void> {
  if ('reply' in message) {
    for (const gathering of gatherings.values()) if (gathering.take(message)) return
    return
  }
  if ('over' in message) {
    gatherings.get(message.over)?.end()
    return
  }
  const { n } = message
  if ('load' in message) say(n, await load(message.load))
  else if ('ping' in message) say(n, { pong: true })
  else if ('evidence' in message) answerTurn(n, () => analyze(message))
  else if ('describe' in message) answerTurn(n, () => describe(message.at, message.describe))
  else if ('apply' in message) say(n, apply(message.at, message.apply))
  else say(n, await gather(n, message))
}

async function load(url: string): Promise<Answer> {
  try {
    const module = (await import(url)) as { default?: unknown }
    refuseChanges(objects)
    const found = exported(module)
    const answer = { plugins: found.map(described) }
    // Throws for a plugin that is not plain data apart from its functions.
    stringify(answer)
    plugins = found.map(plugin => supervised(plugin as Plugin, objects))
    if (plugins.some(plugin => 'apply' in plugin)) await endWithParent()
    return answer
  } catch (error) {
    return failed(error)
  }
}

/**
 * Kills this process when the service has ended, even while a gatherer computes. Analyzers are interrupted by themselves, so
 * that a module without gatherers needs no thread.
 */
function endWithParent(): Promise<unknown> {
  const watch = `
    require('node:worker_threads').parentPort.postMessage('watching')
    setInterval(() => process.ppid === ${parent} || process.kill(process.pid, 'SIGKILL'), ${ORPHANED_MS})`
  const thread = new Thread(watch, { eval: true, execArgv: [], env: {} })
  thread.unref()
  // A thread does not begin while this one computes.
  return once(thread, 'message')
}

/** Only a `Script` can be interrupted while it computes; it finds the function under this symbol. */
const TURN = 'assay turn'
const script = new Script(`globalThis[Symbol.for('${TURN}')]()`)

function answerTurn(n: number, compute: () => Answer): void {
  try {
    Object.defineProperty(globalThis, Symbol.for(TURN), { value: () => text(n, compute()), configurable: true })
    put(script.runInThisContext({ timeout: ORPHANED_MS }) as string)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') exit(1)
    say(n, failed(error))
  }
}

function analyze({ at, evidence, context }: Turn): Answer {
  const read = { ...context, now: new Date(context.now) } as Parameters<Analyzer['analyze']>[1]
  const found = analyzeExplained(plugins[at] as Analyzer, deepFreeze(evidence), read)
  const isPromise = found !== null && typeof found === 'object' && 'then' in found
  return isPromise ? { promise: true } : { finding: found ?? null }
}

function describe(at: number, { section, described }: DescribeQuestion['describe']): Answer {
  const { presentation } = plugins[at] as Analyzer
  return { description: presentation?.describe?.(deepFreeze(section), described) ?? null }
}

interface Applied {
  readonly options: string
  readonly gather: Hooks['gather']
  /** The kinds that it gathers. */
  readonly kinds: readonly string[]
}

/** Each extension with the options that it last had. */
const applied = new Map<number, Applied>()

function applyOnce(at: number, given: unknown): Applied {
  const options = stringify(given)
  const before = applied.get(at)
  if (before?.options === options) return before
  const { gather } = createHooks()
  const taps = new Map<string, { isUsed(): boolean }>()
  gather.intercept({
    factory(kind, hook) {
      taps.set(kind as string, hook)
      return hook
    },
  })
  ;(plugins[at] as Extension).apply(onlyGather(gather), given as never)
  const kinds = [...taps].flatMap(([kind, tap]) => (tap.isUsed() ? [kind] : []))
  const now = { options, gather, kinds }
  applied.set(at, now)
  return now
}

/** The other hooks reach into the service. */
const onlyGather = (gather: Hooks['gather']): Hooks =>
  new Proxy({ gather } as Hooks, {
    get(_, name) {
      if (name === 'gather') return gather
      throw new Error(`hooks.${String(name)} is not available to isolated plugins, which only gather and analyze`)
    },
  })

function apply(at: number, { options }: ApplyQuestion['apply']): Answer {
  try {
    return { kinds: applyOnce(at, options).kinds }
  } catch (error) {
    return failed(error)
  }
}

const gatherings = new Map<number, Gathering>()
let requests = 0
const nextRequest = () => ++requests

async function gather(n: number, { at, gather: given }: GatherQuestion): Promise<Answer> {
  const gathering = openGathering(n, given, send, nextRequest)
  gatherings.set(n, gathering)
  try {
    const hook = applyOnce(at, given.options).gather.for(given.kind)
    return { evidence: (await hook.promise(gathering.context)) ?? null }
  } catch (error) {
    return failed(error)
  } finally {
    gathering.end()
    gatherings.delete(n)
  }
}

function send(message: Upward): number {
  const line = stringify(message)
  if (Buffer.byteLength(line) >= LINE_BYTES) throw new TypeError(`asks with more than ${LINE_BYTES} octets`)
  return put(line)
}

function failed(error: unknown): Answer {
  const { reason } = Object(error) as { readonly reason?: unknown }
  return { error: { ...errorParts(error), ...(isReason(reason) ? { reason } : {}) } }
}

/** The answer as a line that the service accepts. Throws for an answer that is not JSON. */
function text(to: number, answer: Answer): string {
  const line = stringify({ to, ...answer })
  return Buffer.byteLength(line) < LINE_BYTES ? line : stringify({ to, too_large: true })
}

function say(n: number, answer: Answer): void {
  let line: string
  try {
    line = text(n, answer)
  } catch (error) {
    line = text(n, failed(error))
  }
  put(line)
}

/** Returns the number of octets. */
function put(line: string): number {
  const octets = Buffer.from(`${line}\n`)
  for (let rest: Uint8Array = octets; rest.length > 0; ) rest = rest.subarray(write(ANSWERS_FD, rest))
  return octets.length
}
