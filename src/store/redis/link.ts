// The one connection to Redis (or Valkey): every command is short or fails, and while Redis is out nothing is sent at all.
import { isIP } from 'node:net'
import { createClient, ErrorReply } from '@redis/client'
import { inTime } from '../in_time.ts'
import { Misread } from './reply.ts'
import { withBoundReplies } from './reply_bound.ts'

/** Milliseconds a command may take: a request waits for several of them. */
const commandMs = 250
/** Commands in a row that fail before the connection is given up; the connection's own end gives it up at once. */
const failures_max = 5
/** Milliseconds between attempts to reach Redis again, and that one attempt may take. */
const probe_ms = 1_000
/** Commands under way; beyond that a request is better refused. */
const commands_max = 20_000

/** Redis cannot be reached, did not answer in time, or not as Redis does: whether the command was carried out is not known. */
export class RedisDown extends Error {
  override readonly name = 'RedisDown'
}

/** What a server that has several certificates chooses by (RFC 6066 section 3), and the client does not send; no address is one. */
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
      // Understood by every server of the kind, Valkey included.
      RESP: 2,
      disableOfflineQueue: true,
      disableClientInfo: true,
      commandsQueueMaxLength: commands_max,
      // Attempts are made here, so that one at a time is under way and none is forgotten.
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
  /** Whether commands are let through. */
  readonly up: boolean
  /** Commands that were not answered, since the start. */
  readonly failures: number
  /** Rejects with `RedisDown`, at once while Redis is out, or with what Redis said against the command. */
  readonly run: Run
  /** Makes one attempt, of little more than a second; goes on trying once a second. Never rejects. */
  start(): Promise<void>
  close(): void
}

export interface LinkOptions {
  readonly url: string
  /** Milliseconds that a command may take, 250 when absent. */
  readonly command_ms?: number | undefined
  /** Run each time Redis is reached, before anything else is let through. */
  readonly prepare?: (run: Run) => Promise<void>
  /** Told when Redis goes and comes, once each; never with the URL, which may hold a password. */
  readonly changed?: (up: boolean, why: string) => void
}

export function createLink(options: LinkOptions): RedisLink {
  const { url, command_ms = commandMs, prepare = async () => {}, changed = () => {} } = options
  let client: RedisClient | null = null
  let up = false
  let row = 0
  let failures = 0
  let timer: NodeJS.Timeout | undefined
  let closed = false
  let told: boolean | null = null
  let reason = 'not reached yet'

  function tell(now: boolean, why: string): void {
    if (told !== now) changed(now, why)
    told = now
  }

  async function connect(): Promise<void> {
    const fresh = open(url)
    fresh.on('error', (fault: Error) => drop(fresh, whyOf(fault)))
    client = fresh
    row = 0
    try {
      await within(fresh.connect(), probe_ms)
      if ((await within(fresh.ping(), command_ms)) !== 'PONG') throw new Misread('this is no Redis')
      await prepare(command => send(fresh, command))
      if (client !== fresh) return
      up = true
      tell(true, 'connected')
    } catch (fault) {
      drop(fresh, whyOf(fault))
    }
  }

  /** Lets go of a connection, with all that was waiting on it, and tries anew in a moment. */
  function drop(dropped: RedisClient, why: string): void {
    if (dropped !== client) return
    client = null
    if (dropped.isOpen) dropped.destroy()
    if (closed) return
    timer = setTimeout(connect, probe_ms).unref()
    up = false
    reason = why
    tell(false, why)
  }

  async function send<T>(current: RedisClient, command: (client: RedisClient) => Promise<T>): Promise<T> {
    try {
      const reply = await within(command(current), command_ms)
      row = 0
      return reply
    } catch (fault) {
      const says = fault instanceof ErrorReply
      if (says && incapacityOf(fault) === null) throw fault
      failures += 1
      row += 1
      // Who is no master any more may have a successor at the same address: only a new connection finds it.
      if (says || fault instanceof TypeError) drop(current, whyOf(fault))
      else if (row >= failures_max) drop(current, 'not_answered')
      if (fault instanceof RedisDown) throw fault
      throw new RedisDown(says ? `Redis says ${whyOf(fault)}` : 'the connection ended', { cause: fault })
    }
  }

  return {
    run: async command => {
      if (client === null || !up) throw new RedisDown(`Redis is out (${reason})`)
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
  }
}

/** What it says that can serve nobody now, whatever is asked: it loads its data, is a replica, is full, cannot save, ... */
const INCAPACITY =
  /^(?:ERR Error running script .*: -)?(LOADING|MASTERDOWN|CLUSTERDOWN|READONLY|OOM|MISCONF|NOREPLICAS|BUSY|NOAUTH)\b/

/** Null when Redis could answer, and the answer is no. Before version 7 a script's failure quotes that of its command. */
const incapacityOf = ({ message }: ErrorReply): string | null => INCAPACITY.exec(message)?.[1] ?? null

/** Of what Redis says, the words before anything it may quote, such as a password. */
const words = /^[\w ]{0,60}/

/** A name for the log: messages hold addresses. */
function whyOf(fault: unknown): string {
  if (fault instanceof ErrorReply) return incapacityOf(fault) ?? words.exec(fault.message)?.[0].trim() ?? ''
  if (fault instanceof RedisDown) return 'not_answered'
  return fault instanceof Error ? String((fault as NodeJS.ErrnoException).code ?? fault.constructor.name) : 'unknown'
}

const within = <T>(work: Promise<T>, ms: number): Promise<T> =>
  inTime(work, ms, () => new RedisDown(`no answer in ${ms} ms`))
