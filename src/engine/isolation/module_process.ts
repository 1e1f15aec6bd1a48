// The process of one third-party module: started with limits that the operating system and Node's permission model enforce,
// asked numbered questions, and ended when it says anything else than the protocol allows.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import { onAbort } from '../../base/abort.ts'
import { moduleFile, packageRoot } from '../../base/package_root.ts'
import { Unavailable } from '../../evidence/facts.ts'
import { Broken } from '../explained.ts'
import { needsThread } from '../own_package.ts'
import {
  ANSWERS_FD,
  type AnswerMessage,
  type CallMessage,
  LINE_BYTES,
  lineReader,
  openCalls,
  thrown,
} from './protocol.ts'
import type { Relay } from './relay.ts'

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
/** MiB that Node 24 reserves as writable for the code of each thread, and hardly uses. */
const CODE_MIB = Number.parseInt(process.versions.node, 10) >= 24 ? 512 : 0
/** Threads for garbage collection and compilation; there are several such processes. */
const POOL = 1
/** The arguments of this process that control how modules are loaded, such as TypeScript loaders. */
const loaders = loadersOf(process.execArgv)
/** Whether modules are found and loaded by a thread: for TypeScript, and in Node 20 for `assay/plugin`. */
const hasThread = needsThread || loaders.length > 0

/** The user `nobody`, whom a service of root makes the owner of the process: root itself may read and signal everything. */
const NOBODY = 65_534

const SHELL = '/bin/sh'
const hasShell = existsSync(SHELL)
/** Sets the limit, or exits, and runs the command that follows; disables core dumps. */
const BOUND = `unset PWD; ulimit -c 0; ulimit -d ${(DATA_MIB + CODE_MIB * (hasThread ? 2 : 1)) * 1024} || exit 1; exec "$@"`
/** Other platforms do not enforce the data limit, or have no such shell. */
const isBounded = process.platform === 'linux' && hasShell
/** Kills the process when the service has ended, even by a crash: its end of the pipe closes then. */
const WATCH = 'read _; kill -9 "$0"'

/** Octets kept of standard error: the engine's fatal error comes first. */
const LAST_WORDS_BYTES = 8 * 1024
/** Characters of it that are reported. */
const WORDS = 200

/** Octets that wait for a process that does not read: several of the largest evidence. */
const BACKLOG_BYTES = 32 * 1024 * 1024
/** Messages about what is over for each call: a few may be on their way when a check ends. */
const STRAYS = 32

/** A gatherer's check: takes its requests, until the signal ends it. */
export interface Check {
  readonly relay: Relay
  readonly signal: AbortSignal
}

export interface ModuleProcess {
  /**
   * The answer, which is not validated. Rejects with what the module throws, and with `Broken` when the process ends.
   */
  call(name: string, given: unknown, check?: Check): Promise<unknown>
  /** Kills the process at once; what it was asked fails with the error. */
  end(why: Error): void
  /** Lets the service exit without waiting for it. */
  unref(): void
  /** Resolves when it has ended. */
  readonly ended: Promise<void>
}

/** Starts a process that may read these files and folders. It ends with the process that started it. */
export function startModuleProcess(reads: readonly string[]): ModuleProcess {
  const child = begin(reads)
  const watch = watchOver(child)
  const answers = child.stdio[ANSWERS_FD] as Socket
  const relays = new Map<number, Relay>()
  const calls = openCalls(send)
  let strays = 0
  let fault: Error | undefined

  function giveUp(why: Error): void {
    fault ??= why
    child.kill('SIGKILL')
  }
  const broken = (error: unknown) => giveUp(hasEnded(error instanceof Error ? error.message : String(error)))

  function send(message: object): void {
    sendLine(JSON.stringify(message))
  }
  function sendLine(line: string): void {
    if (fault !== undefined) throw fault
    child.stdin?.write(`${line}\n`)
    if ((child.stdin?.writableLength ?? 0) > BACKLOG_BYTES) broken('does not read what it is sent')
  }

  function take(line: string): void {
    if (fault !== undefined) return
    try {
      const message = readMessage(line)
      if ('answer' in message) {
        if (!calls.settle(message)) stray(message.answer)
        return
      }
      const { call, of, name, given } = message
      const relay = relays.get(of as number)
      if (relay === undefined) stray(of)
      relay?.take(name, given, line.length).then(
        value => reply(of, `{"answer":${call},"value":${value}}`),
        error => reply(of, JSON.stringify({ answer: call, error: thrown(error) })),
      )
    } catch (error) {
      broken(error)
    }
  }
  function reply(of: number | undefined, line: string): void {
    if (fault === undefined && relays.has(of as number)) sendLine(line)
  }
  function stray(about: unknown): void {
    if (typeof about !== 'number' || !(about <= calls.last()))
      throw new Error('answered a question that it was not asked')
    strays += 1
    if (strays > calls.last() * STRAYS) throw new Error('answered more than it was asked')
  }

  answers.on(
    'data',
    lineReader(LINE_BYTES, take, () => broken(`answered with more than ${LINE_BYTES} octets`)),
  )
  for (const stream of [child.stdin, answers, watch?.stdin]) stream?.on('error', () => {})
  const lastWords = keepWords(child)
  const ended = new Promise<void>(resolve => {
    const conclude = (how: string) => {
      fault ??= hasEnded(how)
      watch?.kill('SIGKILL')
      calls.fail(fault)
      resolve()
    }
    child.once('error', ({ message }) => conclude(`cannot be started: ${message}`))
    child.once('exit', () => watch?.kill('SIGKILL'))
    child.once('close', (code, signal) => conclude(howItEnded(code, signal, lastWords())))
  })

  return {
    async call(name, given, check) {
      const { call, answer } = calls.ask(name, given)
      if (check === undefined) return answer
      relays.set(call, check.relay)
      const unsubscribe = onAbort(check.signal, () => {
        calls.fail(new Unavailable('cancelled'), call)
        if (fault === undefined) send({ over: call })
      })
      try {
        return await answer
      } finally {
        unsubscribe()
        relays.delete(call)
      }
    },
    end: giveUp,
    unref() {
      for (const one of [child, watch]) {
        one?.unref()
        for (const stream of one?.stdio ?? []) (stream as Socket | null)?.unref()
      }
    },
    ended,
  }
}

/** The process ended: out of memory, by itself, or because it said what it must not. */
const hasEnded = (how: string) => new Broken('plugin_ended', how)

function readMessage(line: string): CallMessage | AnswerMessage {
  let message: unknown
  try {
    message = JSON.parse(line)
  } catch {
    throw new Error('answered with invalid JSON')
  }
  const isMessage = typeof message === 'object' && message !== null && ('answer' in message || 'of' in message)
  if (!isMessage) throw new Error('answered with an unknown message')
  return message as CallMessage | AnswerMessage
}

function begin(reads: readonly string[]): ChildProcess {
  const node = [process.execPath, ...limits, ...permissions(reads), moduleFile('src/engine/isolation/child')]
  const [command = '', ...args] = isBounded ? [SHELL, '-c', BOUND, SHELL, ...node] : node
  return spawn(command, args, {
    // Passes no secrets or settings of the service.
    env: { TMPDIR: tmpdir() },
    cwd: packageRoot,
    // Detached from the service's terminal signals.
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
    ...(process.getuid?.() === 0 && { uid: NOBODY, gid: NOBODY }),
  })
}

/** Where there is no shell, a process that computes without end outlives a service that crashes. */
const watchOver = ({ pid }: ChildProcess): ChildProcess | null =>
  hasShell && pid !== undefined
    ? spawn(SHELL, ['-c', WATCH, `${pid}`], { env: {}, detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
    : null

const limits: readonly string[] = [
  `--max-old-space-size=${HEAP_MIB}`,
  `--max-semi-space-size=${YOUNG_MIB}`,
  `--stack-size=${STACK_KIB}`,
  `--v8-pool-size=${POOL}`,
  '--no-warnings',
]

const knows = (flag: string): boolean => process.allowedNodeEnvironmentFlags.has(flag)

/** This package's own code. The rest of its folder may hold a configuration and data. */
const own = ['dist', 'src', 'plugins', 'node_modules', 'package.json'].map(name => join(packageRoot, name))

function permissions(reads: readonly string[]): string[] {
  // A loader of TypeScript starts a program and a thread, looks for settings in the package, also in capitals to learn
  // whether the file system minds, and caches its output.
  const cache = join(tmpdir(), 'tsx-*')
  const looks = loaders.length > 0 ? [packageRoot, packageRoot.toUpperCase(), cache] : []
  const forLoaders = ['--allow-child-process', `--allow-fs-write=${cache}`, ...loaders]
  return [
    knows('--permission') ? '--permission' : '--experimental-permission',
    ...outermost([...own, ...reads, ...looks]).map(path => `--allow-fs-read=${path}`),
    // Statements of SQLite open any file, whatever the permissions.
    ...(knows('--no-experimental-sqlite') ? ['--no-experimental-sqlite'] : []),
    // A thread does not have the permissions of its process.
    ...(hasThread ? ['--allow-worker'] : []),
    ...(loaders.length > 0 ? forLoaders : []),
  ]
}

/** Without paths below others and without repetitions, which Node 20 does not survive. */
const outermost = (paths: readonly string[]): string[] =>
  [...new Set(paths)].filter(path => !paths.some(other => path.startsWith(`${other}${sep}`)))

function loadersOf(args: readonly string[]): string[] {
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
