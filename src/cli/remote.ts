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

/** Messages of the Redis client may contain the address, never the password. */
export function outages(err: (text: string) => void): (error: Error) => void {
  const write = throttled(err)
  return error => write(`assay: cannot reach the queue, retrying (${error.message || error.name})\n`)
}

/** The Redis of `--redis`, or of the store when it has no URL, so that no password needs to be on the command line. */
export function queuePlace(given: string | true, { store, redis }: Pick<Config, 'store' | 'redis'>): RedisPlace {
  const url = given === true ? store : given
  if (url === null) throw new CliError(EXIT.usage, '--redis requires a URL, or a Redis store in the configuration')
  const address = readRedisUrl(url)
  if (address === null) throw new CliError(EXIT.usage, '--redis requires a URL such as redis://127.0.0.1:6379')
  if (address.primary === null && address.nodes.length === 1) return { ...redis, url }
  throw new CliError(EXIT.usage, 'The queue needs one server, without Sentinel or a cluster: give its URL to --redis')
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

export function openRemoteChecks(place: RedisPlace, queue: string, err: (text: string) => void): Promise<Submitter> {
  const write = throttled(err)
  // Without a password, which the worker takes from ASSAY_STORE or its configuration.
  const at = addressOf(place.url).password === '' ? ` ${place.url}` : ''
  const worker = `${invocation()} worker --redis${at}${queue === DEFAULT_QUEUE ? '' : ` --queue ${queue}`}`
  const onNoWorkers = () => write(`assay: no worker is running; start one: ${worker}\n`)
  return withQueue(place, () => openSubmitter({ ...place, queue }, { onError: outages(err), onNoWorkers }))
}
