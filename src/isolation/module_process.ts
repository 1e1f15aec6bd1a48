// One process for one module of a third party: begun with bounds that the system holds, asked one question at a time.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { moduleFile } from '../package_root.ts'
import { ANSWERS_FD, LINE_BYTES, lineReader, type Question } from './protocol.ts'

/** MiB of objects: what a plugin makes of the largest evidence, several times over. */
const HEAP_MIB = 96
/** MiB of each half of where objects begin: Node's 16 would leave less of the bound of all memory to those that stay. */
const YOUNG_MIB = 8
/** KiB of stack: Node's own default, whatever the service was started with. */
const STACK_KIB = 984
/**
 * MiB of all memory that only this process has (RLIMIT_DATA): objects, buffers, code and stacks, of which Node itself takes
 * 60 to 110. With the 512 of the service it stays below what deploy/assay.service allows.
 */
const DATA_MIB = 256
/** Threads that collect garbage and compile; there are a few of these processes. */
const POOL = 1

/** Sets the bound, or ends, and becomes what follows; what dies writes no core. */
const BOUND = `unset PWD; ulimit -c 0; ulimit -d ${DATA_MIB * 1024} || exit 1; exec "$@"`
const SHELL = '/bin/sh'
/** Elsewhere the bound of data is not kept, or there is no such shell. */
const isBounded = process.platform === 'linux' && existsSync(SHELL)

/** Octets kept of what is printed to the standard error: the engine's last words stand at the beginning. */
const LAST_WORDS_BYTES = 8 * 1024

/** Characters of them that are told. */
const WORDS = 200

export interface ModuleProcess {
  /** One at a time. What is answered is not looked at. Rejects when the process ends, with how it did. */
  readonly ask: (question: Question) => Promise<unknown>
  /** At once, whatever it does. */
  readonly end: () => void
  /** From then on the service ends without waiting for it. */
  unref(): void
  /** How it ended, in words. */
  readonly ended: Promise<string>
}

/** Begins one. It ends by itself with the process that began it. */
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
    // No secret of the service, and none of its habits.
    env: { TMPDIR: tmpdir() },
    // What a terminal sends to the service is not for it.
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
  })
}

/** Who reads TypeScript starts a program for it, in the thread in which modules are found, and keeps what it made. */
const forReaders = ['--allow-child-process', `--allow-fs-write=${tmpdir()}`]
const childFile = moduleFile('src/isolation/child')

/** Reading is left to it: modules are found by reading. */
const bounds: readonly string[] = [
  `--max-old-space-size=${HEAP_MIB}`,
  `--max-semi-space-size=${YOUNG_MIB}`,
  `--stack-size=${STACK_KIB}`,
  `--v8-pool-size=${POOL}`,
  process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission',
  '--allow-fs-read=*',
  // For the thread in which Node finds modules; others are refused, and so are programs (withdraw.ts).
  '--allow-worker',
  '--no-warnings',
]

/** Of the arguments of this process those that say how modules are read, such as TypeScript's. */
function readers(args: readonly string[]): string[] {
  const names = /^(?:--import|--require|-r|--loader|--experimental-loader|--conditions|-C)(=|$)/
  return args.flatMap((arg, at) => {
    const [, assigned] = names.exec(arg) ?? []
    if (assigned === undefined) return []
    return assigned === '=' ? [arg] : [arg, args[at + 1] ?? '']
  })
}

/** Read to the end, that it never waits for a reader, and kept in part. */
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
