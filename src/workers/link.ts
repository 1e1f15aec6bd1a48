// Calls between two processes over one stream. Messages of one turn of the event loop go together: a write and a wake-up cost
// more than a message. Values are plain data, dates, maps and bytes (the structured clone algorithm).
import type { Duplex } from 'node:stream'
import { deserialize, serialize } from 'node:v8'
import { describeError } from '../errors.ts'
import { StoreError, type StoreErrorCode } from '../store/store.ts'

/** Methods by name, which the other process may call. Their arguments are what this service sends itself. */
export type Methods = Readonly<Record<string, (...given: never[]) => unknown>>

/** Services by name. */
export type Services = Readonly<Record<string, object>>

export interface Link {
  /** Resolves with what the method resolves with. Rejects with its StoreError, another `Error`, or when the link closes. */
  call(service: string, method: string, ...given: readonly unknown[]): Promise<unknown>
  /** Calls without waiting for a reply. Calls and tells arrive in order. */
  tell(service: string, method: string, ...given: readonly unknown[]): void
  /** Runs `collect` once, just before the messages of this turn are sent, so that it can send one for many. */
  beforeSending(collect: () => void): void
  /** Resolves when the other process is gone. */
  readonly closed: Promise<void>
  /** Sends what is pending and closes. */
  close(): void
}

type Call = readonly [id: number, service: string, method: string, given: readonly unknown[]]
type Reply = readonly [id: number, outcome: typeof DONE | typeof FAILED, value: unknown]

/** The id of a call that gets no reply. */
const TELL = 0
const DONE = 1
const FAILED = 2

/** Bytes of the length before each frame. */
const HEAD = 4

interface Waiting {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

/** `services` are what the other process may call here. */
export function createLink(stream: Duplex, services: Services): Link {
  const waiting = new Map<number, Waiting>()
  let collecting: (() => void)[] = []
  let pending: (Call | Reply)[] = []
  let scheduled = false
  let over = false
  let last = TELL
  const closed = new Promise<void>(resolve => {
    stream.once('close', () => {
      over = true
      for (const { reject } of waiting.values()) reject(gone())
      waiting.clear()
      resolve()
    })
  })
  // The close that follows says all.
  stream.on('error', () => {})
  stream.on('end', () => stream.end())
  stream.on('data', frameReader(take))

  function schedule(): void {
    if (scheduled) return
    scheduled = true
    setImmediate(flush)
  }

  function flush(): void {
    scheduled = false
    const due = collecting
    collecting = []
    for (const collect of due) collect()
    if (pending.length === 0 || over) return
    const frame = frameOf(pending)
    pending = []
    stream.write(frame)
  }

  function send(message: Call | Reply): void {
    pending.push(message)
    schedule()
  }

  function take(messages: readonly (Call | Reply)[]): void {
    for (const message of messages) {
      if (message.length === 4) answer(message)
      else settle(message)
    }
  }

  function settle([id, outcome, value]: Reply): void {
    const asked = waiting.get(id)
    waiting.delete(id)
    if (outcome === DONE) asked?.resolve(value)
    else asked?.reject(errorOf(value as Failure))
  }

  function answer([id, service, method, given]: Call): void {
    try {
      const value = methodOf(services, service, method)(...given)
      if (value instanceof Promise) value.then(done => reply(id, DONE, done), failed(id))
      else reply(id, DONE, value)
    } catch (error) {
      failed(id)(error)
    }
  }

  const failed = (id: number) => (error: unknown) => reply(id, FAILED, failureOf(error))

  function reply(id: number, outcome: Reply[1], value: unknown): void {
    if (id !== TELL && !over) send([id, outcome, value])
  }

  return {
    call: (service, method, ...given) =>
      new Promise((resolve, reject) => {
        if (over) return reject(gone())
        last += 1
        waiting.set(last, { resolve, reject })
        send([last, service, method, given])
      }),
    tell(service, method, ...given) {
      if (!over) send([TELL, service, method, given])
    },
    beforeSending(collect) {
      collecting.push(collect)
      schedule()
    },
    closed,
    close() {
      flush()
      stream.end()
    },
  }
}

function methodOf(services: Services, service: string, method: string): (...given: readonly unknown[]) => unknown {
  const named = Object.hasOwn(services, service) ? (services[service] as Record<string, unknown>) : {}
  const found = Object.hasOwn(named, method) ? named[method] : undefined
  if (typeof found !== 'function') throw new TypeError(`no method ${service}.${method}`)
  return found as (...given: readonly unknown[]) => unknown
}

type Asynchronous<Service> = {
  readonly [Name in keyof Service]: Service[Name] extends (...given: infer Given) => infer Result
    ? (...given: Given) => Promise<Awaited<Result>>
    : never
}

/**
 * The service of that name at the other end: each method is a call. `close` does nothing, because the service belongs to the other
 * process.
 */
export function remote<Service extends object>(link: Link, service: string): Asynchronous<Service> {
  const methodNamed = (method: string) =>
    method === 'close' ? async () => {} : (...given: unknown[]) => link.call(service, method, ...given)
  return new Proxy({} as Asynchronous<Service>, {
    // An object with `then` would count as a promise.
    get: (_, method) => (typeof method === 'string' && method !== 'then' ? methodNamed(method) : undefined),
  })
}

interface Failure {
  readonly code: StoreErrorCode | null
  readonly message: string
}

const failureOf = (error: unknown): Failure =>
  error instanceof StoreError
    ? { code: error.code, message: error.message }
    : { code: null, message: error instanceof Error ? error.message : describeError(error) }

const errorOf = ({ code, message }: Failure): Error =>
  code === null ? new Error(message) : new StoreError(code, message)

/** The store is then gone for whoever called. */
const gone = () => new StoreError('quota_store_error', 'the process that owns the store is gone')

function frameOf(messages: readonly (Call | Reply)[]): Buffer {
  const body = serialize(messages)
  const frame = Buffer.allocUnsafe(HEAD + body.length)
  frame.writeUInt32LE(body.length)
  body.copy(frame, HEAD)
  return frame
}

/** Calls `take` with the messages of each complete frame. */
function frameReader(take: (messages: readonly (Call | Reply)[]) => void): (chunk: Buffer) => void {
  let chunks: Buffer[] = []
  let held = 0
  let wanted = HEAD
  return chunk => {
    chunks.push(chunk)
    held += chunk.length
    if (held < wanted) return
    let octets = chunks.length === 1 ? chunk : Buffer.concat(chunks)
    for (;;) {
      wanted = octets.length < HEAD ? HEAD : HEAD + octets.readUInt32LE()
      if (octets.length < wanted) break
      const body = octets.subarray(HEAD, wanted)
      octets = octets.subarray(wanted)
      take(deserialize(body))
    }
    chunks = octets.length > 0 ? [octets] : []
    held = octets.length
  }
}
