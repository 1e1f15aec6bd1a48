// A client that says exactly what a case wants said, from the case's own address.
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { LONG_MS } from '../patience.ts'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  /** The body as JSON; an empty object when it is none. */
  readonly body: Readonly<Record<string, unknown>>
  readonly ms: number
}

export type Headers = Readonly<Record<string, string | string[]>>

export interface Asking {
  readonly host: string
  readonly port: number
  /** Our own address. */
  readonly from: string
  readonly path: string
  readonly method?: string
  readonly headers: Headers
}

/** Milliseconds: client libraries give up then. */
const PATIENCE_MS = 10_000

let isTimed = true

const patienceMs = () => (isTimed ? PATIENCE_MS : LONG_MS)

/** From now on every answer counts as given at once. */
export function ignoreTimes(): void {
  isTimed = false
}

export const judgesTimes = (): boolean => isTimed

export function ask({ host, port, from, path, method = 'GET', headers }: Asking): Promise<Answer> {
  const began = performance.now()
  return new Promise((resolve, reject) => {
    const sent = request({ host, port, path, method, headers, localAddress: from, agent: false }, response => {
      const chunks: Buffer[] = []
      response.on('error', reject).on('data', chunk => chunks.push(chunk))
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        const { statusCode: status = 0, headers: fields } = response
        resolve({ status, headers: fields, text, body: parse(text), ms: isTimed ? performance.now() - began : 0 })
      })
    })
    sent.setTimeout(patienceMs(), () => sent.destroy(new Error(`no answer within ${patienceMs()} ms`)))
    sent.on('error', reject).end()
  })
}

function parse(text: string): Answer['body'] {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

/** Sends these octets as they are and yields all that comes back until the server closes, or until `idle_ms` of silence. */
export function exchange(
  at: Pick<Asking, 'host' | 'port' | 'from'>,
  parts: readonly (string | Buffer)[],
  idle_ms = 3_000,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ host: at.host, port: at.port, localAddress: at.from })
    let received = ''
    socket.setTimeout(idle_ms, () => socket.destroy())
    socket.on('data', chunk => {
      received += chunk.toString('latin1')
    })
    socket.on('error', (error: NodeJS.ErrnoException) => error.code === 'ECONNREFUSED' && reject(error))
    socket.on('close', () => resolve(received))
    socket.on('connect', () => {
      for (const part of parts) socket.write(typeof part === 'string' ? Buffer.from(part, 'latin1') : part)
    })
  })
}

/** A busy service says so, and when to come back; clients do. */
export const BUSY: readonly string[] = ['overloaded', 'target-busy', 'rate-limited']
const TRIES = 20

export async function patiently(asked: () => Promise<Answer>): Promise<Answer> {
  for (let left = TRIES; ; left--) {
    const answer = await asked()
    if (left === 0 || !BUSY.includes(String(answer.body['code']))) return answer
    await pause(Number(answer.headers['retry-after'] ?? 1) * 300)
  }
}
