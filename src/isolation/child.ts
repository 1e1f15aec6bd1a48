// The process of one isolated module: loads it, describes its analyzers and answers questions until its input ends,
// which it does when the service ends.
import { writeSync } from 'node:fs'
import { Script } from 'node:vm'
import { offerOwnPackage } from '../config/own_package.ts'
import { refuseChanges, snapshotSharedObjects, supervised } from '../config/supervised.ts'
import { analyzeExplained } from '../engine/explained.ts'
import { deepFreeze } from '../engine/freeze.ts'
import type { Analyzer, Plugin } from '../engine/plugin.ts'
import { errorParts } from '../errors.ts'
import {
  ANSWERS_FD,
  type Answer,
  described,
  exported,
  LINE_BYTES,
  lineReader,
  type Question,
  type Turn,
} from './protocol.ts'
import { sandbox } from './sandbox.ts'

/** Milliseconds after which this process exits while answering: the service has a shorter limit, so it must be gone. */
const ORPHANED_MS = 3_000

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

async function take(question: Question): Promise<void> {
  say('load' in question ? await load(question.load) : analyze(question))
}

async function load(url: string): Promise<string> {
  try {
    const module = (await import(url)) as { default?: unknown }
    refuseChanges(objects)
    const found = exported(module)
    const text = stringify({ plugins: found.map(described) } satisfies Answer)
    plugins = found.map(plugin => supervised(plugin as Plugin, objects))
    return text
  } catch (error) {
    return failed(error)
  }
}

/** Only a `Script` can be interrupted while it computes; it finds the function under this symbol. */
const TURN = 'assay turn'
const script = new Script(`globalThis[Symbol.for('${TURN}')]()`)

function analyze({ at, evidence, context }: Turn): string {
  const turn = () => {
    const read = { ...context, now: new Date(context.now) } as Parameters<Analyzer['analyze']>[1]
    const found = analyzeExplained(plugins[at] as Analyzer, deepFreeze(evidence), read)
    const isPromise = found !== null && typeof found === 'object' && 'then' in found
    return stringify((isPromise ? { promise: true } : { finding: found ?? null }) satisfies Answer)
  }
  try {
    Object.defineProperty(globalThis, Symbol.for(TURN), { value: turn, configurable: true })
    return script.runInThisContext({ timeout: ORPHANED_MS }) as string
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') exit(1)
    return failed(error)
  }
}

const failed = (error: unknown): string => stringify({ error: errorParts(error) } satisfies Answer)

function say(text: string): void {
  const tooLarge = stringify({ too_large: true } satisfies Answer)
  let rest: Uint8Array = Buffer.from(`${text.length > LINE_BYTES ? tooLarge : text}\n`)
  if (rest.length > LINE_BYTES) rest = Buffer.from(`${tooLarge}\n`)
  while (rest.length > 0) rest = rest.subarray(write(ANSWERS_FD, rest))
}
