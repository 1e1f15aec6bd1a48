// An HTTP client that measures: requests on persistent or new connections, in a closed loop or at a fixed rate.
import { Agent, request } from 'node:http'

export interface Asked {
  readonly url: string
  readonly key: string
  /** On a new connection, which the answer ends. */
  readonly reconnects?: boolean
}

export interface Answered {
  /** 0 if the connection closed first. */
  readonly status: number
  readonly ms: number
  readonly remaining: number
  /** By the monotonic clock. */
  readonly at: number
}

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })

/**
 * Sends one request; resolves when the response is complete, and never rejects. Like other clients, it repeats the request
 * if the server was just closing the persistent connection (RFC 9112 section 9.3.1), unless it is sent `once`.
 */
export function ask(asked: Asked & { readonly once?: boolean }): Promise<Answered> {
  const { url, key, reconnects = false, once = false } = asked
  const began = performance.now()
  return new Promise(resolve => {
    const end = (status: number, remaining = Number.NaN) =>
      resolve({ status, ms: performance.now() - began, remaining, at: performance.now() })
    const sent = request(url, { agent: reconnects ? false : agent, headers: { 'X-API-Key': key } }, response => {
      response.on('error', () => end(0))
      response.on('end', () => end(response.statusCode ?? 0, Number(response.headers['x-ratelimit-remaining'])))
      response.resume()
    })
    sent.on('error', () => {
      if (sent.reusedSocket && !once) resolve(ask(asked))
      else end(0)
    })
    sent.end()
  })
}

/** Keeps `together` requests running until `next` returns null. */
export async function closedLoop(together: number, next: () => Asked | null): Promise<Answered[]> {
  const answers: Answered[] = []
  const client = async () => {
    for (let asked = next(); asked !== null; asked = next()) answers.push(await ask(asked))
  }
  await Promise.all(Array.from({ length: together }, client))
  return answers
}

/** Sends `per_second` requests for some seconds, independent of the answers. */
export async function openLoop(per_second: number, seconds: number, next: () => Asked): Promise<Answered[]> {
  const answers: Promise<Answered>[] = []
  const began = performance.now()
  await new Promise<void>(resolve => {
    const timer = setInterval(() => {
      const elapsed = Math.min(seconds, (performance.now() - began) / 1_000)
      while (answers.length < elapsed * per_second) answers.push(ask(next()))
      if (elapsed < seconds) return
      clearInterval(timer)
      resolve()
    }, 5)
  })
  return Promise.all(answers)
}

/** The percentile of the durations; `p` is 0 to 1. */
export function percentile(answers: readonly Answered[], p: number): number {
  const sorted = answers.map(({ ms }) => ms).sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? Number.NaN
}
