// The one connection to Redis (or Valkey), and the scripts run over it. Every command is short or fails; while Redis is down
// nothing is sent. No breaker library is used: opossum and cockatiel count failures of calls, while this breaker is the
// state of one connection, and half-open means that a new connection passed `prepare`.
import { createHash } from 'node:crypto'
import { isIP } from 'node:net'
import { createClient, ErrorReply, type RedisArgument } from '@redis/client'
import { withTimeout } from '../../timeout.ts'
import { StoreError } from '../store.ts'
import { Misread, withBoundReplies } from './protocol.ts'

/** Milliseconds that a command may take: a request waits for several of them. */
const commandMs = 250
/** Consecutive failed commands after which the connection is dropped. The end of the connection drops it at once. */
const failures_max = 5
/** Milliseconds between attempts to reconnect, and that one attempt may take. */
const probe_ms = 1_000
/** Commands in flight; beyond that a request is better refused. */
const commands_max = 20_000

/** Redis cannot be reached, did not reply in time, or sent a reply that is not valid. The command may have been executed. */
export class RedisDown extends Error {
  override readonly name = 'RedisDown'
}

/** The client does not send a server name (RFC 6066 section 3), which servers with several certificates need. */
function serverName(url: string): { readonly tls?: true; readonly servername?: string } {
  const { protocol, hostname } = new URL(url)
  return protocol === 'rediss:' && !hostname.startsWith('[') && isIP(hostname) === 0
    ? { tls: true, servername: hostname }
    : {}
}

const open = (url: string) =>
  withBoundReplies(() =>
    createClient({
      url,
      // Every compatible server understands RESP 2, including Valkey.
      RESP: 2,
      disableOfflineQueue: true,
      disableClientInfo: true,
      commandsQueueMaxLength: commands_max,
      // This module reconnects by itself, so that only one attempt is in flight and none is forgotten.
      socket: {
        connectTimeout: probe_ms,
        reconnectStrategy: false,
        keepAlive: true,
        noDelay: true,
        ...serverName(url),
      },
    }),
  )

export type RedisClient = ReturnType<typeof open>

export type Run = <T>(command: (client: RedisClient) => Promise<T>) => Promise<T>

export interface RedisLink {
  /** Whether commands are sent. */
  readonly up: boolean
  /** Commands without a reply, since the start. */
  readonly failures: number
  /** Why this release must not use this Redis, as `prepare` found; null when it may. */
  readonly refused: StoreError | null
  /** Rejects with `RedisDown`, at once while Redis is down, or with the error that Redis replied. */
  readonly run: Run
  /** Makes one attempt, which takes little more than a second, then retries every second. Never rejects. */
  start(): Promise<void>
  close(): void
}

export interface LinkOptions {
  readonly url: string
  /** Milliseconds that a command may take; 250 by default. */
  readonly command_ms?: number | undefined
  /** Runs after each connect, before any other command. A StoreError refuses this Redis. */
  readonly prepare?: (run: Run) => Promise<void>
  /** Called once when Redis goes down and once when it comes back. `why` never holds the URL, which may hold a password. */
  readonly changed?: (up: boolean, why: string) => void
}

export function createLink(options: LinkOptions): RedisLink {
  const { url, command_ms = commandMs, prepare = async () => {}, changed = () => {} } = options
  let client: RedisClient | null = null
  let up = false
  let consecutive = 0
  let failures = 0
  let timer: NodeJS.Timeout | undefined
  let closed = false
  let reported: boolean | null = null
  let reason = 'not connected yet'
  let refused: StoreError | null = null

  function report(now: boolean, why: string): void {
    if (reported !== now) changed(now, why)
    reported = now
  }

  async function connect(): Promise<void> {
    const fresh = open(url)
    fresh.on('error', (fault: Error) => drop(fresh, whyOf(fault)))
    client = fresh
    consecutive = 0
    try {
      await answered(fresh.connect(), probe_ms)
      if ((await answered(fresh.ping(), command_ms)) !== 'PONG') throw new Misread('the server is not Redis')
      await prepare(command => send(fresh, command))
      refused = null
      if (client !== fresh) return
      up = true
      report(true, 'connected')
    } catch (fault) {
      if (fault instanceof StoreError) refused = fault
      drop(fresh, whyOf(fault))
    }
  }

  /** Closes a connection with all its pending commands, and reconnects after a moment. */
  function drop(dropped: RedisClient, why: string): void {
    if (dropped !== client) return
    client = null
    if (dropped.isOpen) dropped.destroy()
    if (closed) return
    timer = setTimeout(connect, probe_ms).unref()
    up = false
    reason = why
    report(false, why)
  }

  async function send<T>(current: RedisClient, command: (client: RedisClient) => Promise<T>): Promise<T> {
    try {
      const reply = await answered(command(current), command_ms)
      consecutive = 0
      return reply
    } catch (fault) {
      const replied = fault instanceof ErrorReply
      if (replied && incapacityOf(fault) === null) throw fault
      failures += 1
      consecutive += 1
      // A former master may have a successor at the same address, which only a new connection reaches.
      if (replied || fault instanceof TypeError) drop(current, whyOf(fault))
      else if (consecutive >= failures_max) drop(current, 'not_answered')
      if (fault instanceof RedisDown) throw fault
      throw new RedisDown(replied ? `Redis replied ${whyOf(fault)}` : 'the connection ended', { cause: fault })
    }
  }

  return {
    run: async command => {
      if (client === null || !up) throw new RedisDown(`Redis is down (${reason})`)
      return send(client, command)
    },
    start: connect,
    close() {
      closed = true
      up = false
      clearTimeout(timer)
      if (client?.isOpen) client.destroy()
      client = null
    },
    get up() {
      return up
    },
    get failures() {
      return failures
    },
    get refused() {
      return refused
    },
  }
}

/** Error replies of a server that can execute no command at present: it loads its data, is a replica, is full, ... */
const INCAPACITY =
  /^(?:ERR Error running script .*: -)?(LOADING|MASTERDOWN|CLUSTERDOWN|READONLY|OOM|MISCONF|NOREPLICAS|BUSY|NOAUTH)\b/

/** Null when Redis refused only this command. Before version 7 the error of a script quotes the error of its command. */
const incapacityOf = ({ message }: ErrorReply): string | null => INCAPACITY.exec(message)?.[1] ?? null

/** The words of an error reply before anything it may quote, such as a password. */
const words = /^[\w ]{0,60}/

/** A name for the log, because messages hold addresses. */
function whyOf(fault: unknown): string {
  if (fault instanceof ErrorReply) return incapacityOf(fault) ?? words.exec(fault.message)?.[0].trim() ?? ''
  if (fault instanceof RedisDown) return 'not_answered'
  return fault instanceof Error ? String((fault as NodeJS.ErrnoException).code ?? fault.constructor.name) : 'unknown'
}

const answered = <T>(work: Promise<T>, ms: number): Promise<T> =>
  withTimeout(work, ms, () => {
    throw new RedisDown(`no reply within ${ms} ms`)
  })

/** Runs a script with its keys and arguments; resolves with its reply. */
export type Script<Reply> = (run: Run, keys: readonly string[], args: readonly RedisArgument[]) => Promise<Reply>

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
