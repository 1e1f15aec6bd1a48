// The process of one third-party module: started with limits that the operating system enforces, asked one question at
// a time.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { moduleFile } from '../package_root.ts'
import { ANSWERS_FD, LINE_BYTES, lineReader, type Question } from './protocol.ts'

/** MiB for objects: several times what a plugin makes of the largest evidence. */
const HEAP_MIB = 96
/**
 * MiB of each half of the young generation: Node's default of 16 would leave less of the total for long-lived objects.
 */
const YOUNG_MIB = 8
/** KiB of stack: Node's default, whatever the service was started with. */
const STACK_KIB = 984
/**
 * MiB of private memory (RLIMIT_DATA): objects, buffers, code and stacks. Node itself takes 60 to 110. Together with
 * the service's 512 it stays below the limit in deploy/assay.service.
 */
const DATA_MIB = 256
/** Threads for garbage collection and compilation; there are several such processes. */
const POOL = 1

/** Sets the limit, or exits, and runs the command that follows; disables core dumps. */
const BOUND = `unset PWD; ulimit -c 0; ulimit -d ${DATA_MIB * 1024} || exit 1; exec "$@"`
const SHELL = '/bin/sh'
/** Other platforms do not enforce the data limit, or have no such shell. */
const isBounded = process.platform === 'linux' && existsSync(SHELL)

/** Octets kept of standard error: the engine's fatal error comes first. */
const LAST_WORDS_BYTES = 8 * 1024

/** Characters of it that are reported. */
const WORDS = 200

export interface ModuleProcess {
  /** One question at a time. The answer is not validated. Rejects when the process ends, with how it ended. */
  readonly ask: (question: Question) => Promise<unknown>
  /** Kills the process immediately. */
  readonly end: () => void
  /** Lets the service exit without waiting for it. */
  unref(): void
  /** Resolves with how it ended. */
  readonly ended: Promise<string>
}

/** Starts a process. It ends by itself with the process that started it. */
export function startModuleProcess(): ModuleProcess {
  const child = begin()
  const answers = child.stdio[ANSWERS_FD] as Socket
  let waiting: { resolve: (answer: unknown) => void; reject: (error: Error) => void } | undefined
  let fault: string | undefined
  const giveUp = (why: string) => {
    fault ??= why
    child.kill('SIGKILL')
  }
  const take = (line: string) => {
    if (fault !== undefined) return
    try {
      const answer: unknown = JSON.parse(line)
      waiting?.resolve(answer)
      waiting = undefined
    } catch {
      giveUp('answered with invalid JSON')
    }
  }
  answers.on(
    'data',
    lineReader(LINE_BYTES, take, () => giveUp(`answered with more than ${LINE_BYTES} octets`)),
  )
  for (const stream of [child.stdin, answers]) stream?.on('error', () => {})
  const lastWords = keepWords(child)
  const ended = new Promise<string>(resolve => {
    child.once('error', ({ message }) => resolve(`cannot be started: ${message}`))
    child.once('close', (code, signal) => resolve(fault ?? howItEnded(code, signal, lastWords())))
  })
  let over: string | undefined
  void ended.then(how => {
    over = how
    waiting?.reject(new Error(how))
  })
  return {
    ask: question =>
      new Promise((resolve, reject) => {
        if (over !== undefined) throw new Error(over)
        const line = `${JSON.stringify(question)}\n`
        waiting = { resolve, reject }
        child.stdin?.write(line)
      }),
    end: () => void child.kill('SIGKILL'),
    unref() {
      child.unref()
      for (const stream of child.stdio) (stream as Socket | null)?.unref()
    },
    ended,
  }
}

function begin(): ChildProcess {
  const reading = readers(process.execArgv)
  const node = [process.execPath, ...bounds, ...(reading.length > 0 ? [...forReaders, ...reading] : []), childFile]
  const [command = '', ...args] = isBounded ? [SHELL, '-c', BOUND, SHELL, ...node] : node
  return spawn(command, args, {
    // Passes no secrets or settings of the service.
    env: { TMPDIR: tmpdir() },
    // Detached from the service's terminal signals.
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
  })
}

/** A TypeScript loader starts a program in the loader thread and caches its output. */
const forReaders = ['--allow-child-process', `--allow-fs-write=${tmpdir()}`]
const childFile = moduleFile('src/isolation/child')

/** Reading stays allowed, because modules are found by reading. */
const bounds: readonly string[] = [
  `--max-old-space-size=${HEAP_MIB}`,
  `--max-semi-space-size=${YOUNG_MIB}`,
  `--stack-size=${STACK_KIB}`,
  `--v8-pool-size=${POOL}`,
  process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission',
  '--allow-fs-read=*',
  // For Node's loader thread. Other threads and programs are blocked (sandbox.ts).
  '--allow-worker',
  '--no-warnings',
]

/** The arguments of this process that control how modules are loaded, such as TypeScript loaders. */
function readers(args: readonly string[]): string[] {
  const names = /^(?:--import|--require|-r|--loader|--experimental-loader|--conditions|-C)(=|$)/
  return args.flatMap((arg, at) => {
    const [, assigned] = names.exec(arg) ?? []
    if (assigned === undefined) return []
    return assigned === '=' ? [arg] : [arg, args[at + 1] ?? '']
  })
}

/** Reads standard error to the end, so that the process never blocks, and keeps a part of it. */
function keepWords({ stderr }: ChildProcess): () => string {
  let words = ''
  stderr?.on('error', () => {})
  stderr?.setEncoding('utf8').on('data', (text: string) => {
    if (words.length < LAST_WORDS_BYTES) words += text.slice(0, LAST_WORDS_BYTES - words.length)
  })
  return () => words
}

function howItEnded(code: number | null, signal: string | null, words: string): string {
  const how = signal === null ? `ended with code ${code}` : `was ended by ${signal}`
  const [why] = /^.*(?:FATAL ERROR|Fatal|Error:).*$/m.exec(words) ?? /^\w.*$/m.exec(words) ?? []
  return why === undefined ? how : `${how}: ${why.slice(0, WORDS)}`
}
