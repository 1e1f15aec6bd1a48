// The one connection to Redis (or Valkey), and the scripts run over it. Every command is short or fails; while Redis is down
// nothing is sent. No breaker library is used: opossum and cockatiel count failures of calls, while this breaker is the
// state of one connection, and half-open means that a new connection passed `prepare`.
import { createHash } from 'node:crypto'
import { ErrorReply, RESP_TYPES, type RedisArgument } from '@redis/client'
import { withTimeout } from '../../timeout.ts'
import { addressOf, hasHashTag, type RedisAddress, type RedisNode, type RedisPlace } from '../redis_place.ts'
import { StoreError } from '../store.ts'
import { openClient, type RedisClient } from './client.ts'
import { codeOf, isOfServer, movedTo, sentenceOf } from './error_replies.ts'
import { isWhole, type KeyOf, keysUnder, Misread, usual_prefix } from './protocol.ts'
import { findPrimary } from './sentinel.ts'

/** Milliseconds that a command may take: a request waits for several of them. */
const commandMs = 250
/** Consecutive failed commands after which the connection is dropped. The end of the connection drops it at once. */
const failuresMax = 5
/** Milliseconds between attempts to reconnect, and that one attempt may take. */
const probe_ms = 1_000
/** Nodes of a cluster that one attempt follows: the first may not know yet which node has just taken over the keys. */
const redirects_max = 5

/**
 * Redis cannot be reached, did not reply in time, sent a reply that is not valid, or can or may not execute the command. The
 * command may have been executed.
 */
export class RedisDown extends Error {
  override readonly name = 'RedisDown'
}

/** Nothing was sent, because Redis is down. */
export class RedisUnreached extends RedisDown {}

/** Redis works, but the user may not execute the command, or the cluster cannot. */
export class RedisRefuses extends RedisDown {}

export type { RedisClient }

export type RunCommand = <T>(command: (client: RedisClient) => Promise<T>, options?: RunOptions) => Promise<T>

/** The same, with the texts of replies as their octets. */
export const withBuffers =
  (run: RunCommand): RunCommand =>
  (command, options) =>
    run(
      client => command(client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer }) as unknown as typeof client),
      options,
    )

export interface RunOptions {
  /** The service works without it: that the user has no right to it is not reported. */
  readonly is_optional?: boolean
}

export type Run = RunCommand & { readonly key: KeyOf }

export interface RedisLink {
  /** Whether commands are sent. */
  readonly up: boolean
  /** Why no commands are sent, for people; without meaning while they are. */
  readonly reason: string
  /** Commands without a reply, since the start. */
  readonly failures: number
  /** Why this release must not use this Redis, as `prepare` found; null when it may. */
  readonly refused: StoreError | null
  /** Rejects with `RedisDown`, at once while Redis is down, or with the error that Redis replied. */
  readonly run: Run
  /**
   * Makes one attempt, or up to so many that take the nodes in turn, then retries every second. An attempt takes little more than a
   * second. Never rejects.
   */
  start(attempts?: number): Promise<void>
  close(): void
}

export interface LinkOptions extends RedisPlace {
  /** Consecutive commands without a reply after which the connection is dropped; five unless given. */
  readonly failures_max?: number
  /** Runs after each connect, before any other command. A StoreError refuses this Redis. */
  readonly prepare?: (run: Run) => Promise<void>
  /**
   * Called once when Redis goes down and once when it comes back. `why` never holds the URL, which may hold a password;
   * `detail` is a sentence, if there is one.
   */
  readonly changed?: (up: boolean, why: string, detail: string | null) => void
  /** Called once for each connection and code when Redis refuses commands that the service needs. */
  readonly denied?: (why: string, detail: string | null) => void
}

export function createLink(options: LinkOptions): RedisLink {
  const { url, command_ms = commandMs, failures_max = failuresMax, prefix = usual_prefix } = options
  const { prepare = async () => {}, changed = () => {}, denied = () => {} } = options
  const address = addressOf(url)
  const key = keysUnder(prefix)
  let client: RedisClient | null = null
  /** Where the client is connected to, and where the keys are now, if a node of a cluster has said so. */
  let node: RedisNode | null = null
  let redirect: RedisNode | null = null
  /** Attempts to connect, which take the nodes in turn. */
  let attempts = 0
  let up = false
  let consecutive = 0
  let failures = 0
  let timer: NodeJS.Timeout | undefined
  let closed = false
  let reported: boolean | null = null
  let reason = 'not connected yet'
  let refused: StoreError | null = null
  /** Why the connection that an attempt makes has ended. */
  let interruption: unknown
  const reportedCodes = new Set<string>()

  function report(now: boolean, why: string): void {
    if (reported !== now) changed(now, why, sentenceOf(why))
    reported = now
  }

  async function connect(): Promise<void> {
    for (let left = redirects_max; left >= 0 && !closed; left--) {
      const fault = await attempt()
      if (fault === null) return
      redirect = left > 0 ? placeAfter(fault) : null
      if (redirect === null) return down(whyOf(fault))
    }
  }

  /** Resolves with why it failed; null when it did not. */
  async function attempt(): Promise<unknown> {
    try {
      node = redirect ?? (await locate(address))
      redirect = null
      const opened = openClient(options, address, node, probe_ms)
      client = opened
      consecutive = 0
      interruption = undefined
      reportedCodes.clear()
      opened.on('error', (fault: Error) => drop(opened, fault))
      await answered(opened.connect(), probe_ms)
      if ((await answered(opened.ping(), command_ms)) !== 'PONG') throw new Misread('the server is not Redis')
      await answered(findSlot(opened), command_ms)
      await prepare(runner((command, options) => send(opened, command, options)))
      refused = null
      if (client !== opened) throw interruption ?? new RedisDown('the connection ended')
      up = true
      report(true, 'connected')
      return null
    } catch (fault) {
      discard()
      const why = unfit(fault instanceof StoreError ? fault : (interruption ?? fault))
      if (why instanceof StoreError) refused = why
      return why
    }
  }

  async function locate(address: RedisAddress): Promise<RedisNode> {
    attempts += 1
    if (address.primary !== null) return findPrimary(options, address, probe_ms)
    return address.nodes[(attempts - 1) % address.nodes.length] as RedisNode
  }

  /** Asks for two keys: a cluster refuses them unless they share a slot, and says which node holds it. */
  async function findSlot(opened: RedisClient): Promise<void> {
    try {
      const reply = await opened.exists([key('layout'), key('epoch')])
      if (!isWhole(reply)) throw new Misread('the server is not Redis')
    } catch (fault) {
      // What the user lacks shows at the first command that the service needs.
      if (codeOf(fault) !== 'NOPERM') throw fault
    }
  }

  /** A cluster is not followed from node to node when each of them holds some of the keys. */
  function unfit(fault: unknown): unknown {
    const code = codeOf(fault)
    const isScattered = code === 'CROSSSLOT' || (code === 'MOVED' && !hasHashTag(prefix))
    return isScattered ? new StoreError('store_unavailable', sentenceOf('CROSSSLOT') ?? '', fault) : fault
  }

  /** The node that holds the keys, if this is what the fault says. Without a host, it is another port of the same. */
  function placeAfter(fault: unknown): RedisNode | null {
    const moved = movedTo(fault)
    return moved === null ? null : { host: moved.host || (node?.host ?? ''), port: moved.port }
  }

  function discard(): void {
    if (client?.isOpen) client.destroy()
    client = null
  }

  function down(why: string): void {
    if (closed) return
    clearTimeout(timer)
    timer = setTimeout(connect, redirect === null ? probe_ms : 0).unref()
    up = false
    reason = described(why)
    report(false, why)
  }

  /** Closes a connection with all its pending commands, and reconnects after a moment. */
  function drop(dropped: RedisClient, fault: unknown): void {
    if (dropped !== client) return
    discard()
    if (!up) {
      interruption ??= fault
      return
    }
    redirect = placeAfter(fault)
    down(whyOf(fault))
  }

  async function send<T>(
    current: RedisClient,
    command: (client: RedisClient) => Promise<T>,
    { is_optional = false }: RunOptions = {},
  ): Promise<T> {
    try {
      const reply = await answered(command(current), command_ms)
      consecutive = 0
      return reply
    } catch (fault) {
      const code = codeOf(fault)
      const replied = fault instanceof ErrorReply
      if (replied && code === null) throw fault
      if (code !== null && !isOfServer(code)) {
        if (!is_optional && !reportedCodes.has(code)) denied(code, sentenceOf(code))
        if (!is_optional) reportedCodes.add(code)
        throw new RedisRefuses(`Redis refuses: ${described(code)}`, { cause: fault })
      }
      failures += 1
      consecutive += 1
      // A former primary may have a successor at the same address, which only a new connection reaches.
      if (replied || fault instanceof TypeError) drop(current, fault)
      else if (consecutive >= failures_max) drop(current, fault)
      if (fault instanceof RedisDown) throw fault
      throw new RedisDown(replied ? `Redis refuses: ${described(whyOf(fault))}` : 'the connection ended', {
        cause: fault,
      })
    }
  }

  const runner = (run: RunCommand): Run => Object.assign(run, { key })

  return {
    run: runner(async (command, options) => {
      if (client === null || !up) throw new RedisUnreached(`Redis is down: ${reason}`)
      return send(client, command, options)
    }),
    async start(attempts = 1) {
      for (let left = attempts; left > 0 && !up && !closed; left--) {
        clearTimeout(timer)
        await connect()
      }
    },
    close() {
      closed = true
      up = false
      clearTimeout(timer)
      discard()
    },
    get up() {
      return up
    },
    get reason() {
      return reason
    },
    get failures() {
      return failures
    },
    get refused() {
      return refused
    },
  }
}

/** The words of an error reply before anything it may quote, such as a password. */
const words = /^[\w ]{0,60}/

/** A name for the log, because messages hold addresses. */
function whyOf(fault: unknown): string {
  if (fault instanceof ErrorReply) return codeOf(fault) ?? words.exec(fault.message)?.[0].trim() ?? ''
  if (fault instanceof RedisDown) return codeOf(fault.cause) ?? 'not_answered'
  if (fault instanceof StoreError) return codeOf(fault.cause) === null ? fault.code : 'CROSSSLOT'
  return fault instanceof Error ? String((fault as NodeJS.ErrnoException).code ?? fault.constructor.name) : 'unknown'
}

/** With the sentence, if there is one. */
const described = (why: string): string => {
  const sentence = sentenceOf(why)
  return sentence === null ? why : `${sentence} (${why})`
}

const answered = <T>(work: Promise<T>, ms: number): Promise<T> =>
  withTimeout(work, ms, () => {
    throw new RedisDown(`no reply within ${ms} ms`)
  })

/** Runs a script with its keys and arguments; resolves with its reply. */
export type Script<Reply> = (run: RunCommand, keys: readonly string[], args: readonly RedisArgument[]) => Promise<Reply>

/**
 * A script runs in Redis as a whole or not at all. Redis knows it by its digest until it restarts, and then gets the text
 * again. `isReply` distinguishes a reply of the script from one that only a broken server sends.
 */
export function script<Reply>(text: string, isReply: (reply: unknown) => boolean = () => true): Script<Reply> {
  const digest = createHash('sha1').update(text).digest('hex')
  return (run, keys, args) =>
    run(async (client: RedisClient) => {
      const options = { keys: [...keys], arguments: [...args] }
      const reply: unknown = await client.evalSha(digest, options).catch((fault: unknown) => {
        if (!(fault instanceof Error) || !fault.message.startsWith('NOSCRIPT')) throw fault
        return client.eval(text, options)
      })
      if (!isReply(reply)) throw new Misread('unexpected reply of a script')
      return reply as Reply
    })
}
