// The process of one third-party module: started with limits that the operating system enforces, asked numbered questions,
// and ended when it says anything else than the protocol allows.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { moduleFile } from '../package_root.ts'
import {
  ANSWERS_FD,
  type Downward,
  LINE_BYTES,
  lineReader,
  OPEN_REQUESTS,
  type Question,
  type Reply,
} from './protocol.ts'

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

/** Octets that wait for a process that does not read: several of the largest evidence. */
const BACKLOG_BYTES = 32 * 1024 * 1024

export interface ModuleProcess {
  /**
   * The answer, which is not validated. Rejects when the process ends, with how it ended. `requests` takes what the plugin asks
   * for until it has answered.
   */
  readonly ask: (question: Question, requests?: Requests) => Promise<unknown>
  /** Kills the process immediately; `why` names the reason. */
  readonly end: (why?: string) => void
  /** Lets the service exit without waiting for it. */
  unref(): void
  /** Resolves with how it ended. */
  readonly ended: Promise<string>
}

/** Takes the requests of one plugin. Throws an `Error` with what is wrong when the process must not go on. */
export interface Requests {
  /** `over` tells the process that the plugin's check has ended. */
  opened(reply: (reply: Reply) => void, over: () => void): void
  take(message: object, octets: number): void
}

interface Asked {
  readonly resolve: (answer: unknown) => void
  readonly reject: (error: Error) => void
  readonly requests: Requests | undefined
}

/** Starts a process. It ends by itself with the process that started it. */
export function startModuleProcess(): ModuleProcess {
  const child = begin()
  const answers = child.stdio[ANSWERS_FD] as Socket
  const asked = new Map<number, Asked>()
  let questions = 0
  /** Messages about what is over: a few may be on their way when a check ends. */
  let strays = 0
  let fault: string | undefined
  const giveUp = (why?: string) => {
    fault ??= why
    child.kill('SIGKILL')
  }
  const send = (message: Downward) => {
    const line = `${JSON.stringify(message)}\n`
    if (over !== undefined || !child.stdin?.writable) return
    child.stdin.write(line)
    if (child.stdin.writableLength > BACKLOG_BYTES) giveUp('does not read what it is sent')
  }
  const take = (line: string) => {
    if (fault !== undefined) return
    try {
      const message = readMessage(line)
      const about = 'to' in message ? message.to : message.of
      const one = typeof about === 'number' ? asked.get(about) : undefined
      if (one === undefined) return stray(about)
      if ('of' in message) return one.requests === undefined ? stray(about) : one.requests.take(message, line.length)
      asked.delete(about as number)
      one.resolve(message)
    } catch (error) {
      giveUp(error instanceof Error ? error.message : String(error))
    }
  }
  const stray = (about: unknown) => {
    if (typeof about !== 'number' || !(about <= questions)) throw new Error('answered a question that it was not asked')
    strays += 1
    if (strays > questions * OPEN_REQUESTS) throw new Error('answered more than it was asked')
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
    for (const { reject } of asked.values()) reject(new Error(how))
    asked.clear()
  })
  return {
    ask: (question, requests) =>
      new Promise((resolve, reject) => {
        if (over !== undefined) throw new Error(over)
        const n = questions + 1
        // Throws for evidence that is not JSON, which is then not asked.
        send({ n, ...question })
        questions = n
        asked.set(n, { resolve, reject, requests })
        requests?.opened(send, () => {
          if (asked.delete(n)) send({ over: n })
        })
      }),
    end: giveUp,
    unref() {
      child.unref()
      for (const stream of child.stdio) (stream as Socket | null)?.unref()
    },
    ended,
  }
}

interface Message {
  readonly to?: unknown
  readonly of?: unknown
}

function readMessage(line: string): Message {
  let message: unknown
  try {
    message = JSON.parse(line)
  } catch {
    throw new Error('answered with invalid JSON')
  }
  const isMessage = typeof message === 'object' && message !== null && ('to' in message || 'of' in message)
  if (!isMessage) throw new Error('answered with an unknown message')
  return message as Message
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
