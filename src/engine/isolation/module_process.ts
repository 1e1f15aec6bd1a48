// The process of one third-party module: started with limits that the operating system and Node's permission model enforce,
// asked numbered questions, and ended when it says anything else than the protocol allows.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import { onAbort } from '../../base/abort.ts'
import { moduleFile, packageRoot } from '../../base/package_root.ts'
import { Unavailable } from '../../evidence/facts.ts'
import { BrokenPlugin } from '../explained.ts'
import { needsThread } from '../own_package.ts'
import {
  ANSWERS_FD,
  type AnswerMessage,
  type CallMessage,
  LINE_BYTES,
  lineReader,
  openCalls,
  thrownErrorOf,
} from './protocol.ts'
import type { Relay } from './relay.ts'

/** MiB for objects: several times the need of a plugin with the largest evidence. */
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

/** The user `nobody`, which runs the process if the service runs as root: root may read and signal everything. */
const NOBODY = 65_534

const SHELL = '/bin/sh'
const hasShell = existsSync(SHELL)
/** Sets the limit, or exits, and runs the command that follows; disables core dumps. */
const LIMITS_COMMAND = `unset PWD; ulimit -c 0; ulimit -d ${(DATA_MIB + CODE_MIB * (hasThread ? 2 : 1)) * 1024} || exit 1; exec "$@"`
/** Other platforms do not enforce the data limit, or have no such shell. */
const isBounded = process.platform === 'linux' && hasShell
/**
 * Kills the process with all of its group when the process has ended, which closes the pipe, or the service has, even by a crash.
 * Node's `process.kill` is not used: plugins in the service's process must not call it, so it throws there.
 */
const WATCH = 'read _; kill -s KILL -- "-$0"'

/** Octets kept of standard error: the engine's fatal error comes first. */
const LAST_WORDS_BYTES = 8 * 1024
/** Characters of it that are reported. */
const WORDS = 200

/** Milliseconds to read the last output; programs that the process started may hold its streams open for ever. */
const AFTER_EXIT_MS = 500

/** Octets that wait for a process that does not read: several of the largest evidence. */
const BACKLOG_BYTES = 32 * 1024 * 1024
/** Late messages allowed for each call: a few may be on their way when a check ends. */
const STRAYS = 32

/** A gatherer's check: takes its requests, until the signal ends it. */
export interface Check {
  readonly relay: Relay
  readonly signal: AbortSignal
}

/** A process that may read some files and folders only. It ends with the process that started it. */
export class ModuleProcess {
  /** Resolves with the reason when it has ended, also when it could not be started. */
  readonly ended: Promise<Error>
  readonly #child: ChildProcess | null
  /** Kills the programs that the process started when it ends, and the process too if the service crashes. */
  readonly #watch: ChildProcess | null
  readonly #relays = new Map<number, Relay>()
  readonly #calls = openCalls(message => this.#send(message))
  #strays = 0
  #fault: Error | undefined

  /** `reads` are the files and folders. */
  constructor(reads: readonly string[]) {
    let resolveEnded: (why: Error) => void = () => {}
    this.ended = new Promise(resolve => {
      resolveEnded = resolve
    })
    const conclude = (how: string) => {
      this.#fault ??= hasEnded(how)
      this.#watch?.stdin?.end()
      this.#calls.fail(this.#fault)
      resolveEnded(this.#fault)
    }
    const [command, args, options] = commandFor(reads)
    this.#child = tryToStart(command, args, options, conclude)
    this.#watch = this.#watchOver()
    const answers = this.#child?.stdio?.[ANSWERS_FD] as Socket | undefined
    const tooLong = () => this.#break(`answered with more than ${LINE_BYTES} octets`)
    answers?.on(
      'data',
      lineReader(LINE_BYTES, line => this.#take(line), tooLong),
    )
    for (const stream of this.#streams()) stream.on('error', () => {})
    const lastWords = keepWords(this.#child)
    this.#child?.once('exit', () => {
      this.#watch?.stdin?.end()
      setTimeout(() => this.#child?.stdio.forEach(stream => void stream?.destroy()), AFTER_EXIT_MS).unref()
    })
    this.#child?.once('close', (code, signal) => conclude(howItEnded(code, signal, lastWords())))
  }

  /**
   * The answer, not validated. Rejects with the module's error, and with `BrokenPlugin` when the process ends.
   */
  async call(name: string, argument: unknown, check?: Check): Promise<unknown> {
    const { call, answer } = this.#calls.ask(name, argument)
    if (check === undefined) return answer
    this.#relays.set(call, check.relay)
    const unsubscribe = onAbort(check.signal, () => {
      this.#calls.fail(new Unavailable('cancelled'), call)
      if (this.#fault === undefined) this.#send({ over: call })
    })
    try {
      return await answer
    } finally {
      unsubscribe()
      this.#relays.delete(call)
    }
  }

  /** Kills the process at once, and then the programs that it started; pending calls fail with the error. */
  end(why: Error): void {
    this.#fault ??= why
    this.#child?.kill('SIGKILL')
  }

  /** Lets the service exit without waiting for it. */
  unref(): void {
    for (const one of [this.#child, this.#watch]) one?.unref()
    for (const stream of this.#streams()) stream.unref()
  }

  /** Null where there is no shell: there, a process that computes without end outlives a service that crashes. */
  #watchOver(): ChildProcess | null {
    const pid = this.#child?.pid
    if (!hasShell || pid === undefined) return null
    const refuse = (how: string) => this.end(hasEnded(how))
    const options: SpawnOptions = { env: {}, detached: true, stdio: ['pipe', 'ignore', 'ignore'] }
    return tryToStart(SHELL, ['-c', WATCH, `${pid}`], options, refuse)
  }

  #streams(): Socket[] {
    const all = [this.#child, this.#watch].flatMap(one => one?.stdio ?? [])
    return all.filter(stream => stream !== null && stream !== undefined) as Socket[]
  }

  #break(how: string): void {
    this.end(hasEnded(how))
  }

  #send(message: object): void {
    this.#sendLine(JSON.stringify(message))
  }

  #sendLine(line: string): void {
    if (this.#fault !== undefined) throw this.#fault
    const input = this.#child?.stdin
    input?.write(`${line}\n`)
    if ((input?.writableLength ?? 0) > BACKLOG_BYTES) this.#break('does not read its input')
  }

  #take(line: string): void {
    if (this.#fault !== undefined) return
    try {
      const message = readMessage(line)
      if ('answer' in message) {
        if (!this.#calls.settle(message)) this.#countStray(message.answer)
        return
      }
      const { call, of, name, given } = message
      const relay = this.#relays.get(of as number)
      if (relay === undefined) this.#countStray(of)
      relay?.take(call, name, given, line.length).then(
        answer => this.#reply(of, answer),
        error => this.#reply(of, JSON.stringify({ answer: call, error: thrownErrorOf(error) })),
      )
    } catch (error) {
      this.#break(error instanceof Error ? error.message : String(error))
    }
  }

  #reply(of: number | undefined, line: string): void {
    if (this.#fault === undefined && this.#relays.has(of as number)) this.#sendLine(line)
  }

  /** Throws for an answer to an unknown call, and for too many late answers. */
  #countStray(about: unknown): void {
    if (typeof about !== 'number' || !(about <= this.#calls.last())) throw new Error('answered an unknown request')
    this.#strays += 1
    if (this.#strays > this.#calls.last() * STRAYS) throw new Error('sent more answers than it got requests')
  }
}

/** The process ended: out of memory, by itself, or because it sent a forbidden message. */
const hasEnded = (how: string) => new BrokenPlugin('plugin_ended', how)

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

function commandFor(reads: readonly string[]): [command: string, args: readonly string[], options: SpawnOptions] {
  const node = [process.execPath, ...LIMIT_ARGUMENTS, ...permissions(reads), moduleFile('src/engine/isolation/child')]
  const [command = '', ...args] = isBounded ? [SHELL, '-c', LIMITS_COMMAND, SHELL, ...node] : node
  const options: SpawnOptions = {
    // Passes no secrets or settings of the service.
    env: { TMPDIR: tmpdir() },
    cwd: packageRoot,
    // A session and a group of its own: no signals of the service's terminal, and what it starts is killed with it.
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
    ...(process.getuid?.() === 0 && { uid: NOBODY, gid: NOBODY }),
  }
  return [command, args, options]
}

/**
 * A refusal of the system reaches `refuse` however Node reports it: it throws (ENOMEM), or emits an error from a process
 * without an id (ENOENT, EACCES, EAGAIN), which may lack streams too (EMFILE). Null in the first case.
 */
function tryToStart(
  command: string,
  args: readonly string[],
  options: SpawnOptions,
  refuse: (how: string) => void,
): ChildProcess | null {
  const onError = ({ message }: Error) => refuse(`cannot be started: ${message}`)
  try {
    return spawn(command, args, options).on('error', onError)
  } catch (error) {
    // As with the others, after the constructor.
    queueMicrotask(() => onError(error as Error))
    return null
  }
}

const LIMIT_ARGUMENTS: readonly string[] = [
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
    const [, variable] = names.exec(arg) ?? []
    if (variable === undefined) return []
    return variable === '=' ? [arg] : [arg, args[at + 1] ?? '']
  })
}

/** Reads standard error to the end, so that the process never blocks, and keeps a part of it. */
function keepWords(child: ChildProcess | null): () => string {
  let words = ''
  const stderr = child?.stderr
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
