// The queue of distributed bulk runs as commands use it: its store, and reports of outages.

import type { Config } from '../config/config.ts'
import { placeText, storeUrlFault } from '../config/postgres_place.ts'
import { Submitter } from '../results/bulk/remote/submitter.ts'
import { type OpenQueues, openQueues } from '../store/open_backend.ts'
import { StoreError } from '../store/store.ts'
import { DEFAULT_QUEUE } from './arguments.ts'
import { CliError, EXIT } from './exit_codes.ts'
import { invocation } from './invocation.ts'

/** Milliseconds between two messages about an outage, which causes many retries. */
const QUIET_MS = 10_000

/** Prints a repeated message at most once per interval. */
function throttle(err: (text: string) => void): (text: string) => void {
  let quietUntil = 0
  return text => {
    const now = performance.now()
    if (now < quietUntil) return
    quietUntil = now + QUIET_MS
    err(text)
  }
}

/** Reasons hold neither the address nor the password. */
export function outages(err: (text: string) => void): (reason: string) => void {
  const write = throttle(err)
  return reason => write(`assay: the store does not answer, retrying (${reason})\n`)
}

/** The URL of `--store`, or of the configuration when it has none, so that no password needs to be on the command line. */
export function storeUrl(option: string | true, { store }: Pick<Config, 'store'>): string {
  const url = option === true ? store : option
  if (url === null) throw new CliError(EXIT.usage, '--store requires a URL, or a PostgreSQL store in the configuration')
  const fault = storeUrlFault(url)
  if (fault !== null) throw new CliError(EXIT.usage, `--store ${fault}`)
  return url
}

/** Ends the command when the store cannot be reached. `end_ms`: how long running work may take at the end. */
export async function openStoreQueues(
  url: string,
  onError: (reason: string) => void,
  endMs?: number,
): Promise<OpenQueues> {
  try {
    return await openQueues(url, onError, endMs)
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    throw new CliError(EXIT.unavailable, `cannot use the store at ${placeText({ url })}: ${error.message}`)
  }
}

interface RemoteCheckOptions {
  readonly queue: string
  readonly age_ms: number
  readonly err: (text: string) => void
}

export async function openRemoteChecks(url: string, { queue, age_ms, err }: RemoteCheckOptions): Promise<Submitter> {
  const write = throttle(err)
  // Without a password, which the worker takes from ASSAY_STORE or its configuration.
  const at = new URL(url).password === '' ? ` ${url}` : ''
  const worker = `${invocation()} worker --store${at}${queue === DEFAULT_QUEUE ? '' : ` --queue ${queue}`}`
  const onNoWorkers = () => write(`assay: no worker is running; start one: ${worker}\n`)
  const onError = outages(err)
  const { database, queues } = await openStoreQueues(url, onError)
  return new Submitter({ database, queues, queue, age_ms, onError, onNoWorkers })
}
