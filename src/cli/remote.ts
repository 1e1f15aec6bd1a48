// The queue as commands use it: its URL, and reports of outages.
import { QueueUnavailable } from '../bulk/remote/queue.ts'
import { openSubmitter, type Submitter } from '../bulk/remote/submit.ts'
import type { Config } from '../config/config.ts'
import { addressOf, placesOf, type RedisPlace, readRedisUrl } from '../store/redis_place.ts'
import { DEFAULT_QUEUE } from './arguments.ts'
import { CliError, EXIT } from './exit_codes.ts'
import { invocation } from './invocation.ts'

/** Milliseconds between two messages about an outage, which causes many retries. */
const QUIET_MS = 10_000

/** Prints a repeated message at most once per interval. */
function throttled(err: (text: string) => void): (text: string) => void {
  let quiet_until = 0
  return text => {
    const now = performance.now()
    if (now < quiet_until) return
    quiet_until = now + QUIET_MS
    err(text)
  }
}

/** Reasons hold neither the address nor the password. */
export function outages(err: (text: string) => void): (reason: string) => void {
  const write = throttled(err)
  return reason => write(`assay: the queue does not answer, retrying (${reason})\n`)
}

/** The Redis of `--redis`, or of the store when it has no URL, so that no password needs to be on the command line. */
export function queuePlace(given: string | true, { store, redis }: Pick<Config, 'store' | 'redis'>): RedisPlace {
  const url = given === true ? store : given
  if (url === null) throw new CliError(EXIT.usage, '--redis requires a URL, or a Redis store in the configuration')
  if (readRedisUrl(url) !== null) return { ...redis, url }
  throw new CliError(EXIT.usage, '--redis requires a URL such as redis://127.0.0.1:6379')
}

/** The host and port of the queue, for people. */
export const hostsOf = ({ url }: RedisPlace): string => placesOf(addressOf(url))

/** Ends the command when Redis cannot be reached. */
export async function withQueue<Opened>(place: RedisPlace, open: () => Promise<Opened>): Promise<Opened> {
  try {
    return await open()
  } catch (error) {
    if (!(error instanceof QueueUnavailable)) throw error
    throw new CliError(EXIT.unavailable, `cannot reach Redis at ${hostsOf(place)}: ${error.message}`)
  }
}

interface RemoteOptions {
  readonly queue: string
  readonly age_ms: number
  readonly err: (text: string) => void
}

export function openRemoteChecks(place: RedisPlace, { queue, age_ms, err }: RemoteOptions): Promise<Submitter> {
  const write = throttled(err)
  // Without a password, which the worker takes from ASSAY_STORE or its configuration.
  const at = addressOf(place.url).password === '' ? ` ${place.url}` : ''
  const worker = `${invocation()} worker --redis${at}${queue === DEFAULT_QUEUE ? '' : ` --queue ${queue}`}`
  const onNoWorkers = () => write(`assay: no worker is running; start one: ${worker}\n`)
  return withQueue(place, () => openSubmitter({ ...place, queue, age_ms, onError: outages(err), onNoWorkers }))
}
