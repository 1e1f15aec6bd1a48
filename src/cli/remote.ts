// The queue as commands use it: its URL, and reports of outages.
import { QueueUnavailable } from '../bulk/remote/queue.ts'
import { openSubmitter, type Submitter } from '../bulk/remote/submit.ts'
import type { Config } from '../config/config.ts'
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

/** The URL of `--redis`, or of the store when it has none, so that no password needs to be on the command line. */
export function queueUrl(given: string | true, { store }: Pick<Config, 'store'>): string {
  const url = given === true ? store : given
  if (url === null) throw new CliError(EXIT.usage, '--redis requires a URL, or a Redis store in the configuration')
  if (/^rediss?:\/\/\S+$/.test(url) && URL.canParse(url)) return url
  throw new CliError(EXIT.usage, '--redis requires a URL such as redis://127.0.0.1:6379')
}

/** Ends the command when Redis cannot be reached. */
export async function withQueue<Opened>(url: string, open: () => Promise<Opened>): Promise<Opened> {
  try {
    return await open()
  } catch (error) {
    if (!(error instanceof QueueUnavailable)) throw error
    throw new CliError(EXIT.unavailable, `cannot reach Redis at ${new URL(url).host}: ${error.message}`)
  }
}

export function openRemoteChecks(url: string, queue: string, err: (text: string) => void): Promise<Submitter> {
  const write = throttled(err)
  // Without a password, which the worker takes from ASSAY_STORE or its configuration.
  const at = new URL(url).password === '' ? ` ${url}` : ''
  const worker = `${invocation()} worker --redis${at}${queue === DEFAULT_QUEUE ? '' : ` --queue ${queue}`}`
  const onNoWorkers = () => write(`assay: no worker is running; start one: ${worker}\n`)
  return withQueue(url, () => openSubmitter({ url, queue }, { onError: outages(err), onNoWorkers }))
}
