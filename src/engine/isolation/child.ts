// The process of one isolated module: loads it, describes its plugins and answers calls until its input ends, which it does
// when the service ends. The service kills it when it does not answer (module_process.ts).
import { writeSync } from 'node:fs'
import { A_PROMISE, analyzeExplained, BrokenPlugin } from '../explained.ts'
import { deepFreeze } from '../freeze.ts'
import { createHooks, gatheredKinds, type Hooks } from '../hooks.ts'
import { offerOwnPackage } from '../own_package.ts'
import type { Analyzer, Extension, Plugin } from '../plugin.ts'
import type { Described } from '../presentation/presentation.ts'
import { refuseChanges, snapshotSharedObjects, supervise } from '../supervised.ts'
import { type GatherRequest, gatherContext } from './child_gatherer.ts'
import { describePlugin, exportsOf } from './described.ts'
import {
  ANSWERS_FD,
  type AnswerMessage,
  type CallMessage,
  LINE_BYTES,
  lineReader,
  type OverMessage,
  openCalls,
  thrownErrorOf,
} from './protocol.ts'
import { sandbox } from './sandbox.ts'

// References the module cannot replace.
const { parse, stringify } = JSON
const [exit, write] = [process.exit.bind(process), writeSync]

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
/** While the module is being loaded. */
let loading: Promise<void> | null = null
const requests = openCalls(message =>
  put(boundedLine(message, new TypeError(`sent a request of more than ${LINE_BYTES} octets`))),
)
/** The gatherers under way, by the number of their call. */
const gatherings = new Map<number, AbortController>()

async function take(message: CallMessage | AnswerMessage | OverMessage): Promise<void> {
  if ('answer' in message) return void requests.settle(message)
  if ('over' in message) return gatherings.get(message.over)?.abort('over')
  const { call, name, given } = message
  // What is asked meanwhile is answered afterwards, in order.
  if (loading !== null) await loading
  try {
    // Synchronous where the command is, so that calls are answered in order.
    const answer = (commands[name] as Command)(given as never, call)
    if (name === 'load') loading = finishLoading(answer as Promise<unknown>)
    const value = (answer instanceof Promise ? await answer : answer) ?? null
    put(
      boundedLine({ answer: call, value }, new BrokenPlugin('finding_too_large', 'the answer exceeds the size limit')),
    )
  } catch (error) {
    put(stringify({ answer: call, error: thrownErrorOf(error) }))
  }
}

async function finishLoading(load: Promise<unknown>): Promise<void> {
  await load.catch(() => {})
  loading = null
}

type Command = (argument: never, call: number) => unknown
type At<More> = { readonly at: number } & More

const commands: Readonly<Record<string, Command>> = {
  /** The exports of the module as data. */
  async load({ url }: { url: string }) {
    const module = (await import(url)) as { default?: unknown }
    refuseChanges(objects)
    const loadedPlugins = exportsOf(module)
    const descriptions = loadedPlugins.map(describePlugin)
    // Throws for a plugin that is not plain data apart from its functions.
    stringify(descriptions)
    plugins = loadedPlugins.map(plugin => supervise(plugin as Plugin, objects))
    return descriptions
  },

  /** Shows that the process is not stuck. */
  ping: () => true,

  analyze({ at, evidence, context }: At<{ evidence: object; context: { now: string } }>) {
    const analysisContext = { ...context, now: new Date(context.now) } as unknown as Parameters<Analyzer['analyze']>[1]
    const findings = analyzeExplained(plugins[at] as Analyzer, deepFreeze(evidence), analysisContext)
    if (findings !== null && typeof findings === 'object' && 'then' in findings)
      throw new BrokenPlugin('not_a_finding', `analyze returned ${A_PROMISE}`)
    return findings
  },

  describe({ at, section, described }: At<{ section: object; described: Described }>) {
    return (plugins[at] as Analyzer).presentation?.describe?.(deepFreeze(section) as never, described)
  },

  /** The kinds of evidence that the extension gathers with these options. */
  apply: ({ at, options }: At<{ options: unknown }>) => applyExtension(at, options),

  async gather({ at, kind, options, ...request }: At<{ kind: string; options: unknown } & GatherRequest>, call) {
    const over = new AbortController()
    gatherings.set(call, over)
    try {
      const ask = (name: string, argument: object) => requests.ask(name, argument, call).answer
      // A request that cannot be sent rejects, as one that fails does.
      const context = gatherContext(request, async (name, argument) => ask(name, argument), over.signal)
      return await gathererOf(at, options).for(kind).promise(context)
    } finally {
      over.abort('over')
      gatherings.delete(call)
    }
  },
}

/** The gatherers of each extension, by its index. */
const gatherers = new Map<number, Hooks['gather']>()

/** A process serves one configuration, hence an extension always has the same options. */
function gathererOf(at: number, options: unknown): Hooks['gather'] {
  if (!gatherers.has(at)) applyExtension(at, options)
  return gatherers.get(at) as Hooks['gather']
}

/** The kinds of evidence that the extension gathers. */
function applyExtension(at: number, options: unknown): string[] {
  const hooks = createHooks()
  const extension = plugins[at] as Extension
  const kinds = gatheredKinds(hooks, ({ gather }) => extension.apply(onlyGather(gather), options as never))
  gatherers.set(at, hooks.gather)
  return kinds
}

/** The other hooks reach into the service. */
const onlyGather = (gather: Hooks['gather']): Hooks =>
  new Proxy({ gather } as Hooks, {
    get(_, name) {
      if (name === 'gather') return gather
      throw new Error(`hooks.${String(name)} is not available to isolated plugins, which only gather and analyze`)
    },
  })

/** The message as a line that the service accepts. Throws for a value that is not JSON, and `error` for a message that is too long. */
function boundedLine(message: object, error: Error): string {
  const line = stringify(message)
  if (Buffer.byteLength(line) >= LINE_BYTES) throw error
  return line
}

function put(line: string): void {
  const octets = Buffer.from(`${line}\n`)
  for (let rest: Uint8Array = octets; rest.length > 0; ) rest = rest.subarray(write(ANSWERS_FD, rest))
}
